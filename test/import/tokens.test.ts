/** Imported settings of llama.cpp give llama.cpp's own tokens: both write with the demo model, from the same words. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeWire } from "../../compiler/graph/wire.js";
import { compile } from "../../runtime/chain/chain.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { exportLlama, toRequest } from "../../settings/to/export.js";
import { importFile, importWords } from "../../settings/from/import.js";
import { DEMO_MODEL } from "../model/demo.js";
import { expectSameText, OFF, textOf, upToEnd } from "../model/ties.js";
import { commandLines } from "./commandLines.js";
import { join as joinBytes, text, textSource, u32, u64 } from "./gguf.js";
import { llamaPicksNear, llamaTokens } from "./oracle.js";

const PROMPT = "In the beginning";
const COUNT = 60;
const RUN = ["-c", "512", "-t", "1", "-tb", "1", "--no-warmup"];

/** Command lines, one a line; every sampler and most options are in one of them. */
const CASES = `
--seed 1
--seed 2 --temp 0.6 --top-k 20 --top-p 0.95 --min-p 0
--seed 3 --samplers top_k;temperature;top_p --top-k 100 --temp 1.3 --top-p 0.8
--seed 4 --sampling-seq edkypmt --repeat_penalty 1.2 --repeat-last-n 32 --typical 0.9 --presence-penalty 0.4 --frequency-penalty 0.1
--seed 5 --mirostat 1 --mirostat-ent 1.5 --mirostat-lr 0.08
--seed 6 --mirostat 2 --mirostat-ent 3.5 --temp 1.2
--seed 7 --samplers min_p;adaptive_p --min-p 0.02 --adaptive-target 0.4 --adaptive-decay 0.8
--seed 8 --top-nsigma 1.2 --top-k 0 --top-p 1 --min-p 0 --temp 1.5
--seed 9 --dry-multiplier 0.8 --dry-allowed-length 1 --dry-penalty-last-n 40 --dry-base 1.5
--seed 10 --dynatemp-range 0.5 --dynatemp-exp 1.3 --temp 1.1
--seed 11 --xtc-probability 0.6 --xtc-threshold 0.05 --top-k 50 --samplers top_k;xtc;temp
--seed 12 --logit-bias 269-inf --logit-bias 259+2.5 -l 45-1
--temp 0 --repeat-penalty 1.3
--temp -1 --top-k 5
--seed 14 --samplers dry;typ_p;min_p;temp --typical-p 0.8 --dry-multiplier 1.2 --min-p 0.01
--seed 15 --sampler-seq kkt --top-k 7 --temp 0.9
--seed 4294967290 --samplers nucleus;TEMP
--seed 17 --samplers top-k;topp;typ --typical 0.5
--seed 18 --samplers temperature;penalties;min_p --repeat-penalty 1.5 --temp 2 --min-p 0.1
--seed 19 --temp 2 --min-p 1.5
`
  .trim()
  .split("\n")
  .map((line) => line.split(" "));

const BREAKERS = ["--seed", "9", "--dry-multiplier", "1", "--dry-allowed-length", "1", "--dry-sequence-breaker", "\\n"];
BREAKERS.push("--dry-sequence-breaker", " the");

let model: Model;
let prompt: Int32Array;
let eos: number;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-import-"));
  model = await loadModel(DEMO_MODEL, { backend: "cpu" });
  prompt = model.tokenize(PROMPT);
  ({ eos } = model.info);
});

afterAll(() => {
  model.dispose();
  rmSync(folder, { recursive: true });
});

async function ours(source: string): Promise<number[]> {
  const chain = compile(source, { file: "imported.ggsl" });
  return textOf(model, model.generate(PROMPT, { chain, maxTokens: COUNT }));
}

/** Programs by the words of llama.cpp's command line that they should be equal to. */
type Pairs = readonly (readonly [words: readonly string[], program: string])[];

/** Expects llama.cpp's texts, and gives the share of tokens before those that tie. */
async function expectLlamaTexts(pairs: Pairs, model = DEMO_MODEL): Promise<number> {
  const lines = pairs.map(([words]) => ["-m", model, ...RUN, ...words]);
  const texts = llamaTokens(lines, prompt, COUNT).map((tokens) => upToEnd(tokens, eos));
  let shared = 0;
  for (const [i, [words, program]] of pairs.entries()) {
    const picksNear = (follow: readonly number[]): readonly number[] => llamaPicksNear(lines[i]!, prompt, follow, OFF);
    try {
      shared += expectSameText(await ours(program), texts[i]!, picksNear);
    } catch (error) {
      throw new Error(`${words.join(" ")}: ${(error as Error).message}`, { cause: error });
    }
  }
  return shared / texts.flat().length;
}

