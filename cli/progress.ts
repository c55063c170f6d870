/** Progress on a terminal; none elsewhere. */
import { loadModel, type Model } from "ggsl/models/model.js";
import type { LoadModelOptions } from "ggsl/models/options.js";
import { canOverwrite, type Environment } from "./terminal.js";

/** Where it is shown: standard error, if that is a terminal. */
interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const CLEAR = "\r\x1b[K";

/** Shows texts on a line of its own until `clear`. Without a terminal nothing is shown. */
export function statusLine(to: Terminal = process.stderr, env: Environment = process.env) {
  let shown = "";
  const show = (line: string): void => {
    if (canOverwrite(to, env) && line !== shown) to.write(`${CLEAR}${line}`);
    shown = line;
  };
  return { show, clear: (): void => show("") };
}

/** Shows fractions from 0 to 1 on such a line. */
export function progressLine(what: string, to?: Terminal, env?: Environment) {
  const { show, clear } = statusLine(to, env);
  return { report: (fraction: number): void => show(`${what} ${Math.floor(100 * fraction)} %`), clear };
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
