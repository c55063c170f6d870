/** The measurements, in the form of the C++ tool's output and of the files in bench/results/. */
import { cpus } from "node:os";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Setting } from "./cases/timings.js";

/** Quartiles over the rounds. */
export interface Spread {
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
}

/** Microseconds and bytes per token of all sequences. */
interface Side {
  readonly us: Spread;
  readonly uploadUs: number;
  readonly computeUs: number;
  readonly downloadUs: number;
  readonly uploadBytes: number;
  readonly readbackBytes: number;
}

interface GraphSide extends Side {
  readonly nodes: number;
  readonly nodesWithoutViews: number;
}

/** One line of `ggsl_replay time`. Ratios are GGSL's time over the other's, within each round. */
export interface Measurement {
  readonly case: string;
  readonly device: string;
  /** The variant of the CPU backend. */
  readonly variant?: string;
  readonly threads: number;
  readonly vocab: number;
  readonly rows: number;
  readonly rounds: number;
  /** How many sequences picked the same token as llama.cpp in the first run. */
  readonly sameAsHost: number;
  readonly sameAsLlama?: number;
  readonly ggsl: GraphSide;
  /** llama.cpp's samplers on the CPU. */
  readonly host: Side;
  readonly ratioToHost: Spread;
  /** GGSL's graph with small ops one by one; on the CPU. */
  readonly alone?: GraphSide;
  readonly ratioToAlone?: Spread;
  /** llama.cpp's samplers on the device; absent if it lacks one for a stage. */
  readonly llama?: GraphSide;
  readonly ratioToLlama?: Spread;
  readonly computeRatioToLlama?: Spread;
  readonly missingInLlama?: readonly string[];
  readonly setting: Setting;
}

interface ProfiledNode {
  readonly op: string;
  readonly name: string;
  readonly us: number;
  readonly bytes: number;
}

/** One line of `ggsl_replay profile`. */
export interface Profile {
  readonly case: string;
  readonly side: "ggsl" | "llama";
  readonly device: string;
  readonly threads: number;
  readonly wholeUs: number;
  /** The start-up time of a graph with one node; it is part of each node's time. */
  readonly startUs: number;
  readonly nodes: readonly ProfiledNode[];
}

export interface Machine {
  readonly arch: string;
  readonly processor: string;
  readonly processors: number;
}

/** When, where and how something was measured. */
interface Circumstances {
  readonly date: string;
  readonly machine: Machine;
  readonly command: string;
}

export interface Timings extends Circumstances {
  readonly measurements: readonly Measurement[];
  readonly profiles: readonly Profile[];
}

/** One kind of compilation, over several runs. */
export interface CompileMeasurement {
  readonly name: string;
  readonly stages: number;
  readonly nodes: number;
  /** In a process that has compiled before. */
  readonly warmMs: Spread;
  /** The first compilation in a fresh process, and the load time of the compiler before it. */
  readonly coldMs: Spread;
  readonly loadMs: Spread;
  /** Reachable heap after the first compilation, and the process's memory at that time. */
  readonly heapMiB: number;
  readonly rssMiB: number;
}

export interface CompileTimings extends Circumstances {
  readonly compilations: readonly CompileMeasurement[];
  /** `ggsl check` of a file of 100 lines: the whole process, and an empty Node.js process. */
  readonly check: { readonly lines: number; readonly ms: Spread; readonly nodeMs: Spread };
}

/** A number with its target. */
export interface ModelMeasurement {
  readonly what: string;
  readonly unit?: string;
  readonly most?: number;
  readonly least?: number;
  /** A spread for times; a number for what is counted. */
  readonly found: Spread | number;
}

export interface ModelTimings extends Circumstances {
  readonly measurements: readonly ModelMeasurement[];
}

/** Texts written by llama.cpp's samplers in one way. Spreads are over rounds; ratios compare one round. */
export interface LlamaTexts {
  readonly way: string;
  readonly tokensPerSecond: Spread;
  /** Microseconds of all threads for a token, and of the wall clock for samplers and copies of logits. */
  readonly cpuUs: Spread;
  readonly samplingUs: Spread;
  /** GGSL's tokens a second over those of this way. */
  readonly ratio: Spread;
  readonly tokens: number;
  /** How many texts are the same as GGSL's. */
  readonly sameTexts: number;
}

/** Texts written at the same time, with one chain. */
export interface TextsMeasurement {
  /** The chain, and where it was no default the model, the queue and the threads. */
  readonly chain: string;
  /** Texts at the same time. */
  readonly sequences: number;
  /** All of them, where some wait for a place of others. */
  readonly texts?: number;
  readonly rounds: number;
  /** The tokens of all texts in a round. */
  readonly tokens: number;
  readonly tokensPerSecond: Spread;
  readonly cpuUs: Spread;
  /** Microseconds for a token by thread, medians. */
  readonly threads: Readonly<Record<string, number>>;
  readonly llama: readonly LlamaTexts[];
}

/** Texts of which each has a chain of its own, beside as many with one chain. */
export interface OwnChains {
  readonly sequences: number;
  /** Time over the time with one chain, of one round. */
  readonly timeRatio: Spread;
}

export interface TextsTimings extends Circumstances {
  readonly measurements: readonly TextsMeasurement[];
  readonly ownChains?: OwnChains;
}

