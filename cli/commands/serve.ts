/** `ggsl serve`: a model behind the APIs of OpenAI, Anthropic and Ollama, by the package @ggsl/server. */
import { Argument, InvalidArgumentError, Option, type Command } from "commander";
import type { NamedFile, NamedSlot, ServeModelsOptions, ServeOptions } from "@ggsl/server";
import type * as Package from "@ggsl/server";
import { InputError } from "ggsl/core/errors.js";
import { sharedHeapFlag } from "ggsl/core/threads.js";
import { readTemplate } from "../chat/template.js";
import { addModelOptions, settingsOf, type ModelFlags } from "../modelOptions.js";
import { atMost, collected, natural, PROGRAM_FILES, UsageError } from "../usage.js";
import { withValues } from "../values.js";
import { say } from "../terminal.js";

interface Options extends ModelFlags {
  readonly model?: readonly NamedFile[];
  readonly maxLoadedModels?: number;
  readonly port?: number;
  readonly host?: string;
  readonly sequences?: number;
  readonly alias?: readonly string[];
  readonly apiKeys?: string;
  readonly sampler?: readonly NamedFile[];
  readonly library?: readonly string[];
  readonly policy?: string;
  readonly slot?: readonly NamedSlot[];
  readonly limit?: Readonly<Record<string, number>>;
  readonly queue?: number;
  readonly decodeWork?: number;
  readonly connections?: number;
  readonly addressConnections?: number;
  readonly bodyBytes?: number;
  readonly laneBodyBytes?: number;
  readonly lookup?: true;
  readonly draftModel?: string;
  readonly template?: string;
  readonly files?: string;
  readonly log?: "json" | "off";
  readonly logPrompts?: true;
  readonly ssePingInterval?: number;
  readonly lenient?: true;
  readonly cors?: readonly string[];
  readonly allowHost?: readonly string[];
  readonly trustProxy?: readonly string[];
  readonly probe?: true;
  readonly check?: true;
}

export const addServe = (command: Command): Command =>
  addModelOptions(
    command
      .addArgument(withValues(new Argument("[model]", "the model file (GGUF)"), { files: ["gguf"] }))
      .option(
        "--model <name=file>",
        "one of several models, each in a process of its own, which is loaded when a request asks for it; repeatable",
        modelFile,
      )
      .option(
        "--max-loaded-models <n>",
        "models of --model that are loaded at once; the one used least recently makes place for another (default: 1)",
        natural,
      )
      .option("--port <n>", "the port; 0: any that is free (default: 8080)", port)
      .option("--host <address>", "the address to listen at (default: 127.0.0.1, which only this machine reaches)")
      .option(
        "--sequences <n>",
        "texts that are written at once, each with memory for --ctx-size tokens (default: 32)",
        atMost(256),
      )
      .option("--alias <name>", "a name of the model for requests (default: that of the file); repeatable", collected)
      .option(
        "--api-keys <file>",
        "keys, one in a line: SECRET [NAME] [LIMIT=VALUE...]; without it every request is taken",
      )
      .option(
        "--sampler <name=file>",
        "a sampler that requests can name; `default` replaces the default chain; repeatable",
        sampler,
      )
      .option(
        "--library <package>",
        "an installed package whose samplers the programs of requests can import; repeatable",
        collected,
      )
      .addOption(
        withValues(
          new Option(
            "--policy <file>",
            "a program whose stages every text has before those of its chain, and before the pick",
          ),
          PROGRAM_FILES,
        ),
      )
      .option(
        "--slot <n=name>",
        "gives a place a sampler of its own, for requests with its `id_slot`; repeatable",
        slot,
      )
      .option(
        "--limit <cost=n>",
        "the most that a token may cost with a sampler of a request, such as work=5000000 or sorts=2; repeatable",
        costLimit,
      )
      .option(
        "--decode-work <n>",
        "rows that samplers of requests may compute in one decode together; costlier ones take turns (default: the most of 4194304, 262144 for each of --sequences, and the model's bytes / 8)",
        natural,
      )
      .option("--queue <n>", "requests that wait for a place; more are refused (default: 256)", natural)
      .option("--connections <n>", "connections of all clients (default: 1024)", natural)
      .option(
        "--address-connections <n>",
        "connections of an address; those of trusted proxies only count together (default: 256)",
        natural,
      )
      .option(
        "--body-bytes <n>",
        "bytes of the bodies of all requests that are not answered (default: 134217728)",
        natural,
      )
      .option("--lane-body-bytes <n>", "bytes of those of one key, else of one address (default: 33554432)", natural)
      .option(
        "--lookup",
        "draft what followed the last tokens where a text had them before, unless a request says otherwise",
      )
      .addOption(
        withValues(
          new Option(
            "--draft-model <gguf>",
            "a smaller model with the same vocabulary drafts texts, unless a request says otherwise",
          ),
          { files: ["gguf"] },
        ),
      )
      .option("--template <file>", "a Jinja chat template instead of the model's, or the name of one of the model's")
      .option("--files <folder>", "static files for `/` (default: the playground)")
      .option(
        "--cors <origin...>",
        "origins such as https://example.org whose pages may read answers in browsers, or `*` for all (default: none)",
      )
      .option(
        "--allow-host <name...>",
        "names by which it may be asked for besides localhost and --host, such as a proxy's, or `*` for any",
      )
      .option(
        "--trust-proxy <address...>",
        "proxies whose header X-Forwarded-For or Forwarded names the client: addresses, or networks such as 10.0.0.0/8 (default: none)",
      ),
  )
    .addOption(
      new Option("--log <form>", "one line a request on standard output (default: json)").choices(["json", "off"]),
    )
    .option("--log-prompts", "the log has the bodies of requests, too")
    .option(
      "--sse-ping-interval <seconds>",
      "a stream that sends nothing for so long has a ping, so that proxies and clients wait; -1: never (default: 15)",
      pingInterval,
    )
    .option(
      "--lenient",
      "ignore fields of requests that are unknown or not supported, and names of other models; name them in the header x-ggsl-ignored",
    )
    .option("--check", "check options, model, samplers and keys, and end")
    .action(run);

