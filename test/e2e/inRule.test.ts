/**
 * `in_rule` and `in_string` while a model writes JSON: what a sampler measures of each token is what a scanner of the text says, alone, in batches,
 * with drafts, taken back, saved and resumed; and the temperature of a rule is that of the tokens in it alone.
 */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readSpec, writeSpec } from "../../compiler/graph/json.js";
import { chainOf, compile, type Chain } from "../../runtime/chain/chain.js";
import type { GenerateOptions, Generation, Piece } from "../../runtime/generation/generate.js";
import type { Model } from "../../runtime/models/model.js";
import { labelledJson } from "../grammars/jsonLabels.js";
import { loadExactModel } from "../model/file.js";
import { rest, take } from "../model/reading.js";

let model: Model;
beforeAll(async () => void (model = await loadExactModel()));
afterAll(() => model.dispose());

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 3, maxLength: 12 },
    age: { type: "integer", minimum: 10, maximum: 99 },
    tags: { type: "array", items: { type: "string", maxLength: 6 }, minItems: 1, maxItems: 3 },
  },
  required: ["name", "age", "tags"],
  additionalProperties: false,
};
const uniforms = { g: { jsonSchema: SCHEMA, whitespace: "none" as const } };

const CHAIN: Chain = compile(`import { constrain, temp, dist } from "std"
sampler watched(g: grammar, cold: f32 > 0 = 0.3, warm: f32 > 0 = 1.5) {
  logit /= in_rule(g, "string") ? warm : cold
  measure quoted = in_string(g) ? 1 : 0
  measure key = in_rule(g, "key") ? 1 : 0
  measure number = in_rule(g, "number") ? 1 : 0
}
chain c(g: grammar, seed: seed = 11) = constrain(g) |> watched(g) |> dist(seed)`);

const open = (options: Partial<GenerateOptions> = {}): Generation =>
  model.generate("A person: ", { chain: CHAIN, uniforms, maxTokens: 120, ...options });

const tokensOf = (pieces: readonly Piece[]): number[] => pieces.map(({ token }) => token);
const textOf = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join("");

test("what is measured is what a scanner says of the next character", async () => {
  const pieces = await rest(open());
  const text = textOf(pieces);
  const { name, age } = JSON.parse(text) as { name: unknown; age: unknown };
  expect([typeof name, typeof age]).toEqual(["string", "number"]);
  const { labels } = labelledJson(text);
  let at = 0;
  const seen = new Set<string>();
  for (const { text: piece, measures } of pieces) {
    const names = labels[at];
    if (names && piece !== "") {
      expect([at, measures!["quoted"]]).toEqual([at, names.has("characters") ? 1 : 0]);
      // the schema has one kind of value at each place, so that a rule that may begin here does
      expect([at, measures!["key"]]).toEqual([at, names.has("key") ? 1 : 0]);
      expect([at, measures!["number"]! >= (names.has("number") ? 1 : 0)]).toEqual([at, true]);
      for (const name of names) seen.add(name);
    }
    at += piece.length;
  }
  expect([...seen].sort()).toEqual(["array", "characters", "key", "number", "object", "string"]);
});

test("from a spec, with drafts, in a batch, with alternatives: the same text", async () => {
  const wanted = tokensOf(await rest(open()));
  const spec = chainOf(readSpec(writeSpec(CHAIN.graph)));
  const ways: Readonly<Record<string, Partial<GenerateOptions>>> = {
    spec: { chain: spec },
    "each token": { ahead: 0 },
    drafts: { speculate: { ngram: { min: 1, tokens: 4, adapt: false } } },
    alternatives: { alternatives: 2 },
  };
  for (const [way, options] of Object.entries(ways))
    expect([way, tokensOf(await rest(open(options)))]).toEqual([way, wanted]);
  const batch = model.batch({ sequences: 2, contextSize: 512 });
  try {
    const texts = [11, 12].map((seed) =>
      batch.add("A person: ", { chain: CHAIN, uniforms: { ...uniforms, seed }, maxTokens: 120 }),
    );
    const [first] = await Promise.all(texts.map((one) => rest(one)));
    expect(tokensOf(first!)).toEqual(wanted);
  } finally {
    batch.dispose();
  }
});

test("taken back, saved and resumed", async () => {
  const wanted = tokensOf(await rest(open()));
  const generation = open();
  await take(generation, 12);
  generation.rewind(5);
  const saved = generation.save();
  expect(tokensOf(await rest(generation))).toEqual(wanted.slice(7));
  const resumed = model.generate(saved.tokens, { chain: CHAIN, uniforms, maxTokens: 113, resume: saved.sequence });
  expect(tokensOf(await rest(resumed))).toEqual(wanted.slice(7));
});

test("a rule that the schema has not is refused before the first token", async () => {
  const chain = compile(`import { constrain, greedy } from "std"
sampler s(g: grammar) { if in_rule(g, "nmber") { logit /= 2 } }
chain c(g: grammar) = constrain(g) |> s(g) |> greedy()`);
  await expect(rest(model.generate("A", { chain, uniforms }))).rejects.toMatchObject({
    code: "UNKNOWN_RULE",
    message: expect.stringContaining('did you mean "number"?') as unknown,
  });
});
