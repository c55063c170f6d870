/**
 * `write` while a model writes: the text is that of a greedy chain up to the place, then the tokens of the written text, then what a greedy chain
 * goes on with after them; alone, in batches, with drafts, taken back, saved and resumed, with and without the model being asked.
 */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readSpec, writeSpec } from "../../compiler/graph/json.js";
import { chainOf, compile, type Chain } from "../../runtime/chain/chain.js";
import type { GenerateOptions, Generation, Piece } from "../../runtime/generation/generate.js";
import type { Model } from "../../runtime/models/model.js";
import { endless, loadExactModel } from "../model/file.js";
import { rest, take } from "../model/reading.js";

const PROMPT = "In the beginning";
const COUNT = 30;
const AT = 5;
const TEXT = " But then, at last, it ended.";
let model: Model;
let wanted: number[];
let written: number[];

const greedy = compile('import { logit_bias, greedy } from "std"\nchain c = logit_bias() |> greedy()');
const tokensOf = (pieces: readonly Piece[]): number[] => pieces.map(({ token }) => token);
const bestAfter = async (tokens: readonly number[], count: number): Promise<number[]> =>
  tokensOf(await rest(model.generate(Int32Array.from(tokens), { chain: greedy, maxTokens: count, ...endless(model) })));

beforeAll(async () => {
  model = await loadExactModel();
  const prompt = [...model.tokenize(PROMPT)];
  // without what the model adds around a text, which is there in one without characters
  written = [...model.tokenize(TEXT)].slice(model.tokenize("").length);
  const before = await bestAfter(prompt, AT);
  const after = await bestAfter([...prompt, ...before, ...written], COUNT - AT - written.length);
  wanted = [...before, ...written, ...after];
});
afterAll(() => model.dispose());

/** The condition holds from the place on: the text is written once. */
const chainWith = (more: string): Chain =>
  compile(`import { logit_bias, greedy } from "std"
sampler late(place: i32, static text: text) {
  write text when step >= place
  ${more}
}
chain c(place: i32 = ${AT}) = logit_bias() |> late(place, ${JSON.stringify(TEXT)}) |> greedy()`);
const ASKED = "measure rows = n";

const open = (chain: Chain, options: Partial<GenerateOptions> = {}): Generation =>
  model.generate(PROMPT, { chain, maxTokens: COUNT, ...endless(model), ...options });

test.each([
  ["", "without the model"],
  [ASKED, "with the model"],
])("the text comes at its place: %j, %s", async (more) => {
  expect(written.length).toBeGreaterThan(4);
  const generation = open(chainWith(more));
  expect(tokensOf(await rest(generation))).toEqual(wanted);
  expect(generation.stats()).toMatchObject({ forcedTokens: written.length, generatedTokens: COUNT });
});

test("at the beginning, where another uniform says so, and never", async () => {
  const chain = chainWith("");
  const prompt = [...model.tokenize(PROMPT)];
  const first = tokensOf(await rest(open(chain, { uniforms: { place: 0 } })));
  expect(first).toEqual([...written, ...(await bestAfter([...prompt, ...written], COUNT - written.length))]);
  expect(tokensOf(await rest(open(chain, { uniforms: { place: 99 } })))).toEqual(await bestAfter(prompt, COUNT));
});

test("from a spec, with drafts, with alternatives and in a batch", async () => {
  for (const chain of [chainWith(""), chainWith(ASKED)]) {
    const ways: Readonly<Record<string, [Chain, Partial<GenerateOptions>]>> = {
      spec: [chainOf(readSpec(writeSpec(chain.graph))), {}],
      drafts: [chain, { speculate: { ngram: { min: 1, tokens: 4, adapt: false } } }],
      alternatives: [chain, { alternatives: 2 }],
    };
    for (const [way, [own, options]] of Object.entries(ways))
      expect([way, tokensOf(await rest(open(own, options)))]).toEqual([way, wanted]);
    const batch = model.batch({ sequences: 2, contextSize: 512 });
    try {
      const places = await Promise.all(
        [AT, 0].map(async (at) =>
          tokensOf(
            await rest(batch.add(PROMPT, { chain, maxTokens: COUNT, uniforms: { place: at }, ...endless(model) })),
          ),
        ),
      );
      expect(places[0]).toEqual(wanted);
      expect(places[1]!.slice(0, written.length)).toEqual(written);
    } finally {
      batch.dispose();
    }
  }
});

test("taken back, saved and resumed within the text that is written, it goes on", async () => {
  const chain = chainWith("");
  const generation = open(chain);
  await take(generation, AT + 4);
  generation.rewind(2);
  expect(generation.stats()).toMatchObject({ forcedTokens: 2 });
  const saved = JSON.parse(JSON.stringify(generation.save().sequence)) as NonNullable<GenerateOptions["resume"]>;
  const { tokens } = generation.save();
  expect(saved).toMatchObject({ writing: { write: 0, at: 2 } });
  expect(tokensOf(await rest(generation))).toEqual(wanted.slice(AT + 2));
  const resume = (from: typeof saved): Generation =>
    model.generate(tokens, { chain, maxTokens: COUNT - AT - 2, resume: from, ...endless(model) });
  expect(tokensOf(await rest(resume(saved)))).toEqual(wanted.slice(AT + 2));
  expect(() => resume({ ...saved, writing: { write: 0, at: 99 } })).toThrow("this is not a saved sequence");
  const before = open(chain);
  await take(before, AT + written.length + 2);
  before.rewind(written.length + 4);
  expect(tokensOf(await rest(before))).toEqual(wanted.slice(AT - 2));
});

test("a grammar is told of tokens that it does not allow, and waits", async () => {
  const chain = compile(`import { constrain, greedy } from "std"
sampler late() { write ${JSON.stringify(TEXT)} when step == 3 }
chain c(g: grammar = "root ::= [a-z ]{200}") = constrain(g) |> late() |> greedy()`);
  const generation = model.generate(PROMPT, { chain, maxTokens: 3 + written.length + 5 });
  const pieces = await rest(generation);
  expect(tokensOf(pieces.slice(3, 3 + written.length))).toEqual(written);
  const others = [...pieces.slice(0, 3), ...pieces.slice(3 + written.length)].map(({ text }) => text).join("");
  expect(others).toMatch(/^[a-z ]+$/);
  // "B", the comma and the point are in some of them
  const { disallowedTokens } = generation.stats();
  expect(disallowedTokens).toBeGreaterThan(2);
  expect(disallowedTokens).toBeLessThanOrEqual(written.length);
});

test("stop texts end it, and its phrases stay", async () => {
  const stopped = open(chainWith(""), { stop: ["at last"] });
  const text = (await rest(stopped)).map((piece) => piece.text).join("");
  expect(text.endsWith(" But then, ")).toBe(true);
  expect(stopped.stats()).toMatchObject({ finish: "stop", stopText: "at last" });
  const banned = open(chainWith(""), { bannedPhrases: ["at last"] });
  expect(tokensOf(await rest(banned))).toEqual(wanted);
  expect(banned.stats()).toMatchObject({ keptPhrases: 1, rewinds: 0 });
});
