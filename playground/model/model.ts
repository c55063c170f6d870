/** The model in its worker, loaded when it is first asked for: the demo model, or a file of the user's. */
import demoModel from "../../examples/model/demo-q8_0.gguf?url";
import { InputError } from "ggsl/errors.js";
import type { ModelInfo } from "ggsl/native/binding.js";
import { ModelWorker } from "ggsl/wasm/llama/client.js";

/** There is one if it was built before the page was: `npm run build:wasm -- --llama`. */
const modules = import.meta.glob<string>("../../build/wasm-llama/out/ggsl-llama.wasm", {
  query: "?url",
  import: "default",
  eager: true,
});
const module = Object.values(modules)[0];

export const hasModel = module !== undefined;

/** Bytes of a model file; the module's memory ends at 2 GiB. */
const MAX_FILE = 2 ** 30;

export interface PageModel {
  readonly name: string;
  readonly info: ModelInfo;
  readonly worker: ModelWorker;
}

let worker: ModelWorker | undefined;
let loading: Promise<PageModel> | undefined;

/** The model that is loaded; the demo model if none is. Rejects with `InputError`. */
export const openModel = (): Promise<PageModel> =>
  (loading ??= load("the demo model", async () => {
    const response = await fetch(demoModel);
    if (!response.ok) throw new InputError(`the demo model cannot be read: status ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  }));

/** A file in the place of the model. One that is no model leaves the demo model, which is loaded when it is next asked for. */
export async function openFile(file: File): Promise<PageModel> {
  if (file.size > MAX_FILE)
    throw new InputError(`"${file.name}" has ${file.size} bytes; at most ${MAX_FILE} are allowed`);
  return (loading = load(`"${file.name}"`, async () => new Uint8Array(await file.arrayBuffer())));
}

function load(name: string, read: () => Promise<Uint8Array>): Promise<PageModel> {
  const loaded = start(name, read);
  // the next request begins with a new worker
  loaded.catch(() => {
    worker?.dispose();
    worker = undefined;
    loading = undefined;
  });
  return loaded;
}

async function start(name: string, read: () => Promise<Uint8Array>): Promise<PageModel> {
  if (module === undefined) throw new InputError("this build of the page has no model module");
  worker ??= new ModelWorker(new Worker(new URL("./worker.ts", import.meta.url), { type: "module" }) as never);
  const own = worker;
  const info = await own.load(await read(), new URL(module, location.href));
  return { name, info, worker: own };
}
