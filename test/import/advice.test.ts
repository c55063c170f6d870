/** A model's own advice, `ggsl import` of its file and llama.cpp itself interpret the keys `general.sampling.*` alike. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "../../runtime/chain/chain.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { importFile, ImportError, type Imported } from "../../settings/from/import.js";
import { DEMO_MODEL } from "../model/demo.js";
import { loadOracle } from "../native/oracle.js";
import { ggufOf, sourceOf } from "./gguf.js";
import { llamaTokens } from "./oracle.js";

const PROMPT = "In the beginning";
const COUNT = 40;
const SEED = 21;

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "ggsl-advice-"))));
afterAll(() => rmSync(folder, { recursive: true }));

type Keys = Readonly<Record<string, number | string>>;

/** The demo model with such keys. */
function modelWith(keys: Keys): string {
  const path = join(folder, "model.gguf");
  const metadata = Object.fromEntries(Object.entries(keys).map(([key, value]) => [`general.sampling.${key}`, value]));
  loadOracle().rewriteModel(DEMO_MODEL, path, metadata, false);
  return path;
}

const fromLlama = (path: string, prompt: Int32Array): number[] =>
  llamaTokens(
    [["-m", path, "-c", "512", "-t", "1", "-tb", "1", "--no-warmup", "--seed", String(SEED)]],
    prompt,
    COUNT,
  )[0]!;

/** Adds a seed to every drawing stage without one. */
const seeded = (program: string): string =>
  program.replace(/\b(dist|xtc|mirostat|mirostat_v2|adaptive_p)\(([^()]*)\)/g, (_, name: string, args: string) =>
    args === "" ? `${name}(seed: ${SEED})` : `${name}(${args}, seed: ${SEED})`,
  );

async function generated(model: Model, program: string): Promise<number[]> {
  const tokens: number[] = [];
  const chain = compile(seeded(program));
  for await (const { token } of model.generate(PROMPT, { chain, maxTokens: COUNT })) tokens.push(token);
  return tokens;
}

/** The program without its leading comments, which name the source. */
const withoutHeader = (program: string): string => program.replace(/^\/\/.*\n+/gm, "");

const importOf = (bytes: Uint8Array): Imported => importFile(sourceOf(bytes), "model.gguf", undefined);
const imported = (path: string): string => importOf(readFileSync(path)).text;

describe("what llama.cpp accepts is accepted", () => {
  test.each<[string, Keys]>([
    ["a min_p above 1 keeps the best token", { min_p: 1.5, top_k: 0 }],
    ["a temperature below 0 keeps the best token", { temp: -1 }],
    ["a window below 0 turns the penalties off", { penalty_last_n: -1, penalty_repeat: 3.5 }],
    ["unknown samplers are ignored", { sequence: "top_k;nope;temp", top_k: 7, temp: 2.5 }],
    ["a list of no sampler that it knows leaves the draw", { sequence: "nope", top_k: 1 }],
    ["an empty list is ignored", { sequence: "", top_k: 3 }],
    ["names may have other forms and cases, but no blanks", { sequence: "topk;TEMP; min_p", top_k: 9, temp: 1.5 }],
    ["samplers without keys have their defaults", { sequence: "dry;typ_p;top_k", top_k: 12 }],
    ["adaptive_p picks at the end", { sequence: "adaptive_p;top_k", top_k: 12 }],
    ["a text may be a number", { temp: " 1.5", top_k: "20" }],
    ["numbers have six decimals, halfway to the even digit", { sequence: "min_p", min_p: 0.0390625 }],
    ["mirostat disables other samplers", { mirostat: 2, mirostat_tau: 3.5, top_k: 1 }],
  ])("%s", async (_, keys) => {
    const path = modelWith(keys);
    using model = await loadModel(path, { backend: "cpu" });
    const { text } = model.advice;
    expect(withoutHeader(imported(path))).toBe(withoutHeader(text ?? ""));
    const found = await generated(model, text!);
    expect(found.length).toBeGreaterThan(20);
    expect(found).toEqual(fromLlama(path, model.tokenize(PROMPT)).slice(0, found.length));
  });
});

describe("what llama.cpp refuses is refused", () => {
  test.each<[Keys, string]>([
    [{ penalty_repeat: 0 }, '"general.sampling.penalty_repeat" must be a number, > 0, found 0'],
    [{ penalty_repeat: -1.5 }, '"general.sampling.penalty_repeat" must be a number, > 0, found -1.5'],
    [{ mirostat: 3 }, '"general.sampling.mirostat" must be a whole number, in [0, 2], found 3'],
  ])("%j", async (keys, message) => {
    const path = modelWith(keys);
    using model = await loadModel(path, { backend: "cpu" });
    expect(model.advice.text).toBeUndefined();
    expect(model.advice.fault).toContain(message);
    expect(() => imported(path)).toThrow(ImportError);
    expect(() => imported(path)).toThrow(message);
    expect(() => fromLlama(path, model.tokenize(PROMPT))).toThrow("the oracle failed");
  });
});

// llama.cpp ignores a text that is not a number, and reads "1.5" as the integer 1
describe("a value that is not a number of its type is refused, which llama.cpp ignores", () => {
  test.each<[Keys, string]>([
    [{ temp: "hot" }, '"general.sampling.temp" must be a finite number, found "hot"'],
    [{ top_k: 1.5 }, '"general.sampling.top_k" must be a whole number, found 1.5'],
    [{ top_k: "1e2" }, '"general.sampling.top_k" must be a whole number, found "1e2"'],
  ])("%j", async (keys, message) => {
    const path = modelWith(keys);
    using model = await loadModel(path, { backend: "cpu" });
    expect(model.advice.text).toBeUndefined();
    expect(model.advice.fault).toContain(message);
    expect(() => imported(path)).toThrow(message);
  });
});

test("llama.cpp reads no lists in the metadata", () => {
  const { text, notes } = importOf(ggufOf({ "general.sampling.temp": ["f32s", [0.5]] }));
  expect(text).toContain("temperature: f32 >= 0 = 0.8");
  expect(notes).toMatchObject([{ kind: "idle", key: "general.sampling.temp" }]);
});