/** The requests of a round to one server. Spreads are over rounds; ratios compare one round, and are GGSL's over this server's. */
export interface ServerSide {
  readonly side: string;
  readonly requestsPerSecond: Spread;
  /** Milliseconds until the first token, and between two: the median of a round, and the 99th of 100. */
  readonly firstMs: Spread;
  readonly first99Ms: Spread;
  readonly nextMs: Spread;
  readonly next99Ms: Spread;
  /** The time of the processor in all threads, for 256 requests. */
  readonly cpuSeconds: Spread;
  readonly requestsRatio?: Spread;
  readonly cpuRatio?: Spread;
}

export interface ServerMeasurement {
  readonly work: string;
  readonly clients: number;
  readonly rounds: number;
  /** In a round. */
  readonly requests: number;
  readonly sides: readonly ServerSide[];
}

export interface ServerTimings extends Circumstances {
  readonly measurements: readonly ServerMeasurement[];
}

/** A graph on a GPU, by the model of native/replay/work.h: for one token of every sequence. */
export interface GraphWork {
  readonly nodes: number;
  readonly nodesWithoutViews: number;
  readonly launches: number;
  readonly bytes: number;
}

/** `llama` is absent if llama.cpp lacks a sampler, or cannot run it on a device. */
export interface FamilyWork {
  readonly ggsl: GraphWork;
  readonly llama?: GraphWork;
}

/** One line of `ggsl_replay count`. */
export interface WorkCount {
  readonly chain: string;
  readonly vocab: number;
  readonly rows: number;
  readonly cuda: FamilyWork;
  readonly vulkan: FamilyWork;
}

/** What goes over a worker's link for one decode of all sequences. */
export interface RpcTraffic {
  readonly vocab: number;
  readonly sequences: number;
  readonly placement: "graph" | "host";
  /** Bytes to the worker and back, and turns of speech. */
  readonly up: number;
  readonly down: number;
  readonly turns: number;
}

/** Tokens a second of all sequences with small ops in bundles and one by one. Spreads are over rounds; the ratio compares one round. */
export interface BundledTexts {
  readonly threads: number;
  readonly sequences: number;
  readonly bundled: Spread;
  readonly alone: Spread;
  readonly ratio: Spread;
}

export interface BundleTimings extends Circumstances {
  readonly measurements: readonly Measurement[];
  readonly texts: readonly BundledTexts[];
}

/** Tokens a second of all sequences over a link. Spreads are over rounds; the ratio compares one round. */
export interface RpcSpeed {
  readonly link: string;
  readonly vocab: number;
  readonly sequences: number;
  readonly graph: Spread;
  readonly host: Spread;
  readonly ratio: Spread;
}

/** Bytes to the worker while a model is loaded. */
export interface LoadTraffic {
  readonly name: string;
  readonly up: number;
}

export interface RpcTimings extends Circumstances {
  /** The delay of the links, each way. */
  readonly milliseconds: number;
  readonly traffic: readonly RpcTraffic[];
  readonly speeds: readonly RpcSpeed[];
  readonly loads: readonly LoadTraffic[];
}

/** One chain in one runtime. */
export interface RuntimeSide {
  readonly side: string;
  /** Microseconds for a token, with the upload of the logits. */
  readonly us: Spread;
  readonly rounds: number;
  /** Whether the token is that of GGSL's CPU backend. */
  readonly isSame: boolean;
}

export interface RuntimeMeasurement {
  readonly chain: string;
  readonly stages: string;
  readonly sides: readonly RuntimeSide[];
  /** The time of `evaluate` over that of the native call in it, of one round. */
  readonly evaluateRatio: Spread;
}

export interface RuntimeTimings extends Circumstances {
  readonly vocab: number;
  readonly measurements: readonly RuntimeMeasurement[];
}

/** What a model does in WebAssembly and with the native CPU backend, in tokens a second. */
export interface WasmComparison {
  /** Of ggml's CPU backend: the best for the processor, or the one of GGSL_CPU_VARIANT. */
  readonly variant: string;
  readonly what: string;
  readonly native: Spread;
  readonly wasm: Spread;
  /** Time in WebAssembly over the native time. */
  readonly timeRatio: Spread;
}

export interface WasmTexts extends Circumstances {
  readonly comparisons: readonly WasmComparison[];
}

export const circumstances = (command: string): Circumstances => ({
  date: new Date().toISOString().slice(0, 10),
  machine: { arch: process.arch, processor: cpus()[0]?.model ?? "unknown", processors: cpus().length },
  command,
});

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = q * (sorted.length - 1);
  const below = sorted[Math.floor(place)]!;
  return below + (sorted[Math.ceil(place)]! - below) * (place % 1);
}

export const spreadOf = (values: readonly number[]): Spread => ({
  q1: quantile(values, 0.25),
  median: quantile(values, 0.5),
  q3: quantile(values, 0.75),
});

export const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;

/** Writes a file atomically. */
export function writeWhole(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.partial`, text);
  renameSync(`${path}.partial`, path);
}

/** A line for each member, and for each element of a list among them: a measurement is one line. */
export function writeJson(path: string, value: object): void {
  const elements = (list: readonly unknown[], indent: string): string =>
    `[\n${list.map((one) => `${indent} ${JSON.stringify(one)}`).join(",\n")}\n${indent}]`;
  const member = ([name, one]: [string, unknown]): string =>
    ` ${JSON.stringify(name)}: ${Array.isArray(one) ? elements(one, " ") : JSON.stringify(one)}`;
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  writeWhole(path, Array.isArray(value) ? `${elements(value, "")}\n` : `{\n${members.map(member).join(",\n")}\n}\n`);
}
