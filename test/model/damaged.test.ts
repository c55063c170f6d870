/** Damaged model files: a clear error instead of the end of the process. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ModelError } from "../../runtime/core/errors.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { probeModel } from "../../runtime/models/modelProbe.js";
import { damagedModels, withArchitecture, withKeys, withTypeOfLastTensor } from "./damaged.js";
import { DEMO_MODEL } from "./file.js";

const good = readFileSync(DEMO_MODEL);
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-damaged-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, bytes: Buffer): string {
  const path = join(folder, `${name}.gguf`);
  writeFileSync(path, bytes);
  return path;
}

/** In a process of its own, which must survive all files. */
function tryModels(files: readonly string[], probe: boolean): string[] {
  const program = ["test/model/probe.mjs", `${probe}`, ...files];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, program, { encoding: "utf8" });
  if (status !== 0) throw new Error(`the process ended by ${signal ?? `status ${status}`}\n${stdout}${stderr}`);
  return JSON.parse(stdout) as string[];
}

describe("what makes llama.cpp end its process is found before", () => {
  const EPS = "llama.attention.layer_norm_rms_epsilon";
  test.each<[string, Buffer, RegExp]>([
    ["no layer", withKeys(good, { "llama.block_count": 0 }), /llama.block_count: expected 1 to 512, found 0$/],
    ["too many layers", withKeys(good, { "llama.block_count": 513 }), /block_count: expected 1 to 512, found 513$/],
    ["layers beyond 2^31", withKeys(good, { "llama.block_count": 0xffffffff }), /found 4294967295$/],
    [
      "more prediction layers than layers",
      withKeys(good, { "llama.nextn_predict_layers": 5 }),
      /nextn_predict_layers: expected at most the 4 layers of the model, found 5$/,
    ],
    ["a negative eps", withKeys(good, { [EPS]: -0.5 }), /rms_epsilon: expected a number of 0 or more, found -0.5$/],
    ["eps is NaN", withKeys(good, { [EPS]: NaN }), /rms_epsilon: expected a number of 0 or more, found -?nan$/],
    ["eps is infinite", withKeys(good, { [EPS]: -Infinity }), /rms_epsilon: expected .*, found -inf$/],
    [
      "two tokens with one text",
      find("texts of tokenizer.ggml.tokens filled with 97"),
      /the tokens \d+ and \d+ of the vocabulary have the same text, "a+"$/,
    ],
    ["no tokens", find("tokenizer.ggml.tokens: count 0"), /./],
    [
      "too many experts",
      withKeys(good, { "llama.expert_count": 1025, "llama.expert_used_count": 2 }),
      /llama.expert_count: expected at most 1024, found 1025$/,
    ],
    [
      "no expert is used",
      withKeys(good, { "llama.expert_count": 8 }),
      /expert_used_count: expected 1 or more of 8 experts, found 0$/,
    ],
    [
      "experts of none are used",
      withKeys(good, { "llama.expert_used_count": 2 }),
      /expert_used_count: expected none of 0 experts, found 2$/,
    ],
    [
      "more groups than experts",
      withKeys(good, { "llama.expert_count": 8, "llama.expert_used_count": 2, "llama.expert_group_count": 8 }),
      /expert_group_count: expected fewer than the 8 experts, found 8$/,
    ],
    [
      "groups of different size",
      withKeys(good, { "llama.expert_count": 8, "llama.expert_used_count": 2, "llama.expert_group_count": 3 }),
      /8 experts in 3 groups, of which 0 are used: expected groups of equal size/,
    ],
    [
      "an unknown scaling of positions",
      withKeys(good, { "llama.rope.scaling.type": "square" }),
      /rope.scaling.type: expected none, linear, yarn or longrope, found "square"$/,
    ],
    ["integers as weights", withTypeOfLastTensor(good, 24), /blk.3.ffn_up.weight has the type i8, with which nothing/],
    [
      "words of tokens that are bytes",
      withKeys(readFileSync("build/llama.cpp/models/ggml-vocab-llama-spm.gguf"), { "tokenizer.ggml.model": "bert" }),
      /the token \d+ of its vocabulary of words is a byte, which such a vocabulary has not$/,
    ],
    [
      "RWKV's tokens without a byte",
      withKeys(good, { "tokenizer.ggml.model": "rwkv" }),
      /the token \d+ of the vocabulary begins with the byte \d+, which is no token: each such byte must be one$/,
    ],
    [
      "words between blanks of a vocabulary that keeps blanks",
      withKeys(good, { "tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "whitespace" }),
      /tokenizer.ggml.pre is whitespace, and tokenizer.ggml.model gpt2: expected both to be whitespace$/,
    ],
    ["many keys", withMoreKeys(20_000), /it has 200\d\d keys, at most 4096 are allowed$/],
    [
      "many tensors",
      Buffer.concat([good.subarray(0, 8), Buffer.from([0, 0, 1, 0, 0, 0, 0, 0]), good.subarray(16)]),
      /it has 65536 tensors, at most 16384 are allowed$/,
    ],
    [
      "ggml's own type as weights",
      withTypeOfLastTensor(good, 9),
      /ffn_up.weight has the type q8_1, with which nothing/,
    ],
  ])("%s", async (name, bytes, expected) => {
    const path = write(name.replace(/\W/g, "-"), bytes);
    const error = await loadModel(path, { backend: "cpu" }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ code: "INVALID_MODEL", message: expect.stringMatching(expected) });
  });
});

function withMoreKeys(count: number): Buffer {
  return withKeys(good, Object.fromEntries(Array.from({ length: count }, (_, i) => [`extra.${i}`, i])));
}

test("thousands of keys are read in no time", async () => {
  const model = await loadModel(write("keys", withMoreKeys(4000)), { backend: "cpu" });
  const before = performance.now();
  for (let i = 0; i < 10; i++) expect(Object.keys(extraOf(model))).toHaveLength(4000);
  expect(performance.now() - before).toBeLessThan(5000);
  model.dispose();
});

const extraOf = ({ info }: Model): Record<string, string> =>
  Object.fromEntries(Object.entries(info.metadata).filter(([key]) => key.startsWith("extra.")));

function find(name: string): Buffer {
  for (const damaged of damagedModels(good)) if (damaged.name === name) return damaged.bytes;
  throw new Error(`no damage is named "${name}"`);
}

test("a good model passes the checks and the probe", async () => {
  await expect(probeModel(DEMO_MODEL, good.length)).resolves.toBeUndefined();
  // its keys written anew
  const path = write("good", withKeys(good, { "llama.block_count": 4, "general.name": "a copy" }));
  expect(tryModels([path], true)).toEqual(["ok"]);
});

test("a model that makes llama.cpp end its process ends only the child", () => {
  // llama.cpp asserts that models of this architecture have experts
  const path = write("smallthinker", withArchitecture(good, "smallthinker"));
  const [found] = tryModels([path], true);
  expect(found).toMatch(
    /^ModelError MODEL_CRASH: .*smallthinker.gguf" ended the process that tried it \(SIGABRT: GGML_/,
  );
  expect(() => tryModels([path], false)).toThrow(/ended by SIGABRT/);
});

test("a model without causal attention is refused", () => {
  const path = write("dream", withArchitecture(good, "dream"));
  expect(tryModels([path], false)).toEqual([expect.stringMatching(/^ModelError INVALID_MODEL: .* causal attention/)]);
});

test("a child that is killed is an error here", async () => {
  const bytes = statSync(DEMO_MODEL).size;
  await expect(probeModel(DEMO_MODEL, bytes, 0.001)).rejects.toMatchObject({
    name: "ModelError",
    code: "MODEL_CRASH",
    message: expect.stringMatching(/killed in the process that tried it, which took more than 0.001 s or all memory/),
  });
});

test("a child that refuses a model gives its reason", async () => {
  const path = write("renamed", find("blk.3.ffn_up.weight renamed"));
  await expect(probeModel(path, 1)).rejects.toMatchObject({
    code: "INVALID_MODEL",
    message: expect.stringMatching(/^cannot load .*renamed.gguf: llama.cpp said: .*blk.3.ffn_up.weight/),
  });
});

/** Some of the damages; with GGSL_DAMAGED=1 all of them. */
const STEP = Number(process.env["GGSL_DAMAGED"] ?? 150);

test("no damage ends the process", () => {
  const files: string[] = [];
  let count = 0;
  for (const { bytes } of damagedModels(good)) if (count++ % STEP === 0) files.push(write(`${count}`, bytes));
  expect(count).toBeGreaterThan(2000);
  const found = tryModels(files, true);
  expect(found).toHaveLength(files.length);
  const unknown = found.filter((text) => !/^(ok$|ModelError (INVALID_MODEL|MODEL_CRASH): |InputError )/.test(text));
  expect(unknown).toEqual([]);
});
