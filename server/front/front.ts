/** A server of several models from its options to its end. */
import { buildApp } from "../app.js";
import { DEFAULTS, GRACE } from "../config/options.js";
import { guardsOf, openFigures, tellsOf } from "../guards.js";
import { Keys } from "../keys/keys.js";
import { closeApp, listen, untilAsked } from "../listening.js";
import { Metrics } from "../metrics/metrics.js";
import { openLog, type ServerLog } from "../requestLog.js";
import { checkServer, filesOf } from "../serve.js";
import { Models } from "./models.js";
import { checkFront, namesOf, optionsOf, type ServeModelsOptions } from "./options.js";
import { PassedBody } from "./passedBody.js";
import { startProcess } from "./process.js";
import { addFront } from "./routes.js";

/** A server of several models that is ready to listen; none of them is loaded. */
export interface ModelsServer {
  /** Of the models, in the order of the options. */
  readonly names: readonly string[];
  /** Listens, and resolves to the address. Throws `InputError` (`ADDRESS_UNAVAILABLE`). */
  listen(): Promise<string>;
  /** Takes no more requests, waits until running texts have ended, at most for some seconds, and ends all processes. */
  close(grace?: number): Promise<void>;
}

/** Reads the keys and checks the options; models are loaded when requests ask for them. Throws `InputError`. */
export const openModelsServer = (options: ServeModelsOptions): Promise<ModelsServer> =>
  new Promise((resolve) => resolve(open(options)));

function open(options: ServeModelsOptions): ModelsServer & { readonly log: ServerLog } {
  checkFront(options);
  const { models: files, maxLoadedModels: most = 1, queue: waiting = DEFAULTS.queue, log: form = "json" } = options;
  const log = openLog({ form, withPrompts: options.logPrompts ?? false });
  const guards = guardsOf(options);
  const keys = options.apiKeys === undefined ? Keys.none() : Keys.open(options.apiKeys, { log });
  const metrics = new Metrics();
  const fileOf = new Map(files.map((model) => [model.name, model]));
  const models = new Models({
    names: [...fileOf.keys()],
    most,
    waiting,
    log,
    start: (name) => startProcess(optionsOf(options, fileOf.get(name)!)),
  });
  metrics.read({
    waiting: () => models.waiting,
    ...openFigures(guards),
  });
  const modelOf = namesOf(options);
  const app = buildApp({
    serving: { keys, metrics },
    addRoutes: (to) =>
      addFront(to, {
        models,
        modelOf,
        fileOf: (name) => fileOf.get(name)!.file,
        names: [...modelOf.keys()] as [string, ...string[]],
        metrics,
        isLenient: options.lenient ?? false,
        created: Math.floor(Date.now() / 1000),
      }),
    files: filesOf(options),
    readBytes: (bytes) => new PassedBody(bytes),
    ...guards,
    onAnswered: tellsOf(metrics, log),
  });
  return {
    log,
    names: [...fileOf.keys()],
    listen: () => listen(app, options),
    async close(grace = GRACE) {
      await models.close(grace);
      await closeApp(app);
      keys.close();
      metrics.close();
    },
  };
}

/** Runs a server of several models until SIGTERM or SIGINT. */
export async function serveModels(
  options: ServeModelsOptions,
  started: (url: string, server: ModelsServer) => void,
): Promise<void> {
  const server = open(options);
  await untilAsked(server, (url) => started(url, server));
}

/** Checks all that `serveModels` would need: each model is loaded, one after the other. */
export async function checkModels(options: ServeModelsOptions): Promise<void> {
  await open(options).close(0);
  for (const model of options.models) await checkServer(optionsOf(options, model));
}
