/** The options of a server, and their checks. */
import { MAX_CONTEXT } from "@ggsl/compiler/llama/contexts.js";
import type { OptionNames } from "@ggsl/compiler/core/optionNames.js";
import { named, namedIn } from "ggsl/core/check.js";
import type { ContextSettings } from "ggsl/backends/contextOptions.js";
import { MAX_SEQUENCES } from "ggsl/generation/request.js";
import { InputError, invalid } from "ggsl/core/errors.js";
import type { LoadModelOptions } from "ggsl/models/options.js";
import type { ConnectionLimits } from "../http/connections.js";
import type { ByteLimits } from "../http/held.js";
import { most } from "../http/limits.js";

/** Where a server runs, and what it has. Settings of the model and its contexts are those of `loadModel`. */
export interface ServeOptions extends Omit<LoadModelOptions, "onProgress" | "signal"> {
  /** The path of a GGUF file. */
  readonly model: string;
  /**
   * The name that requests give, or several; the first one is in answers to requests without a name.
   * @default that of the file, without `.gguf`
   */
  readonly alias?: string | readonly string[] | undefined;
  /**
   * Port; 0: any that is free.
   * @default 8080
   */
  readonly port?: number | undefined;
  /**
   * The address at which it listens. That of the default is reached by this machine alone.
   * @default 127.0.0.1
   */
  readonly host?: string | undefined;
  /**
   * Texts that are written at once.
   * @default 32
   */
  readonly sequences?: number | undefined;
  /** A file of API keys; without one every request is taken. */
  readonly apiKeys?: string | undefined;
  /** Files of samplers that requests can name; `default` replaces the chain of requests without a sampler. */
  readonly samplers?: readonly NamedFile[] | undefined;
  /** Names of installed packages whose samplers the programs of requests can import; they are found from the current folder. */
  readonly libraries?: readonly string[] | undefined;
  /** A program whose chains `before` and `before_pick` have the stages that come before those of all chains, and before their picks. */
  readonly policy?: string | undefined;
  /** The most that a token may cost with a sampler of a request, by the names of `Cost`; keys can have limits of their own. */
  readonly limits?: Readonly<Record<string, number>> | undefined;
  /** Places with a sampler of their own, for requests with their `id_slot`. */
  readonly slots?: readonly NamedSlot[] | undefined;
  /**
   * Requests that wait.
   * @default 256
   */
  readonly queue?: number | undefined;
  /**
   * Rows that the samplers of requests may compute in one decode together, as `decodeWork` of a batch; costly ones take turns. The
   * server's own samplers do not count.
   * @default 4194304, or 262144 for each text at once, or one for each 8 bytes of the model, whichever is most
   * @unit rows
   */
  readonly decodeWork?: number | undefined;
  /**
   * Connections of all clients.
   * @default 1024
   */
  readonly connections?: number | undefined;
  /**
   * Connections of an address, of IPv6 of the /64; those of trusted proxies only count together.
   * @default 256
   */
  readonly addressConnections?: number | undefined;
  /**
   * Bytes of the bodies of all requests that are not answered.
   * @default 134217728
   * @unit bytes
   */
  readonly bodyBytes?: number | undefined;
  /**
   * Bytes of the bodies of a lane's requests that are not answered: those of a key, else of an address.
   * @default 33554432
   * @unit bytes
   */
  readonly laneBodyBytes?: number | undefined;
  /**
   * Texts are drafted by prompt lookup, unless a request says otherwise.
   * @default false
   */
  readonly lookup?: boolean | undefined;
  /** The path of a smaller model with the same vocabulary, which drafts texts, unless a request says otherwise. */
  readonly draftModel?: string | undefined;
  /** A chat template in place of the model's, or the name of one of the model's. */
  readonly template?: string | undefined;
  /** Lines of the log: `json` (default), or none. */
  readonly log?: "json" | "off" | undefined;
  /** The log has the bodies of requests, too. */
  readonly logPrompts?: boolean | undefined;
  /** Origins such as `https://example.org` whose pages may read answers in browsers, or `*` for all; default: none. */
  readonly cors?: readonly string[] | undefined;
  /**
   * Names by which the server may be asked for besides those of this machine and `host`, such as that of a proxy, or `*` for any.
   * Without them only a server that listens at a loopback address looks at names.
   */
  readonly allowHosts?: readonly string[] | undefined;
  /**
   * Addresses and networks of proxies, such as `127.0.0.1` and `10.0.0.0/8`, whose `X-Forwarded-For` or `Forwarded` names the client.
   * @default none
   */
  readonly trustProxy?: readonly string[] | undefined;
  /**
   * After so many seconds without an event a stream of server-sent events has a ping; 0 or -1: never.
   * @default 15
   * @unit seconds
   */
  readonly ssePingInterval?: number | undefined;
  /** Fields of requests that are not known or not done, and names of other models, are ignored, and named in a header. */
  readonly lenient?: boolean | undefined;
  /** Chains that the device cannot run as a whole are errors. */
  readonly strict?: boolean | undefined;
  /**
   * A folder of static files for `/`.
   * @default the playground, if it is there
   */
  readonly files?: string | undefined;
}

