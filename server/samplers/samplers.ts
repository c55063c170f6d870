/** The store of samplers: compiles in a worker thread what requests bring, and keeps what was used last. */
import { MAX_SOURCE_BYTES, readRegular, textOf, UnreadableFile } from "@ggsl/compiler/disk.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { toSpec } from "@ggsl/compiler/graph/json.js";
import type { Limits } from "@ggsl/compiler/limits/limits.js";
import type { Package } from "@ggsl/compiler/packages.js";
import { STD_NAMES } from "@ggsl/compiler/std/library.js";
import { chainOf } from "ggsl/chain/chain.js";
import { unlessAborted } from "ggsl/core/aborts.js";
import { Cache } from "ggsl/core/cache.js";
import { abortError, InputError, invalid } from "ggsl/core/errors.js";
import type { Lane } from "../lanes/lane.js";
import { SILENT, type Log } from "../log.js";
import type { Metrics } from "../metrics/metrics.js";
import { Refusal } from "../refusal.js";
import { disk } from "../disk.js";
import { checkCost } from "./cost.js";
import type { Compiled } from "./facts.js";
import { formOf, idOf, isId, isName, type Source } from "./form.js";
import type { PolicyFile } from "./policy.js";
import { Pool, type PoolReply, type Run } from "./pool.js";
import { workerScript, type Script } from "./script.js";
import type { CostLimits, Sampler, SamplerDiagnostic, SamplerRequest } from "./types.js";

export interface SamplersOptions {
  /** Tokens of the model's vocabulary. */
  readonly vocabSize: number;
  /** Samplers that are kept, beside those of the server; default 256. */
  readonly capacity?: number;
  /** The most that a sampler of a request may cost; those of the server are not limited. Limits of a key are on top of it. */
  readonly cost?: CostLimits | undefined;
  /** Limits of the compiler that replace those of `strict`. */
  readonly limits?: Partial<Limits> | undefined;
  /** The packages that programs of requests can import; default: none. */
  readonly libraries?: readonly Package[] | undefined;
  /** Stages of the server before those of all chains, and before their picks. */
  readonly policy?: PolicyFile | undefined;
  /** Threads that compile; default 1. */
  readonly threads?: number;
  /** Milliseconds that a source may take to compile; default 5000. */
  readonly deadline?: number;
  /** Megabytes of the heap of a thread; default 256. */
  readonly memory?: number;
  /** Sources that wait for a thread; more are refused. Default 128. */
  readonly waiting?: number;
  readonly metrics?: Metrics | undefined;
  readonly log?: Log | undefined;
  /** The thread; default: the one of this folder. */
  readonly script?: Script;
}

/** On whose behalf a sampler is compiled. */
export interface SamplerClient {
  /** Lanes take turns when many sources wait. */
  readonly lane: Lane;
  readonly limits: { readonly cost: CostLimits };
}

interface GetOptions {
  readonly client?: SamplerClient | undefined;
  /** Gives up waiting. The compilation goes on if others wait for it, or a thread works on it. */
  readonly signal?: AbortSignal | undefined;
}

interface Entry {
  readonly sampler: Sampler;
  /** For the same with another chain, or with a grammar. */
  readonly source: Source;
}

interface Pending {
  readonly entry: Promise<Entry>;
  readonly join: Run["join"];
  readonly cancel: Run["cancel"];
  waiting: number;
}

/** docs/security.md lists them. */
export const SAMPLER_LIMITS = {
  /** Characters of a program or pipeline: 64 KiB of plain text. A spec of 1000 nodes has more. */
  length: { program: 2 ** 16, pipeline: 2 ** 16, spec: 2 ** 20 },
  /** Milliseconds and megabytes to compile one. */
  deadline: 5000,
  memory: 256,
  /** Sources that wait for the compiler. */
  waiting: 128,
  /** Samplers that are kept, and characters of all their sources and graphs: a graph of the strict limits has up to a few hundred thousand. */
  kept: 256,
  room: 2 ** 26,
} as const;
/** Sources with errors that are remembered, so that a client that repeats one costs nothing. */
const REFUSED = { most: 64, room: 2 ** 22 } as const;
/** The server's own samplers are compiled in a lane of their own. */
const OWN_LANE: Lane = "server";

export class Samplers implements AsyncDisposable {
  readonly #options: SamplersOptions;
  readonly #pool: Pool;
  readonly #named = new Map<string, Entry>();
  readonly #kept: Cache<Entry>;
  readonly #refused = new Cache<Refusal>(REFUSED.most, REFUSED.room);
  readonly #pending = new Map<string, Pending>();
  readonly #log: Log;

  constructor(options: SamplersOptions) {
    const { kept, room, ...standard } = SAMPLER_LIMITS;
    const { capacity = kept, threads = 1, log = SILENT } = options;
    const { deadline = standard.deadline, memory = standard.memory, waiting = standard.waiting } = options;
    this.#options = options;
    this.#log = log;
    this.#kept = new Cache(capacity, room);
    this.#pool = new Pool({ script: options.script ?? workerScript(), threads, deadline, memory, waiting, log });
  }

