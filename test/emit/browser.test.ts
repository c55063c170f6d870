/** Chains in onnxruntime-web in Chromium, on WebAssembly and on WebGPU: the tokens of the reference. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openPage, type RuntimePage } from "../../bench/runtimes/browser.js";
import type { PageRuntime, PageText, Runtimes } from "../../bench/runtimes/page.js";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { makeLogits, ORDINARY_SHAPES } from "../parity/logits.js";
import { inBrowser } from "../playground/site.js";

const V = 2000;
/** Few, as WebGPU runs in software. */
const TOKENS = 2;

const CHAINS = [
  "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
  "min_p(0.05) |> temp(0.8) |> dist(1)",
  "top_p(0.95) |> dist(1)",
  "typical(0.95) |> temp_ext(1, 0.5) |> dist(5)",
  "penalties(64, 1.1) |> top_n_sigma(1) |> temp(0.7) |> dist(7)",
  "no_repeat_ngram(3) |> xtc(0.5, 0.1, seed: 3) |> dist(3)",
  "mirostat_v2(seed: 3)",
  "top_k(100) |> mirostat(seed: 4)",
  "eta(0.0003) |> gumbel(9)",
  "greedy()",
];

const TEXTS: readonly PageText[] = CHAINS.map((stages, i) => ({
  stages,
  logits: Array.from({ length: TOKENS }, (_, step) => {
    const shape = ORDINARY_SHAPES[(i + step) % ORDINARY_SHAPES.length]!;
    return [...makeLogits({ shape, vocabSize: V, seed: 100 * i + step + 1, dropped: 0 })];
  }),
}));

function expectedTokens({ stages, logits }: PageText): (number | null)[] {
  using evaluator = createEvaluator(compilePipeline(stages).graph, V, { backend: "reference" });
  return logits.map((values) => {
    const { token } = evaluator.evaluate(values);
    evaluator.accept();
    return token;
  });
}

inBrowser("onnxruntime-web in Chromium", () => {
  let opened: RuntimePage;
  beforeAll(async () => {
    opened = await openPage();
  });
  afterAll(async () => {
    await opened[Symbol.asyncDispose]();
  });

  test("WebGPU is there", async () => {
    // without an adapter, ONNX Runtime would refuse the provider
    const isThere = "navigator.gpu?.requestAdapter().then((adapter) => adapter !== null)";
    expect(await opened.page.evaluate(isThere)).toBe(true);
  });

  test.each<PageRuntime>(["ort-wasm", "ort-webgpu"])("10 chains on %s give the reference's tokens", async (runtime) => {
    const found = await opened.page.evaluate(
      async ([name, texts]) => {
        const { tokensOf } = (globalThis as unknown as { runtimes: Runtimes }).runtimes;
        const all: (number | null)[][] = [];
        for (const text of texts) all.push(await tokensOf(name, text));
        return all;
      },
      [runtime, TEXTS] as const,
    );
    expect(found.map((tokens, i) => [CHAINS[i], tokens])).toEqual(
      TEXTS.map((text) => [text.stages, expectedTokens(text)]),
    );
  });
});
