/** Where texts end: stop texts, the fewest tokens, texts that do not end; and what becomes of a generation that has ended. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { assertValid } from "../../compiler/graph/verify.js";
import { chainOf, compilePipeline } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import type { GenerateOptions, Generation, Piece } from "../../runtime/generation/generate.js";
import { endValues, withEnds } from "../../runtime/generation/ends.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { DEMO_MODEL, endless } from "../model/file.js";

const PROMPT = "In the beginning";
let model: Model;
beforeAll(async () => void (model = await loadModel(DEMO_MODEL, { threads: 1 })));
afterAll(() => model.dispose());

const ENDLESS = compilePipeline("logit_bias() |> top_k(20) |> temp(0.9) |> dist(4)");
const start = (options: Partial<GenerateOptions>): Generation =>
  model.generate(PROMPT, { chain: ENDLESS, maxTokens: 40, contextSize: 256, ...endless(model), ...options });

async function read(generation: Generation): Promise<{ pieces: Piece[]; tokens: number[]; text: string }> {
  const pieces: Piece[] = [];
  for await (const piece of generation) pieces.push(piece);
  return { pieces, tokens: pieces.map(({ token }) => token), text: pieces.map(({ text }) => text).join("") };
}

describe("stop texts", () => {
  test("end the text where it would have them, whatever its tokens are", async () => {
    const whole = await read(start({}));
    // from the middle of each third token to the middle of a later one
    for (let from = 3; from < 30; from += 9) {
      const begin = whole.pieces.slice(0, from).reduce((sum, { text }) => sum + text.length, 1);
      const stop = whole.text.slice(begin, begin + 9);
      const generation = start({ stop: ["never there", stop, `${stop}?`] });
      const { tokens, text } = await read(generation);
      expect(text).toBe(whole.text.slice(0, whole.text.indexOf(stop)));
      expect(tokens).toEqual(whole.tokens.slice(0, tokens.length));
      expect(generation.stats()).toMatchObject({ finish: "stop", stopText: stop, generatedTokens: tokens.length });
      const { tokens: saved } = generation.save();
      expect([...saved]).toEqual([...model.tokenize(PROMPT), ...tokens]);
    }
  });

  test("that never come change nothing", async () => {
    const generation = start({ stop: [" of the earth and the heavens", "Moses spake:"] });
    expect(await read(generation)).toEqual(await read(start({})));
    expect(generation.stats()).toMatchObject({ finish: "maxTokens" });
    expect(generation.stats()).not.toHaveProperty("stopText");
  });

  test("a text that was saved while tokens are held back goes on where it was read", async () => {
    const whole = await read(start({}));
    // begins with a token of the text and never comes: all later tokens wait for it
    const stop = [
      `${whole.pieces
        .slice(10, 16)
        .map(({ text }) => text)
        .join("")}never`,
    ];
    const generation = start({ stop });
    const tokens: number[] = [];
    let saved: ReturnType<Generation["save"]> | undefined;
    let ahead = 0;
    for await (const { token } of generation) {
      tokens.push(token);
      if (tokens.length !== 11) continue;
      saved = generation.save();
      ahead = generation.stats().generatedTokens - 11;
    }
    expect(ahead).toBeGreaterThan(3);
    expect(tokens).toEqual(whole.tokens);
    expect(saved!.tokens.length).toBe(model.tokenize(PROMPT).length + 11);
    expect(saved!.sequence.step).toBe(11);
  });
});

/** Ends a text soon. */
const soon = () => ({ feed: { bias: new Map([[model.info.eos, 60]]) } });

