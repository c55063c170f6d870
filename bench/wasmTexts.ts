/**
 * `npm run bench:wasm-texts`: texts of the demo model in WebAssembly beside those of the native CPU backend, one thread, through the public
 * interface, alternating; and prompts, which are matrix products and attention alone. Adds to bench/results/wasm-texts.json, for the
 * variant of ggml's CPU backend that GGSL_CPU_VARIANT names.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compile, loadModel, loadModelFromBytes, type Model } from "ggsl";
import { formatTable } from "ggsl/core/table.js";
import { countOf, runMain } from "./main.js";
import { spreadText } from "./report/table.js";
import { circumstances, readJson, spreadOf, writeJson, type WasmComparison, type WasmTexts } from "./results.js";
import { DEMO } from "./texts/parts.js";
import { ONE_CHAIN, PROMPT } from "./texts/chains.js";
import { ROOT } from "./tool.js";

const USAGE = `usage: npm run bench:wasm-texts -- [--rounds N]
Needs the module with llama.cpp: npm run build:wasm -- --llama
`;
const RESULTS = join(ROOT, "bench", "results", "wasm-texts.json");
const TOKENS = 200;
const CONTEXT_SIZE = 256;
const SEQUENCES = [1, 8];
/** Uncounted rounds, in which V8 optimizes. */
const WARM_UP = 3;

const chain = compile(ONE_CHAIN.source(0));
let texts = 0;

/** Tokens a second of texts that are written at the same time. */
async function write(model: Model, sequences: number): Promise<number> {
  using batch = model.batch({ sequences });
  const start = performance.now();
  let tokens = 0;
  const writeOne = async (): Promise<void> => {
    for await (const _ of batch.add(PROMPT, { chain, uniforms: { seed: ++texts }, maxTokens: TOKENS })) tokens++;
  };
  await Promise.all(Array.from({ length: sequences }, writeOne));
  return tokens / ((performance.now() - start) / 1e3);
}

/** Tokens a second of a prompt, no two of which begin alike. */
async function read(model: Model): Promise<number> {
  const first = ++texts;
  const prompt = Int32Array.from({ length: TOKENS }, (_, i) => 300 + ((i * 7 + first * 13) % 700));
  const start = performance.now();
  await model.logits(prompt);
  return TOKENS / ((performance.now() - start) / 1e3);
}

await runMain(USAGE, async (signal) => {
  const { values } = parseArgs({ options: { rounds: { type: "string", default: "9" }, help: { type: "boolean" } } });
  if (values.help) return void process.stdout.write(USAGE);
  const rounds = countOf("--rounds", values.rounds);
  const variant = process.env["GGSL_CPU_VARIANT"] ?? "best";
  using native = await loadModel(DEMO.model, { backend: "cpu", threads: 1, contextSize: CONTEXT_SIZE });
  using wasm = await loadModelFromBytes(readFileSync(DEMO.model), { contextSize: CONTEXT_SIZE });
  const measure = async (what: string, run: (model: Model) => Promise<number>): Promise<WasmComparison> => {
    const [a, b]: [number[], number[]] = [[], []];
    for (let round = -WARM_UP; round < rounds; round++) {
      signal.throwIfAborted();
      const [ours, theirs] = [await run(native), await run(wasm)];
      if (round < 0) continue;
      a.push(ours);
      b.push(theirs);
    }
    const timeRatio = spreadOf(a.map((speed, i) => speed / b[i]!));
    return { variant, what, native: spreadOf(a), wasm: spreadOf(b), timeRatio };
  };
  const found: WasmComparison[] = [];
  for (const count of SEQUENCES) found.push(await measure(`texts, ${count} at a time`, (model) => write(model, count)));
  found.push(await measure("a prompt", read));
  const before = existsSync(RESULTS) ? readJson<WasmTexts>(RESULTS).comparisons : [];
  const comparisons = [...before.filter((one) => one.variant !== variant), ...found];
  const rows = found.map((c) => [c.what, ...[c.native, c.wasm, c.timeRatio].map(spreadText)]);
  process.stdout.write(`${formatTable(["what", "native tokens/s", "wasm tokens/s", "time ratio"], rows)}\n`);
  writeJson(RESULTS, { ...circumstances("npm run bench:wasm-texts"), comparisons });
});
