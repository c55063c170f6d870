/** What the page in Chromium does. Its functions take and give plain data. */
import { compilePipeline } from "ggsl";
import { createEvaluator } from "ggsl/chain/evaluate.js";
import { createOnnxEvaluator } from "ggsl/onnx";
import type { Ort } from "ggsl/onnx/ort.js";
import { loadWasm } from "ggsl/backends/wasm/loader.js";
import { normalLogits } from "../logits.js";
import { alternate, type Rounds, type Side, type SideTimes } from "./chains.js";

/** ONNX Runtime's providers, and GGSL's own WebAssembly. */
export type PageRuntime = "ort-wasm" | "ort-webgpu" | "ggsl";

/** One text: its chain, and the logits of each token. */
export interface PageText {
  readonly stages: string;
  readonly logits: readonly (readonly number[])[];
}

interface Runner {
  evaluate(logits: Float32Array): { readonly token: number | null } | Promise<{ readonly token: number | null }>;
  accept(): void;
  dispose(): unknown;
}

async function open(runtime: PageRuntime, stages: string, vocabSize: number): Promise<Runner> {
  const { graph } = compilePipeline(stages);
  if (runtime === "ggsl") {
    await loadWasm();
    return createEvaluator(graph, vocabSize, { backend: "wasm" });
  }
  const provider = runtime === "ort-wasm" ? "wasm" : "webgpu";
  const ort = (await import(`/ort/ort.${provider}.bundle.min.mjs`)) as Ort & { env: { wasm: { numThreads: number } } };
  ort.env.wasm.numThreads = 1;
  return createOnnxEvaluator(graph, vocabSize, {
    ort,
    // WebGPU has no f64
    ...(provider === "webgpu" && { sums: "f32" as const }),
    session: { executionProviders: [provider] },
  });
}

async function tokensOf(runtime: PageRuntime, { stages, logits }: PageText): Promise<(number | null)[]> {
  const runner = await open(runtime, stages, logits[0]!.length);
  const tokens: (number | null)[] = [];
  for (const values of logits) {
    tokens.push((await runner.evaluate(Float32Array.from(values))).token);
    runner.accept();
  }
  await runner.dispose();
  return tokens;
}

const NAMES: Readonly<Record<PageRuntime, string>> = {
  "ort-wasm": "onnxruntime-web, WASM, in Chromium",
  "ort-webgpu": "onnxruntime-web, WebGPU in software, in Chromium",
  ggsl: "GGSL wasm in Chromium",
};

/** Rounds of all runtimes in turn, with the logits of the other sides. */
async function timesOf(stages: string, vocabSize: number, rounds: Rounds): Promise<SideTimes[]> {
  const logits = normalLogits(vocabSize);
  const sides: Side[] = [];
  for (const [runtime, name] of Object.entries(NAMES) as [PageRuntime, string][]) {
    const runner = await open(runtime, stages, vocabSize);
    sides.push({ name, run: async () => (await runner.evaluate(logits)).token, end: () => runner.dispose() });
  }
  return alternate(sides, rounds);
}

const runtimes = { tokensOf, timesOf };
export type Runtimes = typeof runtimes;
Object.assign(globalThis, { runtimes });
