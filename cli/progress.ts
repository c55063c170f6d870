/** Loads a model; a terminal shows the progress. */
import { loadModel, type LoadModelOptions, type Model } from "ggsl/model.js";

/** Where it is shown: standard error, if that is a terminal. */
interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const CLEAR = "\r\x1b[K";

/** Shows fractions from 0 to 1 on a line of its own until `clear`. Without a terminal nothing is shown. */
export function progressLine(what: string, to: Terminal = process.stderr) {
  let shown = "";
  const show = (line: string): void => {
    if (to.isTTY && line !== shown) to.write(`${CLEAR}${line}`);
    shown = line;
  };
  return {
    report: (fraction: number): void => show(`${what} ${Math.floor(100 * fraction)} %`),
    clear: (): void => show(""),
  };
}

/** Loads a model; standard error shows the progress if it is a terminal. */
export async function loadShown(path: string, options: LoadModelOptions): Promise<Model> {
  const line = progressLine("loading the model");
  try {
    return await loadModel(path, { ...options, onProgress: line.report });
  } finally {
    line.clear();
  }
}
