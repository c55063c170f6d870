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
export interface Side {
  readonly us: Spread;
  readonly uploadUs: number;
  readonly computeUs: number;
  readonly downloadUs: number;
  readonly uploadBytes: number;
  readonly readbackBytes: number;
}

export interface GraphSide extends Side {
  readonly nodes: number;
  readonly nodesWithoutViews: number;
}

/** One line of `ggsl_replay time`. Ratios are GGSL's time over the other's, within each round. */
export interface Measurement {
  readonly case: string;
  readonly device: string;
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
  /** llama.cpp's samplers on the device; absent if it lacks one for a stage. */
  readonly llama?: GraphSide;
  readonly ratioToLlama?: Spread;
  readonly computeRatioToLlama?: Spread;
  readonly missingInLlama?: readonly string[];
  readonly setting: Setting;
}

export interface ProfiledNode {
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

export interface Timings {
  readonly date: string;
  readonly machine: Machine;
  readonly command: string;
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

export interface CompileTimings {
  readonly date: string;
  readonly machine: Machine;
  readonly command: string;
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

export interface ModelTimings {
  readonly date: string;
  readonly machine: Machine;
  readonly command: string;
  readonly measurements: readonly ModelMeasurement[];
}

/** The date, machine and command of a measurement. */
export const circumstances = (command: string): { date: string; machine: Machine; command: string } => ({
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

export const writeJson = (path: string, value: unknown): void =>
  writeWhole(path, `${JSON.stringify(value, undefined, 1)}\n`);