describe("the fewest tokens", () => {
  test.each(["graph", "host"] as const)("are as with min_tokens in front of the chain (%s)", async (placement) => {
    const stages = "logit_bias() |> top_k(20) |> penalties(64, 1.1, 0.1, 0) |> temp(0.9) |> dist(4)";
    const chain = compilePipeline(stages);
    for (const least of [1, 7, 12]) {
      const std = compilePipeline(`min_tokens(${least}) |> ${stages}`);
      const wanted = await read(start({ chain: std, placement, ...soon() }));
      const generation = start({ chain, minTokens: least, placement, ...soon() });
      const found = await read(generation);
      expect(found).toEqual(wanted);
      expect(found.tokens.length).toBeGreaterThanOrEqual(least);
      expect(generation.stats().finish).toBe("end");
    }
  });

  test("a text that does not end", async () => {
    const chain = compilePipeline("logit_bias() |> top_k(20) |> temp(0.9) |> dist(4)");
    const generation = start({ chain, ignoreEnd: true, ...soon() });
    const { tokens } = await read(generation);
    expect(tokens).toHaveLength(40);
    expect(generation.stats().finish).toBe("maxTokens");
    const std = compilePipeline("min_tokens(1000) |> logit_bias() |> top_k(20) |> temp(0.9) |> dist(4)");
    expect(tokens).toEqual((await read(start({ chain: std, ...soon() }))).tokens);
  });

  test("a saved text is one of the chain alone, and goes on with and without them", async () => {
    const chain = compilePipeline("logit_bias() |> top_k(20) |> temp(0.9) |> dist(4)");
    const generation = start({ chain, minTokens: 5, maxTokens: 5, ...soon() });
    const first = await read(generation);
    const { tokens, sequence } = generation.save();
    expect(Object.keys(sequence.params)).toEqual([]);
    const go = (options: Partial<GenerateOptions>) =>
      read(model.generate(tokens, { chain, contextSize: 256, resume: sequence, ...soon(), ...options }));
    expect((await go({})).tokens).toEqual([]);
    // they count from the beginning of the text
    const whole = await read(start({ chain, minTokens: 12, ...soon() }));
    expect([...first.tokens, ...(await go({ minTokens: 12 })).tokens]).toEqual(whole.tokens);
    expect((await go({ minTokens: 12, maxTokens: 7 })).tokens).toHaveLength(7);
    expect(() => model.generate(tokens, { chain, resume: sequence, minTokens: 12, maxTokens: 6 })).toThrow(
      "`minTokens` must be at most 11, the most tokens that the text has by `maxTokens`, found 12",
    );
  });

  const STAGES = [
    "top_k(4) |> dist(1)",
    "greedy()",
    "top_p(0.9) |> min_p(0.05) |> xtc(0.5, 0.1, 1, 3) |> dist(1)",
    "typical(0.8) |> dist(1)",
    "mirostat(3, 0.1, 100, 5)",
    "mirostat_v2(3, 0.1, 5)",
    "top_n_sigma(1) |> dist(1)",
    "penalties(8, 1.5, 0.5, 0.5) |> dry(1, 1.75, 2) |> dist(1)",
  ];
  test.each(STAGES)("the graph in front: %s", (stages) => {
    const chain = compilePipeline(stages);
    const feed = { vocabulary: texts(32) };
    const std = compilePipeline(`min_tokens(6, tokens(3, 9)) |> ${stages}`);
    const graph = ended(chain.rowsGraph);
    assertValid(graph, "prepending");
    const options = { backend: "reference" as const, feed, uniforms: endValues({ minTokens: 6 }) };
    using found = createEvaluator(graph, 32, options);
    using wanted = createEvaluator(std.rowsGraph, 32, { backend: "reference", feed });
    for (let step = 0; step < 12; step++) {
      // the tokens that end a text are the likeliest
      const logits = Float32Array.from({ length: 32 }, (_, i) => 3 * Math.sin(7 * i + step) + (i % 6 === 3 ? 4 : 0));
      const [one, other] = [found.evaluate(logits), wanted.evaluate(logits)];
      expect(one.token).toBe(other.token);
      expect(one.candidates.map(({ token }) => token)).toEqual(other.candidates.map(({ token }) => token));
      one.candidates.forEach(({ prob }, i) => expect(prob).toBeCloseTo(other.candidates[i]!.prob, 6));
      if (step < 6) expect([3, 9]).not.toContain(one.token);
      found.accept(one.token!);
      wanted.accept(one.token!);
    }
  });

  test("one graph for all numbers, and none without them", () => {
    const { graph } = ENDLESS;
    expect(withEnds(graph, {})).toBe(graph);
    expect(withEnds(graph, { minTokens: 0, ignoreEnd: false })).toBe(graph);
    expect(withEnds(graph, { minTokens: 3 })).toBe(withEnds(graph, { minTokens: 30 }));
    expect(withEnds(graph, { ignoreEnd: true })).toBe(withEnds(graph, { minTokens: 30 }));
  });
});