async function run(model: string | undefined, options: Options): Promise<void> {
  const server = await loadServer();
  const given = optionsOf(model, options);
  if (server.isOpenToAll(given))
    say(`warning: ${given.host!} is reached from other machines, and no key is asked for: give --api-keys FILE\n`);
  const flag = sharedHeapFlag();
  if (flag !== undefined)
    say(
      `warning: with Node.js's ${flag}, a request that needs much memory can end the server: start it without that flag\n`,
    );
  if (options.check) {
    await ("models" in given ? server.checkModels(given) : server.checkServer(given));
    say("the configuration is right\n");
  } else if ("models" in given)
    await server.serveModels(given, (url, { names }) =>
      say(`${names.join(", ")} at ${url}: each is loaded when a request asks for it\n${pathsAt(url)}`),
    );
  else
    await server.serve(given, (url, { name, backend, sequences, contextSize }) =>
      say(`${name} on ${backend} at ${url}: ${sequences} texts of ${contextSize} tokens at once\n${pathsAt(url)}`),
    );
}

/** One model, or several. Throws a `UsageError` for options of the other. */
function optionsOf(model: string | undefined, options: Options): ServeOptions | ServeModelsOptions {
  const { model: models, alias, maxLoadedModels } = options;
  const shared = sharedOptions(options);
  if (models === undefined) {
    if (model === undefined)
      throw new UsageError("there is no model to serve: give a GGUF file, or several as --model NAME=FILE");
    if (maxLoadedModels !== undefined)
      throw new UsageError("--max-loaded-models is for several models: give them as --model NAME=FILE");
    return { ...shared, model, alias };
  }
  const single = model === undefined ? alias && "--alias" : `the file ${model}`;
  if (single) throw new UsageError(`${single} is for one model, and --model NAME=FILE names several: give one of both`);
  return { ...shared, models, maxLoadedModels };
}

/** Where clients of each API ask. */
const pathsAt = (url: string): string =>
  `clients of OpenAI's API have the base ${url}/v1, those of Anthropic's and Ollama's ${url}; ${url}/openapi.json lists the paths\n`;

/** It is a package of its own, so that `ggsl` installs no server. */
async function loadServer(): Promise<typeof Package> {
  try {
    return await import("@ggsl/server");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes("@ggsl/server")) throw error;
    throw new InputError("`ggsl serve` needs the package @ggsl/server: npm install @ggsl/server", {
      code: "MISSING_PACKAGE",
      cause: error,
    });
  }
}

const sharedOptions = (options: Options): Omit<ServeOptions, "model" | "alias"> => {
  const { port, host, sequences, apiKeys, queue, files, log, logPrompts, lenient, cors, trustProxy, strict } = options;
  return {
    ...settingsOf(options),
    port,
    host,
    sequences,
    apiKeys,
    queue,
    files,
    log,
    logPrompts,
    lenient,
    cors,
    trustProxy,
    strict,
    ssePingInterval: options.ssePingInterval,
    contextSize: options.ctxSize,
    decodeWork: options.decodeWork,
    connections: options.connections,
    addressConnections: options.addressConnections,
    bodyBytes: options.bodyBytes,
    laneBodyBytes: options.laneBodyBytes,
    lookup: options.lookup,
    draftModel: options.draftModel,
    template: readTemplate(options),
    allowHosts: options.allowHost,
    samplers: options.sampler,
    libraries: options.library,
    policy: options.policy,
    slots: options.slot,
    limits: options.limit,
  };
};

function port(text: string): number {
  const value = natural(text);
  if (value > 65_535) throw new InvalidArgumentError("Expected an integer from 0 to 65535.");
  return value;
}

function pingInterval(text: string): number {
  const value = /^-?\d{1,4}$/.test(text) ? Number(text) : NaN;
  if (!(value >= -1 && value <= 3600)) throw new InvalidArgumentError("Expected an integer from -1 to 3600.");
  return value;
}

/** Collects `--alias NAME` and `--library NAME`. */

/** Collects `--model NAME=FILE`. */
function modelFile(text: string, present: readonly NamedFile[] = []): NamedFile[] {
  const [, name, file] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || file === undefined) throw new InvalidArgumentError("Expected NAME=FILE.");
  return [...present, { name, file }];
}

/** Collects `--sampler NAME=FILE`. */
function sampler(text: string, present: readonly NamedFile[] = []): NamedFile[] {
  const [, name, file] = /^([A-Za-z_][\w-]*)=(.+)$/.exec(text) ?? [];
  if (name === undefined || file === undefined) throw new InvalidArgumentError("Expected NAME=FILE.");
  return [...present, { name, file }];
}

/** Collects `--slot N=NAME`. */
function slot(text: string, present: readonly NamedSlot[] = []): NamedSlot[] {
  const [, number, name] = /^(\d{1,3})=(.+)$/.exec(text) ?? [];
  if (number === undefined || name === undefined) throw new InvalidArgumentError("Expected N=NAME.");
  return [...present, { slot: Number(number), name }];
}

/** Collects `--limit COST=N`. */
function costLimit(text: string, present: Readonly<Record<string, number>> = {}): Record<string, number> {
  const [, name, number] = /^(\w+)=(\d{1,15})$/.exec(text) ?? [];
  if (name === undefined || number === undefined) throw new InvalidArgumentError("Expected COST=N.");
  return { ...present, [name]: Number(number) };
}
