/**
 * `npm run soak -- --iterations 20000`: loads the demo model, runs generations that join, change, leave and are cancelled, and
 * unloads it, over and over; then checks that memory, open files and threads are what they were.
 *
 * Memory is the process's resident set, sampled after a garbage collection, so that it shows the native side. It is flat if the
 * medians of the third and the last quarter differ by at most 2 MB; the first half may warm up.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { compile, compilePipeline, type Chain } from "ggsl/chain/chain.js";
import type { GenerationBatch } from "ggsl/models/batch.js";
import { createEvaluator } from "ggsl/chain/evaluate.js";
import { loadModel } from "ggsl/models/model.js";
import { count, readArguments } from "./lib/arguments.js";
import { root } from "./lib/process.js";

const MODEL = join(root, "examples", "model", "demo-q8_0.gguf");
const SAMPLES = 400;
const TOLERANCE_MB = 2;
/** Before this many iterations, libraries are loaded and threads started. */
const WARM_UP = 20;

/** A chain with a uniform, one with a state and one that reads the text so far. */
const CHAINS: readonly Chain[] = [
  compile(`import { top_k, temp, dist } from "std"
chain warm(t: f32 > 0 = 1) = top_k(40) |> temp(t) |> dist(1)`),
  compilePipeline("top_p(0.9) |> mirostat_v2(5, 0.1, seed: 2)"),
  compilePipeline("penalties(64, 1.1) |> min_p(0.05) |> dist(3)"),
];

interface Sample {
  readonly iteration: number;
  /** Megabytes: 2^20 bytes. */
  readonly resident: number;
  readonly files: number;
  readonly threads: number;
}

export async function main(args: readonly string[]): Promise<number> {
  const { values } = readArguments("npm run soak -- [--iterations 20000]", {
    args,
    options: { iterations: { type: "string", default: "20000" } },
  });
  const iterations = Math.max(2 * WARM_UP, Number(count("iterations", values.iterations)));
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;

  const samples: Sample[] = [];
  const every = Math.max(1, Math.floor(iterations / SAMPLES));
  const start = performance.now();
  for (let i = 0; i <= iterations; i++) {
    if (i >= WARM_UP && i % every === 0) {
      collect();
      const sample = takeSample(i);
      samples.push(sample);
      if (i % (every * 20) === 0) console.log(`${line(sample)}, ${((performance.now() - start) / 1000).toFixed(0)} s`);
    }
    await iterate(i);
  }
  collect();
  samples.push(takeSample(iterations));
  return report(samples);
}

/** Loads, generates, unloads. */
async function iterate(i: number): Promise<void> {
  const model = await loadModel(MODEL, { backend: "cpu" });
  const batch = model.batch({ sequences: 2, contextSize: 64 });
  const cancelled = new AbortController();
  // three generations for two sequences: the last joins when one leaves, and brings another chain
  const all = [read(batch, i, 3), read(batch, i + 1, 3, cancelled.signal), read(batch, i + 2, 2)];
  setImmediate(() => cancelled.abort());
  await Promise.all(all);
  // a generation that is left in the middle keeps its context until the batch is disposed of
  for await (const _ of batch.add("In the", { chain: CHAINS[i % CHAINS.length]!, maxTokens: 4 })) break;
  batch.dispose();
  model.dispose();
  using evaluator = createEvaluator(CHAINS[0]!.graph, 32, { backend: "cpu", uniforms: { t: 1 } });
  evaluator.evaluate(new Float32Array(32));
}

async function read(batch: GenerationBatch, i: number, maxTokens: number, signal?: AbortSignal): Promise<void> {
  const chain = CHAINS[i % CHAINS.length]!;
  const hasUniform = chain === CHAINS[0];
  try {
    const options = { chain, maxTokens, ...(signal && { signal }), ...(hasUniform && { uniforms: { t: 0.8 } }) };
    const generation = batch.add("In the", options);
    for await (const _ of generation) if (hasUniform) generation.setUniforms({ t: 1 + (i % 7) / 10 });
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

function takeSample(iteration: number): Sample {
  const status = readFileSync("/proc/self/status", "utf8");
  return {
    iteration,
    resident: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) / 1024,
    files: readdirSync("/proc/self/fd").length,
    threads: readdirSync("/proc/self/task").length,
  };
}

const line = ({ iteration, resident, files, threads }: Sample): string =>
  `iteration ${iteration}: ${resident.toFixed(1)} MB, ${files} files, ${threads} threads`;

function report(samples: readonly Sample[]): number {
  const quarter = (n: number): number =>
    median(samples.slice(Math.floor((samples.length * n) / 4), Math.floor((samples.length * (n + 1)) / 4)));
  const medians = [0, 1, 2, 3].map(quarter);
  const [first, last] = [samples[0]!, samples.at(-1)!];
  const growth = medians[3]! - medians[2]!;
  console.log(`medians of the quarters: ${medians.map((m) => m.toFixed(1)).join(", ")} MB`);
  console.log(`first: ${line(first)}\nlast:  ${line(last)}`);
  const faults = [
    growth > TOLERANCE_MB && `memory grew by ${growth.toFixed(1)} MB from the third quarter to the last`,
    last.files !== first.files && `${last.files} files are open, ${first.files} at the beginning`,
    last.threads !== first.threads && `${last.threads} threads, ${first.threads} at the beginning`,
  ].filter((fault) => fault !== false);
  for (const fault of faults) console.error(`soak: ${fault}`);
  if (faults.length === 0)
    console.log(`soak: ok, ${growth >= 0 ? "+" : ""}${growth.toFixed(1)} MB over the second half`);
  return faults.length === 0 ? 0 : 1;
}

function median(samples: readonly Sample[]): number {
  const sorted = samples.map(({ resident }) => resident).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
