/** The model in its worker, loaded on demand: the demo model, or a file of the user. */
import { InputError } from "ggsl/errors.js";
import type { ModelInfo } from "ggsl/native/binding.js";
import { ModelWorker } from "ggsl/wasm/llama/client.js";
import { demoModel, llamaModule as module } from "./files.js";

export const hasModel = module !== undefined;

/** The maximum size of a model file; the module's memory is limited to 2 GiB. */
const MAX_FILE = 2 ** 30;

export interface PageModel {
  readonly name: string;
  readonly info: ModelInfo;
  readonly worker: ModelWorker;
}

let worker: ModelWorker | undefined;
let loading: Promise<PageModel> | undefined;

/** The loaded model, by default the demo model. Rejects with `InputError`. */
export const openModel = (): Promise<PageModel> =>
  (loading ??= load("the demo model", async () => {
    const response = await fetch(demoModel);
    if (!response.ok)
      throw new InputError(`the demo model cannot be read: status ${response.status}`, { code: "UNREADABLE_FILE" });
    return new Uint8Array(await response.arrayBuffer());
  }));

/** Replaces the model by a file. If the file is not a model, the next request loads the demo model. */
export async function openFile(file: File): Promise<PageModel> {
  if (file.size > MAX_FILE)
    throw new InputError(`"${file.name}" has ${file.size} bytes; at most ${MAX_FILE} are allowed`, {
      code: "LIMIT_EXCEEDED",
    });
  return (loading = load(`"${file.name}"`, async () => new Uint8Array(await file.arrayBuffer())));
}

function load(name: string, read: () => Promise<Uint8Array>): Promise<PageModel> {
  const loaded = start(name, read);
  // the next request starts a new worker
  loaded.catch(() => {
    worker?.dispose();
    worker = undefined;
    loading = undefined;
  });
  return loaded;
}

async function start(name: string, read: () => Promise<Uint8Array>): Promise<PageModel> {
  if (module === undefined)
    throw new InputError("this build of the page has no model module", { code: "MODULE_UNAVAILABLE" });
  worker ??= new ModelWorker(new Worker(new URL("./worker.ts", import.meta.url), { type: "module" }) as never);
  const own = worker;
  const info = await own.load(await read(), new URL(module, location.href));
  return { name, info, worker: own };
}
