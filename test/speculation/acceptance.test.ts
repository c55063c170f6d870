/**
 * A model that drafts for itself guesses each token that the text gets: its chain sees the same step, draws, states and parts of the text.
 * Weights and cache are f32, so that logits of one row and of several are nearly equal, and a draw hardly ever falls between them.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { STD_NAMES } from "../../compiler/std/library.js";
import { STD_SAMPLERS } from "../../compiler/std/samplers.js";
import { compile, type Chain, type Model, type UniformValues } from "../../runtime/index.js";
import type { SequenceRequest } from "../../runtime/generation/generate.js";
import type { Speculate } from "../../runtime/decode/speculation/options.js";
import { loadExactModel } from "../model/demo.js";
import { PROMPT } from "./chains.js";

let model: Model;
beforeAll(async () => {
  model = await loadExactModel({ backend: "cpu" });
});
afterAll(() => model.dispose());

/** Five tokens are written in one decode, but the first, which comes from the prompt. */
const TOKENS = 31;
const DRAFT = 4;

const DECLARATIONS = `
sampler by_prompt() { logit += (prompt_length + step) % 3 == token % 3 ? 1 : 0 }
sampler by_step() { logit /= step < 8 ? 0.4 : 1.2 }
sampler no_own_token() { keep occurrences(-1, in: generated) == 0 }
sampler warmer() {
  state seen: i32 = 0
  logit /= 0.5 + 0.02 * seen
  after pick { seen += 1 }
}
sampler calmer() {
  state surprise: f32 = 3
  logit /= 0.3 + 0.2 * surprise
  pick sample(5)
  after pick { surprise = 0.8 * surprise + 0.2 * -log2(picked(prob)) }
}
sampler other_token() { keep step % 7 != 3 or token == 300 }
sampler listed(some: tokens(8)) { logit += token in some ? 6 : 0 }
sampler watched() { measure place = step }`;

const chains = new Map<string, Chain>();
function chain(stages: string, params = ""): Chain {
  const text = `${DECLARATIONS}\nchain c(${params}) = ${stages}`;
  const names = STD_NAMES.filter((name) => new RegExp(`\\b${name}\\b`).test(stages));
  const known = chains.get(text) ?? compile(`import { ${names.join(", ")} } from "std"\n${text}`, { chain: "c" });
  chains.set(text, known);
  return known;
}

interface Options {
  readonly request?: Partial<SequenceRequest>;
  /** Given before the tokens with these numbers. */
  readonly settings?: ReadonlyMap<number, UniformValues>;
  /** How many tokens are taken back after this one. */
  readonly rewind?: readonly [at: number, count: number];
}

/** A text with its tokens, and what was drafted. */
async function write(text: Chain, { request, settings, rewind }: Options, speculate?: Speculate) {
  const asked = { ...request, chain: text, maxTokens: TOKENS, ...(speculate && { speculate }) };
  const generation = model.generate(PROMPT, asked);
  const tokens: number[] = [];
  let isRewound = false;
  for await (const { token } of generation) {
    tokens.push(token);
    if (rewind && !isRewound && tokens.length === rewind[0]) {
      generation.rewind(rewind[1]);
      tokens.length -= rewind[1];
      isRewound = true;
    }
    const values = settings?.get(tokens.length);
    if (values) generation.setUniforms(values);
  }
  const { drafted = 0, accepted = 0 } = generation.stats();
  return { tokens, drafted, accepted };
}

/** The tokens without drafts, once for each chain and its options. */
const plain = new Map<Chain, Map<string, Promise<readonly number[]>>>();
function wantedOf(text: Chain, options: Options): Promise<readonly number[]> {
  const known = plain.get(text) ?? new Map<string, Promise<readonly number[]>>();
  plain.set(text, known);
  const key = JSON.stringify(options, (_, value: unknown) => (value instanceof Map ? [...value] : value));
  const tokens = known.get(key) ?? write(text, options).then((written) => written.tokens);
  known.set(key, tokens);
  return tokens;
}