const texts = (count: number): string[] => Array.from({ length: count }, (_, i) => `<${i}>`);
/** The graph with ids as the tokens that end a text: without a model there is no such class. */
function ended(graph: ReturnType<typeof withEnds>) {
  const made = withEnds(graph, { minTokens: 1 });
  const sets = made.sets!.map((set) => ({
    ...set,
    of: set.of.flatMap((item) => (typeof item === "object" ? [3, 9] : [item])),
  }));
  return chainOf({ ...made, sets }).graph;
}

describe("an ended generation", () => {
  test("says so", async () => {
    const generation = start({ maxTokens: 3 });
    await read(generation);
    const ended = expect.objectContaining({ code: "ENDED", name: "InputError" });
    await expect(read(generation)).rejects.toEqual(ended);
    expect(() => generation.setUniforms({})).toThrow(ended);
    expect(generation.stats().finish).toBe("maxTokens");
    expect(generation.save().tokens.length).toBe(model.tokenize(PROMPT).length + 3);
    const left = start({});
    for await (const _ of left) break;
    await expect(read(left)).rejects.toEqual(ended);
  });

  test("fails with the reason of its signal", async () => {
    const late = read(start({ maxTokens: 200, signal: AbortSignal.timeout(5) }));
    await expect(late).rejects.toMatchObject({ name: "TimeoutError" });
    const reason = { because: "enough" };
    const abort = new AbortController();
    const generation = start({ signal: abort.signal });
    const cancelled = (async () => {
      for await (const _ of generation) abort.abort(reason);
    })();
    await expect(cancelled).rejects.toBe(reason);
    await expect(model.logits(PROMPT, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    // one that waits for a place
    using batch = model.batch({ sequences: 1, contextSize: 256 });
    const request = { chain: ENDLESS, maxTokens: 200, ...endless(model) };
    const iterator = batch.add(PROMPT, request)[Symbol.asyncIterator]();
    await iterator.next();
    const waiting = read(batch.add(PROMPT, { ...request, signal: AbortSignal.timeout(5) }));
    await expect(waiting).rejects.toMatchObject({ name: "TimeoutError" });
    await iterator.return!();
    expect((await read(start({ maxTokens: 2 }))).tokens).toHaveLength(2);
  });
});

test.each([
  [{ stop: "a" }, "`stop` must be a list of texts"],
  [{ stop: [""] }, "`stop[0]` must not be empty"],
  [{ minTokens: -1 }, "`minTokens` must be an integer from 0"],
  [{ minTokens: 1.5 }, "`minTokens` must be an integer from 0"],
  [
    { minTokens: 6, maxTokens: 5 },
    "`minTokens` must be at most 5, the most tokens that the text has by `maxTokens`, found 6",
  ],
  [{ ignoreEnd: 1 }, "`ignoreEnd` must be true or false"],
  [{ logprobs: 101 }, "`logprobs` must be an integer from 0 to 100, found 101"],
  [{ maxTokens: -1 }, "`maxTokens` must be an integer from 0"],
])("%j is refused", async (options, message) => {
  const error = expect.objectContaining({ code: "INVALID_ARGUMENT", message: expect.stringContaining(message) });
  expect(() => start(options as never)).toThrow(error);
  expect((await read(start({ maxTokens: 1 }))).tokens).toHaveLength(1);
});
