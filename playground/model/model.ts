/** The model in its worker, loaded on demand: the demo model, or a file of the user. */
import { InputError } from "ggsl/core/errors.js";
import type { ModelInfo } from "ggsl/backends/native/binding.js";
import { ModelWorker } from "ggsl/models/thread/client.js";
import { demoModel, llamaModule as module } from "./files.js";

/** The sizes of the module and of the demo model together, known when the page is built. */
declare const DOWNLOAD_BYTES: number;

/** The maximum size of a model file; the module's memory is limited to 2 GiB. */
const MAX_FILE = 2 ** 30;

export interface PageModel {
  readonly name: string;
  readonly info: ModelInfo;
  readonly worker: ModelWorker;
}

let worker: ModelWorker | undefined;
let loading: Promise<PageModel> | undefined;

/** Who is told of the part of the model that is there, from 0 to 1. */
let onProgress: (part: number) => void = () => undefined;

export function watchProgress(listener: (part: number) => void): void {
  onProgress = listener;
}

/** The loaded model, by default the demo model. Rejects with `InputError`. */
export const openModel = (): Promise<PageModel> =>
  (loading ??= load("the demo model", (progress) => fetched(demoModel, "the demo model", progress)));

/** Replaces the model by a file. If the file is not a model, the next request loads the demo model. */
export async function openFile(file: File): Promise<PageModel> {
  if (file.size > MAX_FILE)
    throw new InputError(`"${file.name}" has ${file.size} bytes; at most ${MAX_FILE} are allowed`, {
      code: "LIMIT_EXCEEDED",
    });
  return (loading = load(`"${file.name}"`, async () => new Uint8Array(await file.arrayBuffer())));
}

type Read = (onBytes: (count: number) => void) => Promise<Uint8Array>;

function load(name: string, read: Read): Promise<PageModel> {
  const loaded = start(name, read);
  // the next request starts a new worker
  loaded.catch(() => {
    worker?.dispose();
    worker = undefined;
    loading = undefined;
  });
  return loaded;
}

/** The module is read by each load: the browser has it in its cache. */
async function start(name: string, read: Read): Promise<PageModel> {
  if (module === undefined)
    throw new InputError("this build of the page has no model module", { code: "MODULE_UNAVAILABLE" });
  // its code is read beside the model
  worker ??= new ModelWorker(new Worker(new URL("./worker.ts", import.meta.url), { type: "module" }) as never);
  const own = worker;
  let loaded = 0;
  const progress = (count: number): void => onProgress(Math.min(1, (loaded += count) / DOWNLOAD_BYTES));
  const [bytes, code] = await Promise.all([read(progress), fetched(module, "the model's module", progress)]);
  const info = await own.load(bytes, code);
  return { name, info, worker: own };
}

/** A file of the site. */
async function fetched(url: string, what: string, onBytes: (count: number) => void): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok || !response.body)
    throw new InputError(`${what} cannot be read: status ${response.status}`, { code: "UNREADABLE_FILE" });
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onBytes(chunk.length);
      controller.enqueue(chunk);
    },
  });
  return new Uint8Array(await new Response(response.body.pipeThrough(counted)).arrayBuffer());
}