test("command lines", async () => {
  const share = await expectLlamaTexts(CASES.map((words) => [words, importWords(words).text]));
  expect(share).toBeGreaterThan(0.9);
});

test("a request with the settings of a command line is the same chain", () => {
  for (const words of CASES) {
    const { text } = importWords(words);
    const request = JSON.stringify(toRequest(exportLlama({ name: "imported.ggsl", text })));
    const again = importFile(textSource(request), "request.json", "llama.cpp").text;
    const [here, there] = [compile(text).graph, compile(again).graph];
    expect([encodeWire(there), there.uniforms, there.params]).toEqual([encodeWire(here), here.uniforms, here.params]);
  }
});

/** xtc leaves rows in another order than llama.cpp's where they were in none, which other tokens follow from (docs/semantics.md). */
function hasOrderForXtc(words: readonly string[]): boolean {
  const of = (name: string): string | undefined => words[words.indexOf(name) + 1];
  const order = (words.includes("--samplers") ? of("--samplers")! : "").split(";");
  if (!order.includes("xtc") || !words.includes("--xtc-probability")) return true;
  const sorted = order.indexOf("top_k");
  return sorted >= 0 && sorted < order.indexOf("xtc") && (!words.includes("--top-k") || of("--top-k") !== "0");
}

test("random command lines", async () => {
  const lines = fc.sample(commandLines.filter(hasOrderForXtc), { numRuns: 40, seed: 20240517 });
  expect(await expectLlamaTexts(lines.map((words) => [words, importWords(words).text]))).toBeGreaterThan(0.9);
});

test("breakers, undone of their escapes", () => expectLlamaTexts([[BREAKERS, importWords(BREAKERS).text]]));

test("the keys of a model's file", async () => {
  // the demo model with keys put in front of its own
  const bytes = readFileSync(DEMO_MODEL);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const added = [
    joinBytes([text("general.sampling.sequence"), u32(8), text("temperature;top_k;min_p")]),
    joinBytes([text("general.sampling.top_k"), u32(5), u32(12)]),
    joinBytes([text("general.sampling.temp"), u32(6), new Uint8Array(Float32Array.of(1.4).buffer)]),
    joinBytes([text("general.sampling.min_p"), u32(6), new Uint8Array(Float32Array.of(0.03).buffer)]),
  ];
  const head = joinBytes([bytes.subarray(0, 16), u64(view.getBigUint64(16, true) + BigInt(added.length)), ...added]);
  const alignment = 32;
  const end = metadataEnd(bytes);
  const meta = Buffer.concat([head, bytes.subarray(24, end)]);
  const padding = Buffer.alloc((alignment - (meta.length % alignment)) % alignment);
  const file = join(folder, "keys.gguf");
  writeFileSync(file, Buffer.concat([meta, padding, bytes.subarray(Math.ceil(end / alignment) * alignment)]));

  const { text: program } = importFile(sourceOfFile(file), "keys.gguf", undefined);
  expect(program).toContain("temp(temperature) |> top_k(top_k) |> min_p(min_p)");
  await expectLlamaTexts([[["--seed", "21"], program.replace("dist()", "dist(21)")]], file);
});

const sourceOfFile = (path: string): Parameters<typeof importFile>[0] => {
  const bytes = readFileSync(path);
  return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
};

/** Where the descriptions of a file's keys and tensors end. */
function metadataEnd(bytes: Buffer): number {
  const sizes: Record<number, number> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 };
  let at = 24;
  const count = (): number => Number(bytes.readBigUInt64LE((at += 8) - 8));
  const u32At = (): number => bytes.readUInt32LE((at += 4) - 4);
  const move = (bytesToSkip: number): void => void (at += bytesToSkip);
  const skipText = (): void => move(count());
  const skip = (type: number): void => {
    if (type === 8) return skipText();
    if (type !== 9) return void (at += sizes[type]!);
    const inner = u32At();
    for (let n = count(); n > 0; n--) skip(inner);
  };
  const [tensors, keys] = [Number(bytes.readBigUInt64LE(8)), Number(bytes.readBigUInt64LE(16))];
  for (let i = 0; i < keys; i++) {
    skipText();
    skip(u32At());
  }
  for (let i = 0; i < tensors; i++) {
    skipText();
    move(8 * u32At() + 4 + 8);
  }
  return at;
}
