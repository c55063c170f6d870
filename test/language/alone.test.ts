/** A sampler or function that no chain uses is checked as if it were in a chain of its own. */
import { describe, expect, test } from "@jest/globals";
import { checkProgram } from "../../compiler/driver.js";

const codesOf = (text: string): string[] => checkProgram({ name: "t.ggsl", text }).map(({ code }) => code);

describe("errors that lowering finds", () => {
  test.each([
    ["a logit of minus infinity", "sampler s(p: f32 > 0) { logit = prob < p ? -inf : logit }", ["E0508"]],
    ["a place in the text", "sampler s() { keep token != last(0) }", ["E0350"]],
    ["a place, by a default", "sampler s(static k: i32 = 0) { keep token != last(k) }", ["E0350"]],
    ["a window", "sampler s() { logit -= occurrences(-2) }", ["E0323"]],
    ["an ending", 'sampler s() { keep not ends_with("") }', ["E0352"]],
    ["a list in a list", "sampler s(static l: list = [[1]]) { keep repeat_len(8, l) < 3 }", ["E0355"]],
    ["a count", "sampler s() { top 100000000 }", ["E0320"]],
    ["a function", "fn f(x: f32) -> f32 = x * last(0)", ["E0350"]],
    [
      "a sampler beside a chain",
      "sampler a() { keep prob > 0.1 } sampler b() { keep token != last(0) } chain c = a()",
      ["E0350"],
    ],
  ])("%s", (_, text, codes) => {
    expect(codesOf(text)).toEqual(codes);
  });

  test("are the same as in a chain, without its note", () => {
    const [alone] = checkProgram({ name: "t.ggsl", text: "sampler s() { keep token != last(0) }" });
    const [used] = checkProgram({ name: "t.ggsl", text: "sampler s() { keep token != last(0) } chain c = s()" });
    expect({ ...alone!, span: undefined, notes: undefined }).toEqual({ ...used!, span: undefined, notes: undefined });
    expect([alone!.notes, used!.notes?.length]).toEqual([undefined, 1]);
  });
});

test("what other arguments allow is no error", () => {
  for (const body of [
    "sampler s(p: f32) { if p < 1 { sort } }",
    "sampler s(p: f32 = 0.5) { if p < 1 { sort keep cumsum(prob) < p } }",
    "sampler s(static k: i32) { top k }",
    "sampler s(static words: list) { keep completes(words) == 0 }",
    "sampler s(static text: text) { keep not ends_with(text) }",
    "sampler s(t: f32 > 0, u: f32 in [5, 6], k: i32 >= 3, b: bool, x: seed) { logit = logit / t + u * k * uniform(x) + (b ? 1 : 0) }",
    "sampler s(set: tokens, fixed: tokens, g: grammar) { keep token in set or token not in fixed or allowed(g) }",
    "sampler s(static fixed: tokens) { keep token not in fixed }",
    "fn f(x: f32, static k: i32) -> f32 = x * last(k)",
    "sampler s(static k: i32 = 0) { if k > 0 { keep token != last(k) } }",
  ])
    expect([body, ...codesOf(body)]).toEqual([body]);
});
