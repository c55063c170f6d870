/** The numbers of the server for Prometheus. */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { RefusalReason } from "../refusal.js";
import { Hold } from "./hold.js";

/** Numbers that are read when they are asked for. */
interface Sources {
  /** Texts that run, and the places for them. */
  readonly running?: () => number;
  readonly places?: () => number;
  /** Requests that wait for a place. */
  readonly waiting?: () => number;
  /** Chains in the model's graph. */
  readonly liveChains?: () => number;
  /** Samplers that are kept, and programs that wait for the compiler. */
  readonly samplers?: () => number;
  readonly compiling?: () => number;
  /** Connections that are open, and bytes of bodies of requests that are not answered. */
  readonly connections?: () => number;
  readonly bodyBytes?: () => number;
  /** Tokens that waited for a later decode. */
  readonly postponed?: () => number;
}

/** How a sampler was found. */
type Lookup = "hit" | "miss" | "joined" | "named";

/** How a compilation ended. */
type Outcome = "compiled" | "invalid" | "limit" | "failed";

const GAUGES: Readonly<Record<Exclude<keyof Sources, "postponed">, readonly [name: string, help: string]>> = {
  running: ["ggsl_running_texts", "Texts that are generated now"],
  places: ["ggsl_places", "Texts that can be generated at once"],
  waiting: ["ggsl_queue_length", "Requests that wait for a place"],
  liveChains: ["ggsl_live_chains", "Chains in the model's graph"],
  samplers: ["ggsl_samplers", "Compiled samplers that are kept"],
  connections: ["ggsl_connections", "Connections that are open"],
  bodyBytes: ["ggsl_body_bytes", "Bytes of bodies of requests that are not answered"],
  compiling: ["ggsl_compiler_queue_length", "Programs that wait for the compiler"],
};

/** Upper bounds in seconds: from a token of a small model on a device to a long prompt on a CPU. */
const TOKEN = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const WAIT = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const REQUEST = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const COMPILE = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** All in a registry of its own, so that several servers of a process do not share numbers. Times are in seconds. */
export class Metrics {
  readonly registry = new Registry();
  readonly #gauges = new Map(
    Object.entries(GAUGES).map(([key, [name, help]]) => [key, new Gauge({ name, help, registers: [this.registry] })]),
  );
  readonly #sources = new Map<string, () => number>();

  readonly #requests = this.#counter("ggsl_requests_total", "Requests that were answered", "route", "status");
  readonly #requestTime = this.#histogram("ggsl_request_seconds", "Time of a request", REQUEST, "route");
  readonly #refused = this.#counter("ggsl_refused_total", "Requests that were refused", "reason");
  readonly #queueTime = this.#histogram("ggsl_queue_seconds", "Time of a request in the queue", WAIT);
  readonly #tokens = this.#counter("ggsl_tokens_total", "Tokens that the model read and generated", "kind");
  readonly #drafted = this.#counter("ggsl_drafted_tokens_total", "Tokens that were decoded as drafts", "result");
  readonly #firstToken = this.#histogram("ggsl_first_token_seconds", "Time from a request to its first token", WAIT);
  readonly #nextToken = this.#histogram("ggsl_next_token_seconds", "Time between two tokens of a text", TOKEN);
  readonly #decode = this.#histogram("ggsl_decode_seconds", "Time of a decode of the batch", TOKEN);
  readonly #samplers = this.#counter("ggsl_sampler_lookups_total", "Samplers that requests asked for", "result");
  readonly #compiled = this.#histogram("ggsl_compile_seconds", "Time to compile a sampler", COMPILE, "result");
  readonly #postponed = this.#counter("ggsl_postponed_tokens_total", "Tokens that waited for a later decode");
  readonly #hold = new Hold();
  readonly #longestHold = new Gauge({
    name: "ggsl_event_loop_hold_seconds",
    help: "Longest time since the last look in which nothing was answered",
    registers: [this.registry],
  });
  // under Prometheus's own names for them
  readonly #memory = new Gauge({
    name: "process_resident_memory_bytes",
    help: "Memory of the process",
    registers: [this.registry],
  });
  readonly #cpu = this.#counter("process_cpu_seconds_total", "Time of the processor");

  /** The gauges read these from now on; further calls add to earlier ones. */
  read(sources: Sources): void {
    for (const [key, source] of Object.entries(sources) as [string, (() => number) | undefined][])
      if (source) this.#sources.set(key, source);
  }

  /** A request that was answered: its route, such as `/v1/completions`, never a path that a client chose. */
  request(route: string, status: number, seconds: number): void {
    this.#requests.inc({ route, status: String(status) });
    this.#requestTime.observe({ route }, seconds);
  }

  refused(reason: RefusalReason): void {
    this.#refused.inc({ reason });
  }

  /** Time in the queue. */
  admitted(waited: number): void {
    this.#queueTime.observe(waited);
  }

  tokens(kind: "prompt" | "generated", count: number): void {
    this.#tokens.inc({ kind }, count);
  }

  /** Tokens of drafts that were decoded, and how many of them the chain picked too. */
  drafted(count: number, accepted: number): void {
    this.#drafted.inc({ result: "accepted" }, accepted);
    this.#drafted.inc({ result: "refused" }, count - accepted);
  }

  /** Time from the request to its first token. */
  firstToken(seconds: number): void {
    this.#firstToken.observe(seconds);
  }

  /** Time between two tokens of a text. */
  nextToken(seconds: number): void {
    this.#nextToken.observe(seconds);
  }

  /** Time of a decode of the batch. */
  decoded(seconds: number): void {
    this.#decode.observe(seconds);
  }

  sampler(result: Lookup): void {
    this.#samplers.inc({ result });
  }

  compiled(result: Outcome, seconds: number): void {
    this.#compiled.observe({ result }, seconds);
  }

  /** Measures no more. */
  close(): void {
    this.#hold[Symbol.dispose]();
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** The text form. */
  text(): Promise<string> {
    for (const [key, gauge] of this.#gauges) gauge.set(this.#sources.get(key)?.() ?? 0);
    this.#postponed.reset();
    this.#postponed.inc(this.#sources.get("postponed")?.() ?? 0);
    this.#longestHold.set(this.#hold.longest());
    this.#memory.set(process.memoryUsage.rss());
    const { user, system } = process.cpuUsage();
    this.#cpu.reset();
    this.#cpu.inc((user + system) / 1e6);
    return this.registry.metrics();
  }

  #counter<Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: Label[]
  ): Histogram<Label> {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.registry] });
  }
}