  /**
   * Compiles a file, a program or a spec, and keeps it under a name until the store is closed. The file may import what is below its
   * folder. Throws `InputError` for a file that cannot be read or has errors, and for a name that is taken or not one.
   */
  async add(name: string, file: string): Promise<Sampler> {
    checkName(name, this.#named);
    return this.#addSource(name, { text: readSampler(file), own: { name, file } });
  }

  /** As `add`, for a program, pipeline or spec in a text. */
  async addText(name: string, text: string): Promise<Sampler> {
    checkName(name, this.#named);
    return this.#addSource(name, { text, own: { name } });
  }

  /**
   * The sampler of a request: the one that is kept, or compiled now. Requests for the same text wait for one compilation.
   * Throws a `Refusal` with `param: "sampler"`, or the reason of the signal.
   */
  async get(request: SamplerRequest, { client, signal }: GetOptions = {}): Promise<Sampler> {
    if (signal?.aborted) throw abortError(signal);
    const { source, known } = this.#find(request);
    const { sampler } = known ?? (await this.#compiled(source, client?.lane ?? OWN_LANE, signal));
    if (!source.own) checkCost(sampler, this.#options.cost ?? {}, "server");
    if (!source.own && client) checkCost(sampler, client.limits.cost, "key");
    return sampler;
  }

  /** A sampler by its name or id; undefined if it is not kept. */
  find(nameOrId: string): Sampler | undefined {
    return (this.#named.get(nameOrId) ?? this.#byId(nameOrId))?.sampler;
  }

  /** The samplers of the server. */
  get named(): readonly Sampler[] {
    return [...this.#named.values()].map(({ sampler }) => sampler);
  }

  /** Samplers that are kept, with those of the server. */
  get size(): number {
    return this.#named.size + this.#kept.size;
  }

  /** Sources that wait for a thread. */
  get waiting(): number {
    return this.#pool.waiting;
  }

  /** Ends the threads; compilations that wait are refused. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #addSource(name: string, { text, own }: Pick<Source, "text"> & { own: { name: string; file?: string } }) {
    const source: Source = { form: formOf(text), text, chain: undefined, constrained: false, own };
    try {
      const entry = await this.#compile(source, OWN_LANE).entry;
      const sampler = { ...entry.sampler, name };
      checkName(name, this.#named);
      this.#named.set(name, { ...entry, sampler });
      return sampler;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const found = error.diagnostics?.map((d) => d.text).join("\n\n") ?? error.message;
      throw new InputError(`the sampler "${name}" cannot be used:\n${found}`, { code: "INVALID_FILE", cause: error });
    }
  }

  // -------------------------------------------------------------- what a request means

  /** What is to be compiled, and the entry if it is kept. Throws a `Refusal`. */
  #find({ sampler, chain, constrained = false, rows, trace }: SamplerRequest): { source: Source; known?: Entry } {
    const text = textOfSampler(sampler);
    const named = this.#named.get(text);
    const origin = named ?? this.#byId(text);
    if (!origin) {
      if (isId(text)) throw unknown(`the server has no sampler ${text} any more: send its source again`);
      if (isName(text) && !STD_NAMES.includes(text)) throw unknown(this.#noName(text));
    }
    const { own, ...given } = origin?.source ?? { form: formOf(text), text, chain: undefined, constrained: false };
    const source: Source = {
      ...given,
      chain: chain ?? given.chain,
      constrained: constrained || given.constrained,
      ...((rows || given.rows) && { rows: true }),
      ...((trace || given.trace) && { trace: true }),
      ...(own && { own }),
    };
    const isSame = (["chain", "constrained", "rows", "trace"] as const).every((part) => source[part] === given[part]);
    if (!own) checkLength(source);
    if (chain !== undefined && source.form !== "program")
      throw new Refusal("invalid_request", `a ${source.form} has one chain, and \`${chain}\` cannot be chosen`, {
        param: "sampler_chain",
      });
    if (!origin || !isSame) return { source };
    this.#options.metrics?.sampler(named ? "named" : "hit");
    return { source, known: origin };
  }

  #byId(text: string): Entry | undefined {
    if (!isId(text)) return undefined;
    return this.#kept.get(text) ?? [...this.#named.values()].find(({ sampler }) => sampler.id === text);
  }

  #noName(text: string): string {
    const names = [...this.#named.keys()];
    const has = names.length === 0 ? "has no samplers of its own" : `has ${names.join(", ")}`;
    return `there is no sampler ${JSON.stringify(text)}: the server ${has}, beside those of the standard library`;
  }

  // -------------------------------------------------------------- compiling

  async #compiled(source: Source, lane: Lane, signal: AbortSignal | undefined): Promise<Entry> {
    const id = idOf(source);
    const { metrics } = this.#options;
    const known = this.#kept.get(id);
    if (known) {
      metrics?.sampler("hit");
      return known;
    }
    const refused = this.#refused.get(id);
    if (refused) {
      metrics?.sampler("hit");
      throw refused;
    }
    const present = this.#pending.get(id);
    metrics?.sampler(present ? "joined" : "miss");
    present?.join(lane);
    const pending = present ?? this.#compile(source, lane);
    pending.waiting++;
    try {
      return await unlessAborted(pending.entry, signal);
    } finally {
      // later requests for it start again
      if (--pending.waiting === 0 && pending.cancel()) this.#forget(id, pending);
    }
  }

  /** Hands a source to a thread, unless it is there already. */
  #compile(source: Source, lane: Lane): Pending {
    const id = idOf(source);
    const { vocabSize, limits = {}, libraries = [], policy } = this.#options;
    const { reply, join, cancel } = this.#pool.run({ source, vocabSize, limits, libraries, policy }, lane);
    const since = performance.now();
    const entry = reply.then((answer) => this.#entryOf(id, source, answer, (performance.now() - since) / 1000));
    const pending = { entry, join, cancel, waiting: 0 };
    this.#pending.set(id, pending);
    const forget = (): void => this.#forget(id, pending);
    // the last that waited may have given up
    entry.then(forget, forget);
    return pending;
  }

  #forget(id: string, pending: Pending): void {
    if (this.#pending.get(id) === pending) this.#pending.delete(id);
  }

  #entryOf(id: string, source: Source, reply: PoolReply, seconds: number): Entry {
    const { metrics } = this.#options;
    metrics?.compiled(reply.kind, seconds);
    if (reply.kind === "compiled") {
      const entry = { sampler: samplerOf(id, reply), source };
      // samplers of the server are kept by their names, and variants of them here
      const { graph, rows = "", underPolicy = "" } = reply;
      const size = source.text.length + graph.length + rows.length + underPolicy.length;
      if (!source.own || source.chain !== undefined || source.constrained || source.rows || source.trace)
        this.#kept.set(id, entry, size);
      return entry;
    }
    if (reply.kind === "invalid") {
      const refusal = new Refusal("invalid_sampler", messageOf(reply.diagnostics), {
        param: "sampler",
        diagnostics: reply.diagnostics,
      });
      this.#refused.set(id, refusal, JSON.stringify(reply.diagnostics).length);
      throw refusal;
    }
    if (reply.kind === "limit")
      throw new Refusal("compile_limit", `the sampler cannot be compiled: ${reply.message}`, { param: "sampler" });
    this.#log.error({ sampler: id, fault: reply.message }, "a sampler could not be compiled");
    throw new Refusal("compile_failed", "the sampler cannot be compiled: the compiler failed", { param: "sampler" });
  }
}

/** The body of `POST /v1/samplers`. */
export function samplerJson(sampler: Sampler): object {
  const { id, name, chainName: chain, chain: _, ...facts } = sampler;
  return { object: "sampler", id, ...(name !== undefined && { name }), chain, ...facts };
}

function samplerOf(id: string, { facts, graph: graphText, rows, underPolicy }: Compiled): Sampler {
  const graph = JSON.parse(graphText) as Graph;
  const run = underPolicy === undefined ? graph : (JSON.parse(underPolicy) as Graph);
  const rowsGraph = rows === undefined ? run : (JSON.parse(rows) as Graph);
  return { ...facts, id, spec: toSpec(graph), chain: chainOf(run, rowsGraph) };
}

function textOfSampler(sampler: unknown): string {
  if (typeof sampler === "string") return sampler;
  const isSpec = typeof sampler === "object" && sampler !== null && !Array.isArray(sampler);
  try {
    if (isSpec) return JSON.stringify(sampler);
  } catch {
    // nested deeper than any spec
  }
  throw new Refusal("invalid_request", "`sampler` must be a text or a graph spec", { param: "sampler" });
}

function checkLength({ form, text }: Source): void {
  const most = SAMPLER_LIMITS.length[form];
  if (text.length > most)
    throw new Refusal(
      "sampler_too_large",
      `the sampler has ${text.length} characters; a ${form} may have at most ${most}`,
      { param: "sampler" },
    );
}

const unknown = (message: string): Refusal => new Refusal("unknown_sampler", message, { param: "sampler" });

/** The first error with its place and help, and how many more there are. */
function messageOf(diagnostics: readonly SamplerDiagnostic[]): string {
  const [first, ...others] = diagnostics.filter(({ severity }) => severity === "error");
  if (!first) return "the sampler has errors";
  const { message, file, line, column, help } = first;
  const place = line === undefined ? "" : ` (${file!}:${line}:${column!})`;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return `${message}${place}${help === undefined ? "" : `: ${help}`}${more}`;
}

function checkName(name: string, taken: ReadonlyMap<string, unknown>): void {
  const fault = !isName(name)
    ? "a name begins with a letter, and consists of at most 64 letters, digits, dots, underscores and hyphens"
    : STD_NAMES.includes(name)
      ? "the standard library has a sampler of that name: choose another"
      : taken.has(name) && "there are two of that name";
  if (fault) throw invalid(`the sampler "${name}": ${fault}`);
}

function readSampler(file: string): string {
  try {
    return textOf(readRegular(disk, file, MAX_SOURCE_BYTES));
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new InputError(`"${file}" cannot be read: ${error.reason}`, { code: "UNREADABLE_FILE" });
  }
}
