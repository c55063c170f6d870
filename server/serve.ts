/** A server from its options to its end. */
import { loadJinja } from "ggsl/chat/jinja.js";
import { invalid } from "ggsl/core/errors.js";
import { lacksPick } from "ggsl/generation/request.js";
import { loadModel, type Model } from "ggsl/models/model.js";
import { detailsOf, type ModelDetails } from "./apis/ollama/entries.js";
import { addModelRoutes, buildApp } from "./app.js";
import {
  checkNames,
  contextSizeOf,
  decodeWorkOf,
  DEFAULTS,
  fileOf,
  GRACE,
  modelNames,
  PATIENCE,
  pingIntervalOf,
  slotNames,
  spareOf,
  type ServeOptions,
} from "./config/options.js";
import { isLoopback } from "./config/loopback.js";
import { draftsFor } from "./engine/drafts.js";
import { DefaultChains } from "./engine/defaults.js";
import { Engine } from "./engine/engine.js";
import { recover } from "./engine/recovery.js";
import { checkFront, type ServeModelsOptions } from "./front/options.js";
import { guardsOf, openFigures, tellsOf } from "./guards.js";
import { Keys } from "./keys/keys.js";
import type { KeyRing } from "./keys/ring.js";
import { Quotas } from "./keys/quotas.js";
import { closeApp, listen, untilAsked } from "./listening.js";
import { Metrics } from "./metrics/metrics.js";
import { Queue } from "./queue/queue.js";
import { Refusal } from "./refusal.js";
import { openLog, type ServerLog } from "./requestLog.js";
import type { StaticFiles } from "./routes/files.js";
import { costLimits } from "./samplers/cost.js";
import { openLibraries } from "./samplers/libraries.js";
import { openPolicy, policyOf } from "./samplers/policy.js";
import { Samplers } from "./samplers/samplers.js";
import type { Serving } from "./serving.js";
import { builtSite } from "./site.js";

/** A server that is ready to listen. */
export interface Server {
  /** The model's name in answers. */
  readonly name: string;
  readonly backend: Model["backend"];
  /** Texts that are written at once. */
  readonly sequences: number;
  /** Tokens that each of them can have, with its prompt. */
  readonly contextSize: number;
  /** Listens, and resolves to the address. Throws `InputError` (`ADDRESS_UNAVAILABLE`). */
  listen(): Promise<string>;
  /** Takes no more requests, waits until running texts have ended, at most for some seconds, and frees everything. */
  close(grace?: number): Promise<void>;
}

/** With the log to which it writes, and what it tells of its model. */
interface LoggingServer extends Server {
  readonly log: ServerLog;
  readonly details: ModelDetails;
}

/**
 * Loads the model, the samplers and the keys, and writes a token, so that what cannot work is an error now: `InputError`, with
 * `ModelError` for the model file.
 */
export const openServer = (options: ServeOptions): Promise<Server> => open(options);

async function open(options: ServeOptions, given?: KeyRing): Promise<LoggingServer> {
  checkNames(options);
  const { sequences = DEFAULTS.sequences, queue: waiting = DEFAULTS.queue, log: form = "json" } = options;
  const log = openLog({ form, withPrompts: options.logPrompts ?? false });
  const metrics = new Metrics();
  const slots = slotNames(options);
  const guards = guardsOf(options);
  const pingInterval = pingIntervalOf(options);
  const cost = costLimits(options.limits ?? {});
  const policy = options.policy === undefined ? undefined : openPolicy(options.policy);
  const keys = given ?? (options.apiKeys === undefined ? Keys.none() : Keys.open(options.apiKeys, { log }));
  const closing: (() => unknown)[] = [() => keys.close(), () => metrics.close()];
  const undo = async (): Promise<void> => {
    for (const close of closing.reverse()) await close();
  };
  try {
    const load = (): Promise<Model> => loadModel(options.model, settingsOf(options));
    const model = await load();
    closing.push(() => model.dispose());
    const drafting =
      options.draftModel === undefined ? undefined : await loadModel(options.draftModel, settingsOf(options));
    closing.push(() => drafting?.dispose());
    const reserved = [...slots.keys()];
    const contextSize = contextSizeOf(options, model.info.trainedContextSize);
    const spare = spareOf(sequences, contextSize);
    const engine = new Engine(model, {
      names: modelNames(options),
      file: fileOf(options),
      template: options.template,
      drafts: { lookup: options.lookup ?? false, model: drafting },
      sequences,
      spare,
      reserved,
      strict: options.strict,
      contextSize,
      decodeWork: decodeWorkOf(options, model.info.bytes),
      onDecode: (milliseconds) => metrics.decoded(milliseconds / 1000),
    });
    closing.push(() => engine.dispose());
    const { vocabSize } = model.info;
    const libraries = openLibraries(options.libraries ?? [], vocabSize);
    const samplers = new Samplers({ vocabSize, cost, libraries, policy, metrics, log });
    closing.push(() => samplers.close());
    await addSamplers(samplers, options);
    const queue = new Queue({ places: sequences, spare, reserved, waiting, metrics });
    metrics.read({
      running: () => queue.running,
      places: () => queue.places,
      waiting: () => queue.waiting,
      samplers: () => samplers.size,
      compiling: () => samplers.waiting,
      liveChains: () => engine.batch.liveChains,
      postponed: () => engine.batch.postponed,
      ...openFigures(guards),
    });
    const serving: Serving = {
      engine,
      samplers,
      defaults: new DefaultChains(policy && policyOf(policy)),
      slots,
      keys,
      quotas: new Quotas(),
      queue,
      metrics,
      answering: new Set(),
      hasPolicy: policy !== undefined,
      isLenient: options.lenient ?? false,
      patience: PATIENCE,
      pingInterval,
    };
    await warmUp(serving);
    // what a request needs is read now: later there may be no descriptor left for it
    await loadJinja();
    closing.push(recover({ engine, queue, log, load, warmUp: () => warmUp(serving) }));
    const app = buildApp({
      serving,
      addRoutes: (to) => addModelRoutes(to, serving),
      files: filesOf(options),
      ...guards,
      onAnswered: tellsOf(metrics, log),
    });
    closing.push(() => closeApp(app));
    return {
      log,
      name: engine.name,
      backend: model.backend,
      sequences,
      contextSize: engine.contextSize,
      details: detailsOf(model),
      listen: () => listen(app, options),
      async close(grace = GRACE) {
        await ended(serving, grace);
        await undo();
      },
    };
  } catch (error) {
    await undo();
    throw error;
  }
}