/** The text with drafts is that without, and each drafted token is accepted. */
async function checkSelf(text: Chain, options: Options = {}, drafting?: Chain): Promise<void> {
  const wanted = await wantedOf(text, options);
  const speculate = { draft: model, tokens: DRAFT, adapt: false, ...(drafting && { chain: drafting }) };
  const { tokens, drafted, accepted } = await write(text, options, speculate);
  expect(tokens).toEqual(wanted);
  expect({ accepted }).toEqual({ accepted: drafted });
  expect(drafted).toBeGreaterThanOrEqual(12);
}

const samplers = STD_SAMPLERS.filter(({ guides }) => guides.length === 0);
const pipelines = [
  ...samplers.map(({ example, picks }) => (picks ? example : `${example} |> temp(0.9) |> dist(7)`)),
  "penalties(64, 1.1, 0.1, 0.1) |> xtc(0.5, 0.05, seed: 7) |> adaptive_p(0.3, seed: 3)",
  "by_prompt |> dist(7)",
  "by_step |> gumbel(7)",
  "no_own_token |> dist(1)",
  "warmer |> top_k(40) |> dist(9)",
  "top_k(40) |> calmer",
];

/** Tokens that end a text would end it early, and draft less. */
const request = { ignoreEnd: true };

describe("the chain of the text is the draft's", () => {
  test.each(pipelines)("%s", (stages) => checkSelf(chain(stages), { request }));
});

describe("another chain that picks the same tokens", () => {
  test.each(pipelines)("%s", (stages) => checkSelf(chain(stages), { request }, chain(`watched |> ${stages}`)));
});

/** By example: what a request gives the text's chain, the draft's has as well. */
const requests: Readonly<Record<string, readonly [stages: string, params: string, options: Options]>> = {
  uniforms: ["temp(t) |> dist(s)", "t: f32 = 1, s: seed = 1", { request: { uniforms: { t: 0.7, s: 99 } } }],
  "uniforms that change": [
    "temp(t) |> dist(s)",
    "t: f32 = 1, s: seed = 1",
    { settings: new Map([6, 16, 26].map((at) => [at, { t: at / 20, s: at }])) },
  ],
  "a set that changes": [
    "listed(a) |> dist(3)",
    "a: tokens(8) = tokens(1, 2, 5, 300)",
    { settings: new Map([[11, { a: [500, 501, 502, 503] }]]) },
  ],
  seed: ["top_k(40) |> gumbel()", "", { request: { seed: 12 } }],
  biases: ["logit_bias() |> dist(5)", "", { request: { feed: { bias: new Map([[300, 3]]) } } }],
  "logits that are fed": [
    "contrastive(0.1, 0.5) |> dist(5)",
    "",
    { request: { feed: { inputs: { amateur: Array.from({ length: 2048 }, (_, i) => Math.sin(i)) } } } },
  ],
  "a grammar": [
    "constrain(g) |> dist(5)",
    "g: grammar",
    { request: { uniforms: { g: { regex: "( ?[a-z]{2,5}[,.]?)*" } } } },
  ],
  "the fewest tokens": [
    "constrain(g) |> dist(5)",
    "g: grammar",
    { request: { minTokens: 20, ignoreEnd: false, uniforms: { g: { regex: "[a-z ]{90}" } } } },
  ],
  "tokens that are taken back": ["top_k(40) |> calmer", "", { rewind: [11, 9] }],
  "tokens that are taken back, with draws": ["penalties(64, 1.1, 0.1, 0.1) |> dist(4)", "", { rewind: [11, 11] }],
  "tokens that are taken back after other uniforms": [
    "temp(t) |> calmer",
    "t: f32 = 1",
    { settings: new Map([[6, { t: 0.8 }]]), rewind: [16, 12] },
  ],
};

describe.each(Object.entries(requests))("%s", (_, [stages, params, options]) => {
  const asked = { ...options, request: { ...request, ...options.request } };
  test("of the text's chain", () => checkSelf(chain(stages, params), asked));
  test("of another one", () => checkSelf(chain(stages, params), asked, chain(`watched |> ${stages}`, params)));
});

