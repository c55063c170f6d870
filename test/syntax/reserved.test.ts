/** A reserved word is refused as a name wherever a name is declared. */
import { expect, test } from "@jest/globals";
import { check } from "../../compiler/check/check.js";
import { ggsl } from "../../compiler/syntax/ggsl.generated.js";
import { KEYWORDS } from "../../compiler/source/keywords.js";

const RESERVED = Object.keys(KEYWORDS).filter((word) => ggsl.match(word, "keyword").succeeded());

/** Programs with `@` in place of the name, by what is declared. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  "an import": [
    'import { @ } from "std"',
    'import { top_k, @ } from "std"',
    'import { top_k as @ } from "std"',
    'import {\n  top_k,\n  @,\n} from "std"',
  ],
  "a constant": ["const @ = 1", "/// doc\nconst @ = 1"],
  "an input": ["input @: f32", "input @: logits", 'test "a" { input @ [1] }'],
  "a function": ["fn @(x: f32) -> f32 = x"],
  "a sampler": ["sampler @() { }", "sampler\n@() { }", "sampler /* a */ @() { }", "sampler // a\n@() { }"],
  "a chain": ["chain @ = dist()", "chain @(p: f32 = 1) = temp(p)", "chain\n@ = dist()"],
  "a parameter": [
    "sampler s(@: f32 = 1) { }",
    "sampler s(a: f32 >= 0, @: f32 = 1) { }",
    "sampler s(\n  a: f32 = 1,\n  @: f32 = 1,\n) { }",
    "sampler s(\n  /// doc\n  @: f32 = 1,\n) { }",
    "sampler s(static @: i32 = 1) { }",
    "fn f(a: f32, @: f32) -> f32 = a",
    "chain c(@: f32 = 1) = temp(1)",
  ],
  "an argument": ["chain c = top_k(@: 3)", "chain c = top_k(3, @: 3)"],
  "a value": [
    "sampler s() { let @ = 1 }",
    "sampler s() {\n  if n > 3 {\n    let @ = 1\n  }\n}",
    "fn f(x: f32) -> f32 { let @ = 1 x }",
    "sampler s() { @ = 1 }",
    "sampler s() {\n  @ += 1\n}",
  ],
  "a state": ["sampler s() { state @: f32 = 0 }", 'test "a" { expect state @ [1] }'],
  "a measure": [
    "sampler s() { measure @ = 1 }",
    "sampler s() {\n  keep prob > 0.1\n  measure @ = 1\n}",
    'test "a" { expect measure @ [1] }',
  ],
  "a counter": [
    "sampler s() { logit = sum @ in 1..3: 1 }",
    "sampler s() { keep any @ in 1..3: n > 1 }",
    "sampler s() { logit = sum i in 1..3: max @ in 1..3: 1 }",
    "sampler s() { logit = repeat @ in 1..3 with x = 1: x }",
  ],
  "a value of `repeat`": [
    "sampler s() { logit = repeat 3 with @ = 1: 2 }",
    "sampler s() { logit = repeat i in 1..3 with @ = 1: 2 }",
  ],
};

test.each(Object.entries(PLACES))("as the name of %s", (what, programs) => {
  expect(RESERVED).toHaveLength(29);
  for (const program of programs)
    for (const word of RESERVED) {
      const text = program.replace("@", word);
      const [first] = check({ name: "a.ggsl", text }).diagnostics;
      expect({ text, code: first?.code, label: first?.label, start: first?.span.start }).toEqual({
        text,
        code: "E0107",
        label: `it cannot be the name of ${what}`,
        start: program.indexOf("@"),
      });
    }
});

test("an unfinished line before a statement or a declaration is no name of it", () => {
  const codes = (text: string): (string | undefined)[] =>
    check({ name: "a.ggsl", text }).diagnostics.map(({ code }) => code);
  for (const text of [
    "sampler s() {\n  let\n  keep prob > 0.1\n}",
    "import { top_k,\nsampler s() { }",
    "fn\nchain c = dist()",
  ])
    expect(codes(text)[0]).toBe("E0101");
});

test("the name of a property of all objects is no word that declares", () => {
  const [first] = check({ name: "a.ggsl", text: "sampler s() { logit = constructor if n > 3 }" }).diagnostics;
  expect(first?.message).not.toContain("reserved");
});
