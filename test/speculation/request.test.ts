/** Speculation in requests: lookup, drafts in batches, statistics, and bad input. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile, compilePipeline, InputError, loadModel, type Model } from "../../runtime/index.js";
import type { SequenceRequest } from "../../runtime/generation/generate.js";
import type { Speculate } from "../../runtime/decode/speculation/options.js";
import type { GenerationBatch } from "../../runtime/models/batch.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { MAMBA, writeModel } from "../model/architectures.js";
import { DEMO_MODEL, EXACT, loadExactModel, writeExactModel } from "../model/demo.js";
import { recorded, type Recorded } from "../model/recorded.js";
import { CHAINS, PROMPT, textOf } from "./chains.js";

let folder: string;
let model: Model;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-speculation-"));
  model = await loadExactModel({ backend: "cpu" });
});
afterAll(() => {
  model.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const greedy = { chain: compilePipeline("greedy()") };

test("a batch can mix texts with and without drafts; rows are added to its context once", async () => {
  const names = ["greedy", "default", "mirostat_v2", "penalties"];
  const wanted = await Promise.all(names.map((name) => textOf(model, CHAINS[name]!, { maxTokens: 24 })));
  using batch = model.batch({ sequences: 4, contextSize: 128 });
  const read = async (name: string, speculate?: Speculate) => {
    const { isByRow: _, ...request } = CHAINS[name]!;
    const generation = batch.add(PROMPT, { ...request, maxTokens: 24, ...(speculate && { speculate }) });
    const tokens: number[] = [];
    for await (const { token } of generation) tokens.push(token);
    return { tokens, stats: generation.stats() };
  };
  const ngram = { min: 1, tokens: 4, adapt: false };
  const found = await Promise.all(names.map((name, i) => read(name, i % 2 === 0 ? { ngram } : undefined)));
  expect(found.map(({ tokens }) => tokens)).toEqual(wanted.map(({ tokens }) => tokens));
  expect(found.map(({ stats }) => stats.drafted !== undefined)).toEqual([true, false, true, false]);
  const [again] = await Promise.all([read("greedy", { draft: model, tokens: 3, adapt: false }), read("default")]);
  expect(again.tokens).toEqual(wanted[0]!.tokens);
  expect(again.stats.accepted).toBeGreaterThan(10);
});

describe("a context that is watched", () => {
  let record: Recorded;
  beforeAll(async () => {
    const native = await loadBinding().loadModel(writeExactModel(folder), { gpuLayers: 0 });
    record = recorded(native, { ...EXACT, threads: 1 });
  });
  afterAll(() => record.native.dispose());

  const write = async (batch: GenerationBatch, request: SequenceRequest) => {
    const generation = batch.add(PROMPT, { ...request, ignoreEnd: true });
    const tokens: number[] = [];
    for await (const { token } of generation) tokens.push(token);
    return { tokens, stats: generation.stats() };
  };

  test("a text goes on by itself while no draft pays, and so do those beside it", async () => {
    const request = { chain: compilePipeline("temp(1.5) |> dist(1)"), maxTokens: 60 };
    for (const texts of [1, 3]) {
      using plain = record.open({ sequences: texts, contextSize: 128 });
      const wanted = await write(plain, request);
      record.batches.length = 0;
      using batch = record.open({ sequences: texts, contextSize: 128 });
      const speculate: Speculate = { ngram: { min: 3 } };
      const found = await Promise.all(Array.from({ length: texts }, () => write(batch, { ...request, speculate })));
      for (const { tokens, stats } of found) {
        expect(tokens).toEqual(wanted.tokens);
        expect(stats.decodes! + stats.accepted!).toBeGreaterThanOrEqual(tokens.length);
      }
      // what goes on by itself is no such batch
      expect(record.batches.length).toBeLessThan(request.maxTokens / 2);
    }
  });

  test("in a batch of many places only a text that is alone has drafts, in a cache of its own", async () => {
    using alone = record.open({ sequences: 1, contextSize: 128 });
    const { tokens } = await write(alone, { ...greedy, maxTokens: 40 });
    using batch = record.open({ sequences: 9, contextSize: 128 });
    const first = await write(batch, { ...greedy, maxTokens: 40, speculate: { ngram: { min: 1, adapt: false } } });
    expect(first.tokens).toEqual(tokens);
    expect(first.stats.accepted).toBeGreaterThan(10);
    const request = { ...greedy, maxTokens: 40, speculate: { ngram: { min: 1 } } };
    const both = await Promise.all([write(batch, request), write(batch, request)]);
    expect(both.map((one) => one.tokens)).toEqual([tokens, tokens]);
    expect(both.map(({ stats }) => stats.drafted)).toEqual([0, 0]);
  });
});

test("new uniforms between two tokens hold from the next one on, though rows were computed with the old ones", async () => {
  const chain = compile(`
    import { top_k, temp, dist } from "std"
    chain c(t: f32 > 0 = 0.2) = top_k(20) |> temp(t) |> dist(3)`);
  const write = async (speculate?: Speculate) => {
    const tokens: number[] = [];
    const generation = model.generate(PROMPT, { chain, maxTokens: 24, ...(speculate && { speculate }) });
    for await (const { token } of generation) {
      tokens.push(token);
      if (tokens.length % 5 === 0) generation.setUniforms({ t: tokens.length / 15 });
    }
    return tokens;
  };
  expect(await write({ ngram: { min: 1, adapt: false } })).toEqual(await write());
});

describe("bad input", () => {
  const codeOf = async (request: Partial<SequenceRequest>, of = model): Promise<string> => {
    try {
      for await (const _ of of.generate("In the beginning", { ...greedy, maxTokens: 3, ...request }));
    } catch (error) {
      expect(error).toBeInstanceOf(InputError);
      return `${(error as InputError).code}: ${(error as InputError).message}`;
    }
    return "no error";
  };
  afterEachIsUsable();

  test.each<[string, object, string]>([
    ["neither", {}, "INVALID_ARGUMENT: `speculate`: expected either `ngram` or `draft`, found neither"],
    ["no object", { ngram: 3 }, "INVALID_ARGUMENT: `speculate.ngram` must be an object, found 3"],
    [
      "tokens",
      { ngram: { tokens: 33 } },
      "INVALID_ARGUMENT: `speculate.ngram.tokens` must be an integer from 1 to 32, found 33",
    ],
    [
      "no tokens",
      { ngram: { tokens: 0 } },
      "INVALID_ARGUMENT: `speculate.ngram.tokens` must be an integer from 1 to 32, found 0",
    ],
    [
      "min above max",
      { ngram: { min: 5, max: 4 } },
      "INVALID_ARGUMENT: `speculate.ngram`: min is 5, and max is 4: expected min to be at most max",
    ],
    [
      "no model",
      { draft: {} },
      "INVALID_ARGUMENT: `speculate.draft` must be a model from `loadModel` or `loadModelFromBytes`",
    ],
  ])("%s", async (_, speculate, message) => {
    expect(await codeOf({ speculate: speculate as Speculate })).toBe(message);
  });

  test("both kinds of drafts", async () => {
    expect(await codeOf({ speculate: { ngram: {}, draft: model } })).toMatch("found both");
  });

  test("a draft model with another vocabulary", async () => {
    const path = join(folder, "other.gguf");
    // one letter of one token
    const bytes = readFileSync(DEMO_MODEL);
    const at = bytes.indexOf("heaven");
    expect(at).toBeGreaterThan(0);
    bytes.write("H", at);
    writeFileSync(path, bytes);
    using other = await loadModel(path, { backend: "cpu", contextSize: 256 });
    expect(await codeOf({ speculate: { draft: other } })).toMatch(
      /^VOCABULARY_MISMATCH: the draft model has another vocabulary: token \d+ is not the same text, or not of the same class/,
    );
  });

  test("a draft model that was disposed", async () => {
    const draft = await loadModel(DEMO_MODEL, { backend: "cpu", contextSize: 256 });
    draft.dispose();
    expect(await codeOf({ speculate: { draft } })).toMatch(/^DISPOSED: /);
  });

  test("a draft chain that cannot write drafts", async () => {
    const chain = compilePipeline("top_k(4) |> host dist(1)");
    expect(await codeOf({ speculate: { draft: model, chain } })).toMatch(/^SPECULATION_UNSUPPORTED: the chain/);
  });

  const guided = (after: string) =>
    compile(`
      import { top_k, dist${after === "" ? "" : `, ${after}`} } from "std"
      input other: logits
      sampler contrast() { logit += 0.3 * (logit - other) }
      chain c() = contrast |> ${after === "" ? "top_k(20) |> dist(1)" : `${after}(3, 0.1, 5)`}`);
  const guides = { other: { prompt: "And God said" } };

  test("a chain that reads another sequence and has states that depend on logits", async () => {
    const request = { chain: guided("mirostat_v2"), guides };
    expect(await codeOf({ ...request, speculate: { ngram: {} } })).toMatch(
      /^SPECULATION_UNSUPPORTED: the chain `c` reads the logits of another sequence, and its states depend on logits/,
    );
    expect(await codeOf(request)).toBe("no error");
    expect(await codeOf({ chain: guided(""), guides, speculate: { ngram: {} } })).toBe("no error");
  });

  test("a draft chain that reads another sequence", async () => {
    expect(await codeOf({ speculate: { draft: model, chain: guided("") } })).toMatch(
      /^SPECULATION_UNSUPPORTED: the chain `c` cannot write drafts: .* and read no other sequence/,
    );
  });

  test("a recurrent model", async () => {
    const path = join(folder, "mamba.gguf");
    writeModel(path, MAMBA);
    using mamba = await loadModel(path, { backend: "cpu", contextSize: 64, threads: 1 });
    expect(await codeOf({ speculate: { ngram: {} } }, mamba)).toMatch(
      /^SPECULATION_UNSUPPORTED: this model is recurrent: a draft that is refused cannot be taken back/,
    );
    expect(await codeOf({}, mamba)).toBe("no error");
  });

  function afterEachIsUsable(): void {
    afterAll(async () => {
      expect((await textOf(model, greedy, { maxTokens: 3 })).tokens).toHaveLength(3);
    });
  }
});