export interface NamedFile {
  readonly name: string;
  readonly file: string;
}

export interface NamedSlot {
  readonly slot: number;
  /** Of a sampler. */
  readonly name: string;
}

export const DEFAULTS = { port: 8080, host: "127.0.0.1", sequences: 32, queue: 256 } as const;
/** What clients may have open. */
export const OPEN = { connections: 1024, addressConnections: 256, bodyBytes: 2 ** 27, laneBodyBytes: 2 ** 25 } as const;
/** Tokens of a text, unless the model was trained with fewer. */
export const CONTEXT_SIZE = 4096;
/** Seconds without an event until a stream has a ping. */
const PING_INTERVAL = 15;
/** Milliseconds that the reader of a stream may take nothing. */
export const PATIENCE = 60_000;
/** Milliseconds for running texts to end. */
export const GRACE = 10_000;
/** Milliseconds for the last bytes of answers to be sent. */
export const FLUSH = 500;

const CONTEXT: OptionNames<ContextSettings> = {
  contextSize: true,
  cacheTypeK: true,
  cacheTypeV: true,
  cache: true,
  threads: true,
  batchThreads: true,
  promptBatch: true,
  flashAttention: true,
  bundles: true,
};
export const NAMES: OptionNames<ServeOptions> = {
  ...CONTEXT,
  backend: true,
  device: true,
  servers: true,
  split: true,
  gpuLayers: true,
  probe: true,
  model: true,
  alias: true,
  port: true,
  host: true,
  sequences: true,
  apiKeys: true,
  samplers: true,
  libraries: true,
  policy: true,
  limits: true,
  slots: true,
  queue: true,
  decodeWork: true,
  connections: true,
  addressConnections: true,
  bodyBytes: true,
  laneBodyBytes: true,
  lookup: true,
  draftModel: true,
  template: true,
  log: true,
  logPrompts: true,
  ssePingInterval: true,
  lenient: true,
  strict: true,
  files: true,
  cors: true,
  allowHosts: true,
  trustProxy: true,
};
const FILE: OptionNames<NamedFile> = { name: true, file: true };
const SLOT: OptionNames<NamedSlot> = { slot: true, name: true };

/** Throws `InputError` for unknown options, in the lists of samplers and places too. */
export function checkNames(options: ServeOptions): void {
  named(NAMES)(options, "options");
  options.samplers?.forEach((sampler, i) => namedIn(FILE)(sampler, `samplers[${i}]`));
  options.slots?.forEach((slot, i) => namedIn(SLOT)(slot, `slots[${i}]`));
}

/** The names of samplers of places, by number. Throws `InputError`. */
export function slotNames({
  slots = [],
  samplers = [],
  sequences = DEFAULTS.sequences,
}: ServeOptions): Map<number, string> {
  const names = new Map<number, string>();
  for (const { slot, name } of slots) {
    if (!Number.isInteger(slot) || slot < 0 || slot >= sequences)
      throw invalid(
        `a place is a number from 0 to ${sequences - 1}, since there are ${sequences} sequences, found ${slot}`,
      );
    if (names.has(slot)) throw invalid(`the place ${slot} has two samplers: \`${names.get(slot)!}\` and \`${name}\``);
    if (!samplers.some((sampler) => sampler.name === name))
      throw invalid(
        `the place ${slot} has the sampler \`${name}\`, which is none of the server's: ${namesOf(samplers)}`,
      );
    names.set(slot, name);
  }
  return names;
}

/** A scheme, a host and a port: as browsers write them. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@,*]+$/;

/** The origins whose pages may read answers. Throws `InputError`. */
export function originsOf({ cors = [] }: Partial<ServeOptions>): readonly string[] {
  for (const origin of cors) {
    if (origin === "*") continue;
    const written = URL.canParse(origin) ? new URL(origin).origin : "null";
    // those of other schemes have no form of their own
    if (ORIGIN.test(origin) && (written === origin || written === "null")) continue;
    const meant = written === "null" ? "" : `: did you mean ${written}?`;
    throw invalid(
      `an origin is \`*\`, or a scheme, a host and a port, such as http://localhost:3000, found "${origin}"${meant}`,
    );
  }
  return cors;
}