describe("seeds that are left open are the text's", () => {
  test.each(["dist()", "watched |> dist()"])("%s", async (drafting) => {
    const speculate = { draft: model, tokens: DRAFT, adapt: false, chain: chain(drafting) };
    const { drafted, accepted } = await write(chain("dist()"), { request }, speculate);
    expect(drafted).toBeGreaterThan(20);
    expect(accepted).toBe(drafted);
  });
});

describe("a text that is resumed", () => {
  const stages = ["by_prompt |> dist(7)", "by_step |> gumbel(7)", "top_k(40) |> calmer", "no_own_token |> dist(1)"];
  const cases = stages.flatMap((one) => [one, `watched |> ${one}`].map((drafting) => [one, drafting] as const));
  test.each(cases)("%s, drafted by %s", async (one, drafting) => {
    const text = chain(one);
    const whole = await write(text, { request });
    const begun = model.generate(PROMPT, { ...request, chain: text, maxTokens: 12 });
    for await (const _ of begun);
    const { tokens, sequence } = begun.save();
    const asked = { ...request, chain: text, maxTokens: TOKENS - 12, resume: sequence };
    const speculate = { draft: model, tokens: DRAFT, adapt: false, chain: chain(drafting) };
    const resumed = model.generate(tokens, { ...asked, speculate });
    const rest: number[] = [];
    for await (const { token } of resumed) rest.push(token);
    expect(rest).toEqual(whole.tokens.slice(12));
    expect(resumed.stats().drafted).toBeGreaterThan(10);
    expect(resumed.stats().accepted).toBe(resumed.stats().drafted);
  });
});

describe("after a token that the draft did not guess", () => {
  /** Of each draft, what comes before a step at which the text's chain takes a token that the draft's does not pick. */
  function expected(): { drafted: number; accepted: number } {
    let [drafted, accepted] = [0, 0];
    for (let at = 1; at < TOKENS;) {
      const length = Math.min(DRAFT, TOKENS - at - 1);
      const right = Array.from({ length }, (_, i) => (at + i) % 7).indexOf(3);
      drafted += length;
      accepted += right < 0 ? length : right;
      at += 1 + (right < 0 ? length : right);
    }
    return { drafted, accepted };
  }

  const stages = [
    ...["other_token |> dist(7)", "other_token |> top_k(40) |> gumbel(7)", "other_token |> by_prompt |> dist(7)"],
    ...["other_token |> penalties(64, 1.1, 0.5, 0.5) |> dist(4)", "other_token |> no_own_token |> dist(1)"],
    ...["other_token |> warmer |> top_k(40) |> dist(9)", "xtc(0.5, 0.05, seed: 7) |> other_token |> dist(7)"],
  ];
  test.each(stages)("%s", async (one) => {
    const text = chain(one);
    const speculate = { draft: model, tokens: DRAFT, adapt: false, chain: chain(one.replace("other_token |> ", "")) };
    const { tokens } = await write(text, { request });
    const { tokens: found, ...counts } = await write(text, { request }, speculate);
    expect(found).toEqual(tokens);
    expect(counts).toEqual(expected());
  });
});

test("a draft's chain whose grammar does not accept the text writes no drafts, and the text goes on", async () => {
  const text = chain("dist(7)");
  const speculate = {
    draft: model,
    tokens: DRAFT,
    adapt: false,
    chain: chain('constrain("root ::= [0-9]+") |> dist(7)'),
  };
  const { tokens, drafted } = await write(text, { request }, speculate);
  expect(tokens).toEqual((await write(text, { request })).tokens);
  expect(drafted).toBe(0);
});

test("values that the draft's chain does not take are an error", async () => {
  const text = chain("temp(t) |> dist(7)", "t: f32 = 1");
  const speculate = { draft: model, chain: chain("temp(t) |> dist(7)", "t: f32 in [0, 1] = 1") };
  const settings = new Map([[2, { t: 1.5 }]]);
  await expect(write(text, { settings }, speculate)).rejects.toThrow("`t` must be");
});
