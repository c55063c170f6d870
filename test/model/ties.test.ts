/** What counts as a tie: the tests of texts excuse no more. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { loadModel, type Model } from "../../runtime/models/model.js";
import type { LlamaSampler } from "../native/oracle.js";
import { DEMO_MODEL } from "./demo.js";
import { expectSameText, OFF, referenceOf, upToEnd, type Reference } from "./ties.js";

const PROMPT = "In the beginning";
let model: Model;
/** Tokens of the whole vocabulary, the likeliest first, and their logits. */
let order: number[];
let logits: Float32Array;
beforeAll(async () => {
  model = await loadModel(DEMO_MODEL, { backend: "cpu" });
  logits = await model.logits(PROMPT);
  order = [...logits.keys()].sort((a, b) => logits[b]! - logits[a]!);
});
afterAll(() => model.dispose());

const reference = (count: number, ...samplers: LlamaSampler[]): Reference =>
  referenceOf(model, { model: DEMO_MODEL, prompt: PROMPT, samplers }, count);

/** One token, which is the second best, raised so far that it leads by `lead`. */
function raised(lead: number): Reference {
  const [best, second] = order as [number, number];
  const bias = logits[best]! - logits[second]! + lead;
  return reference(1, { name: "logit_bias", biases: [[second, bias]] }, { name: "greedy" });
}

test("two tokens tie where rounding decides between them, and no others", () => {
  const [best, second, third] = order as [number, number, number];
  const close = raised(OFF / 8);
  expect(close.tokens).toEqual([second]);
  expect(expectSameText([best], close.tokens, close.picksNear)).toBe(0);
  expect(() => expectSameText([third], close.tokens, close.picksNear)).toThrow();
  const apart = raised(4 * OFF);
  expect(apart.tokens).toEqual([second]);
  expect(() => expectSameText([best], apart.tokens, apart.picksNear)).toThrow();
});

test("a draw ties where it falls between two tokens", () => {
  // a table of two, of which the one is so likely that the draw falls just at its end
  const two = (gap: number): Reference => {
    const biases = order.slice(0, 2).map((token, i): [number, number] => [token, 50 - logits[token]! - gap * i]);
    return reference(1, { name: "logit_bias", biases }, { name: "top_k", k: 2 }, { name: "dist", seed: 11 });
  };
  let [low, high] = [-10, 10];
  const first = (gap: number): boolean => two(gap).tokens[0] === order[0];
  expect([first(low), first(high)]).toEqual([false, true]);
  while (high - low > OFF / 8) {
    const middle = (low + high) / 2;
    if (first(middle)) high = middle;
    else low = middle;
  }
  const other = order[1]!;
  const at = (gap: number): number => expectSameText([other], two(gap).tokens, two(gap).picksNear);
  expect(at(high)).toBe(0);
  expect(() => at(high + 8 * OFF)).toThrow();
});

test("what follows a tie is not compared, and what comes before it is", () => {
  const { tokens, picksNear } = reference(20, { name: "temp", t: 0.8 }, { name: "dist", seed: 3 });
  expect(expectSameText(tokens, tokens, picksNear)).toBe(tokens.length);
  for (const at of [0, 7]) {
    const found = tokens.with(at, order.at(-1)!);
    expect(() => expectSameText(found, tokens, picksNear)).toThrow();
  }
  expect(() => expectSameText(tokens.slice(0, -1), tokens, picksNear)).toThrow();
  expect(() => expectSameText([...tokens, 5], tokens, picksNear)).toThrow();
});

test("a text ends with the first token that ends it", () => {
  expect(upToEnd([5, 0, 6, 0], 0)).toEqual([5, 0]);
  expect(upToEnd([5, 6], 0)).toEqual([5, 6]);
});