/** A name or an address, without a scheme or a port. */
const HOST = /^(?:\*|\[?[\da-f.]*:[\da-f.]*:[\da-f:.]*\]?|[^\s:/?#@[\],]+)$/i;

/** What clients may have open. Throws `InputError`. */
export function openLimits(options: Partial<ServeOptions>): ConnectionLimits & ByteLimits {
  const limits = { ...OPEN } as Record<keyof typeof OPEN, number>;
  for (const name of Object.keys(OPEN) as (keyof typeof OPEN)[]) {
    const value = options[name] ?? OPEN[name];
    const least = name.endsWith("Bytes") ? most("bodyBytes") : 1;
    if (!Number.isInteger(value) || value < least)
      throw invalid(`\`${name}\` must be an integer from ${least}, found ${value}`);
    limits[name] = value;
  }
  return limits;
}

/** Seconds without an event until a stream has a ping; 0 or less: never. Throws `InputError`. */
export function pingIntervalOf({ ssePingInterval: seconds = PING_INTERVAL }: Partial<ServeOptions>): number {
  if (Number.isInteger(seconds) && seconds >= -1 && seconds <= 3600) return seconds;
  throw invalid(`\`ssePingInterval\` must be an integer from -1 to 3600, found ${seconds}`);
}

/** The names by which the server may be asked for. Throws `InputError`. */
export function hostsOf({ allowHosts = [] }: Partial<ServeOptions>): readonly string[] {
  for (const name of allowHosts)
    if (!HOST.test(name))
      throw invalid(`a host is \`*\`, or a name or address without a scheme and a port, found "${name}"`);
  return allowHosts.map((name) => name.replace(/^\[(.*)\]$/, "$1"));
}

const namesOf = (samplers: readonly NamedFile[]): string =>
  samplers.length === 0 ? "give it with --sampler NAME=FILE" : samplers.map(({ name }) => `\`${name}\``).join(", ");

/** Tokens of a text, with its prompt. Throws `InputError`. */
export function contextSizeOf({ contextSize, sequences = DEFAULTS.sequences }: ServeOptions, trained: number): number {
  const size = contextSize ?? Math.min(trained, CONTEXT_SIZE);
  if (size * sequences > MAX_CONTEXT)
    throw new InputError(
      `${sequences} sequences of ${size} tokens need a context of ${size * sequences} tokens, and the maximum is ${MAX_CONTEXT}: set fewer sequences or a smaller context`,
      { code: "LIMIT_EXCEEDED" },
    );
  return size;
}

/**
 * Sequences beyond those of the option: for clients, and for requests, that have none. One for requests, and one of 16 for clients; none
 * where a single text is written at once, and as few as fit in llama.cpp's limits.
 */
export function spareOf(sequences: number, contextSize: number): number {
  const wanted = sequences === 1 ? 0 : 1 + Math.ceil(sequences / 16);
  return Math.min(wanted, MAX_SEQUENCES - sequences, Math.floor(MAX_CONTEXT / contextSize) - sequences);
}

/**
 * With it, samplers take about as long as a decode of the model itself: of a small one, of as many texts as there are places, and bytes of a
 * larger one for a row.
 */
const DECODE_WORK = { least: 2 ** 22, sequence: 2 ** 18, modelBytes: 8 } as const;

/** Rows that the samplers of requests may compute in one decode together. */
export const decodeWorkOf = (
  { decodeWork, sequences = DEFAULTS.sequences }: ServeOptions,
  modelBytes: number,
): number =>
  decodeWork ??
  Math.max(DECODE_WORK.least, DECODE_WORK.sequence * sequences, Math.ceil(modelBytes / DECODE_WORK.modelBytes));

/** The model's names for requests, without those that are given twice. Throws `InputError` for one that is empty. */
export function modelNames(options: ServeOptions): readonly [string, ...string[]] {
  const [first = fileOf(options).replace(/\.gguf$/i, ""), ...more] = new Set([options.alias ?? []].flat());
  for (const name of [first, ...more])
    if (name === "") throw invalid("the name of a model must be a text that is not empty");
  return [first, ...more];
}

/** The name of the model's file, without its folder. */
export const fileOf = ({ model }: ServeOptions): string => model.replace(/^.*[\\/]/, "");