/** Runs a server until SIGTERM or SIGINT. */
export async function serve(options: ServeOptions, started: (url: string, server: Server) => void): Promise<void> {
  const server = await open(options);
  await untilAsked(server, (url) => started(url, server));
}

/** A server that takes requests with these keys alone. */
export const openBehind = (options: ServeOptions, keys: KeyRing): Promise<LoggingServer> => open(options, keys);

/** Checks all that `serve` would need, and frees it. */
export async function checkServer(options: ServeOptions): Promise<void> {
  const server = await openServer(options);
  await server.close(0);
}

/** Whether strangers can reach a server that asks for no key. */
export function isOpenToAll(options: ServeOptions | ServeModelsOptions): boolean {
  if (typeof options === "object" && options !== null && "models" in options) checkFront(options);
  else checkNames(options);
  const { host = DEFAULTS.host, apiKeys } = options;
  return apiKeys === undefined && !isLoopback(host);
}

const settingsOf = (options: ServeOptions) => {
  const { backend, device, servers, split, gpuLayers, probe, threads, batchThreads, cacheTypeK, cacheTypeV, ...rest } =
    options;
  const { cache, flashAttention, promptBatch, bundles } = rest;
  return {
    ...(backend !== undefined && { backend }),
    device,
    servers,
    split,
    gpuLayers,
    probe,
    threads,
    batchThreads,
    cacheTypeK,
    cacheTypeV,
    cache,
    flashAttention,
    promptBatch,
    bundles,
  };
};

export const filesOf = ({ files }: Pick<ServeOptions, "files">): StaticFiles =>
  files === undefined ? { folder: builtSite(), areHashed: true } : { folder: files, areHashed: false };

async function addSamplers(samplers: Samplers, { samplers: files = [] }: ServeOptions): Promise<void> {
  for (const { name, file } of files) {
    const { picks, chainName } = await samplers.add(name, file);
    if (!picks) throw invalid(`the sampler "${name}" cannot be used: ${lacksPick(chainName, "its chain")}`);
  }
}

/**
 * Opens the context, so that one that does not fit in memory ends the start and not the first request; and does once what the first
 * request of each kind would do while others wait: it renders a conversation, and prepares the vocabulary for grammars.
 */
async function warmUp({ engine, defaults }: Serving): Promise<void> {
  const chain = defaults.of({ edits: false, constrained: false });
  const { model, batch, drafts } = engine;
  const prompt = Int32Array.of(Math.max(model.info.bos, 0));
  await model.prepareGrammar({ choices: ["a"] });
  // what is wrong with a template is for those who use it
  await engine.forms.thinking().catch(() => undefined);
  // the first place may be reserved
  const speculate = draftsFor(drafts, {});
  for await (const _ of batch.add(prompt, { chain, maxTokens: 1, place: 0, ...(speculate && { speculate }) }));
}

async function ended({ queue, answering }: Serving, grace: number): Promise<void> {
  const drained = queue.drain();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, grace)));
  await Promise.race([drained, late]);
  clearTimeout(timer);
  const reason = new Refusal("shutting_down", "the server ends: send the request to another one");
  for (const abort of answering) abort.abort(reason);
  await drained;
}
