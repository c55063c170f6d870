/** The worker: compiles the chains, loads the model, and compares. */
import "../dispose.js";
import { CompileError } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { compareChains } from "ggsl/compare/compare.js";
import type { CompareProgress } from "ggsl/compare/options.js";
import { AbortError, InputError } from "ggsl/core/errors.js";
import { loadModelFromBytes, type Model } from "ggsl/models/model.js";
import { Connection, ServerError } from "../server/connection.js";
import { demoModel, llamaModule } from "../model/files.js";
import { compileFields } from "./chains.js";
import type { Answer, Request, Task } from "./messages.js";
import { compareServed } from "./served.js";

/** The fastest for the demo model in WebAssembly. */
const SEQUENCES = 8;
/** Milliseconds between two reports. */
const PAUSE = 250;

const answer = (message: Answer): void => self.postMessage(message);

let loading: Promise<Model> | undefined;

async function load(): Promise<Model> {
  if (llamaModule === undefined)
    throw new InputError("this build of the page has no model module", { code: "MODULE_UNAVAILABLE" });
  const response = await fetch(demoModel);
  if (!response.ok)
    throw new InputError(`the demo model cannot be read: status ${response.status}`, { code: "UNREADABLE_FILE" });
  const module = new URL(llamaModule, self.location.href);
  return loadModelFromBytes(new Uint8Array(await response.arrayBuffer()), { module });
}

/** The model; a load that failed is tried again. */
function openModel(): Promise<Model> {
  loading ??= load();
  loading.catch(() => (loading = undefined));
  return loading;
}

/** Reports from time to time, with the texts that have ended since the last report. */
function reporter(): (progress: CompareProgress) => void {
  let [last, texts] = [0, 0];
  return (progress) => {
    const now = performance.now();
    if (now < last + PAUSE) return;
    last = now;
    const comparison = progress.texts > texts ? progress.comparison() : undefined;
    texts = progress.texts;
    answer({ kind: "progress", fraction: progress.fraction, ...(comparison && { comparison }) });
  };
}

let running: AbortController | undefined;

async function run({ programs, prompt, server, ...counts }: Task): Promise<void> {
  const own = (running = new AbortController());
  let latest: CompareProgress | undefined;
  try {
    const { chains, notes } = compileFields(programs);
    answer({ kind: "compiled", notes });
    const report = reporter();
    const onProgress = (progress: CompareProgress): void => report((latest = progress));
    const options = { ...counts, signal: own.signal, onProgress };
    const written = server
      ? compareServed(Connection.of(server), prompt, { ...options, chains })
      : compareChains(await openModel(), prompt, {
          ...options,
          chains: chains.map(({ name, chain }) => ({ name, chain })),
          sequences: SEQUENCES,
        });
    answer({ kind: "loaded" });
    answer({ kind: "done", comparison: await written });
  } catch (error) {
    const comparison = latest?.comparison();
    if (error instanceof AbortError) return answer({ kind: "stopped", ...(comparison && { comparison }) });
    const isInput = [InputError, CompileError, ServerError].some((kind) => error instanceof kind);
    answer({ kind: "failed", message: (error as Error).message, isInput });
  } finally {
    running = undefined;
  }
}

self.onmessage = ({ data }: MessageEvent<Request>) => {
  if (data.kind === "compare") void run(data.task);
  else running?.abort();
};
