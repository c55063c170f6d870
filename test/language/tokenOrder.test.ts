/** Rows in the order of token ids: `sort by token asc` says that this order is meant, and moves no row that no stage has moved. */
import { expect, test } from "@jest/globals";
import { quickFix } from "../../compiler/check/fixes.js";
import { parse } from "../../compiler/syntax/parse.js";
import { checkProgram, compileProgram, graphOf } from "../../compiler/driver.js";
import { runTests } from "../../runtime/chain/testing.js";

const opsOf = (source: string, disable: readonly string[] = []): string[] =>
  graphOf(compileProgram(source, { disable })).nodes.map(({ op }) => op);

const FIRST = `sampler first(p: f32) { sort by token asc  keep cumsum(prob) <= p  logit -= rank }`;

test("costs no node where no stage has moved the rows, and a sort where one has", () => {
  const plain = `sampler first(p: f32) { keep cumsum(prob) <= p }`;
  const sorted = `sampler first(p: f32) { sort by token asc  keep cumsum(prob) <= p at least 1 }`;
  const codes = (source: string): string[] => compileProgram(source).diagnostics.map(({ code }) => code);
  expect(codes(`${plain} chain c = first(0.5)`)).toEqual(["W0301"]);
  expect(codes(`${sorted} chain c = first(0.5)`)).toEqual([]);
  expect(opsOf(`${sorted} chain c = first(0.5)`)).not.toContain("argsort");
  expect(opsOf(`${sorted} chain c = first(0.5)`, ["order-facts"])).toContain("argsort");
  const moved = `import { top_k } from "std" ${sorted} chain c = top_k(3) |> first(0.5)`;
  expect(opsOf(moved).filter((op) => op === "argsort")).toHaveLength(2);
});

test("has the rows in the order of their ids, those left counted", () => {
  const source = `import { top_k } from "std"
sampler pair() { sort by token asc  logit += 100 * rank + 10 * prev(token, 7) + next(token, 9) }
${FIRST}
test "in the vocabulary's order, without the dropped row" {
  logits [0, -inf, 0, 0]
  run    pair()
  expect logits [72, -inf, 103, 229]
}
test "after the rows have moved" {
  logits [1, 0, 3, 2]
  run    top_k(3) |> pair()
  expect order [0, 2, 3]
  expect logits [73, -inf, 106, 231]
}
test "prefix sums" {
  probs  [0.25, 0.25, 0.5, 0]
  run    first(0.5)
  expect kept [0, 1]
}
test "the first rows stay" {
  probs  [0.1, 0.2, 0.7]
  run    none()
  expect kept [0, 1]
}
sampler none() { sort by token asc  keep prob > 2 at least 2 }`;
  const results = runTests({ name: "t.ggsl", text: source }, ["reference", "cpu", "wasm"]);
  expect(results.flatMap(({ title, backend, differences }) => differences.map((d) => [title, backend, d]))).toEqual([]);
});

test.each([
  [
    "rank",
    "sampler s() {\n  let r = rank + 1\n  keep r < 3\n}\n",
    "sampler s() {\n  sort\n  let r = rank + 1\n  keep r < 3\n}\n",
  ],
  ["next", "sampler s() { keep next(prob, 0) > 0 }\n", "sampler s() { sort keep next(prob, 0) > 0 }\n"],
  [
    "cumsum in a branch",
    "sampler s(p: f32) {\n  if p < 1 {\n    keep cumsum(prob) < p\n  }\n}\n",
    "sampler s(p: f32) {\n  sort\n  if p < 1 {\n    keep cumsum(prob) < p\n  }\n}\n",
  ],
])("what needs an order has a fix: %s", (_, text, wanted) => {
  const source = { name: "t.ggsl", text: `${text}chain c = s(${text.includes("p:") ? 0.5 : ""})\n` };
  const { title, edits } = quickFix(parse(source).file, checkProgram(source)[0]!)!;
  expect(title).toBe("Sort the rows before it");
  const [{ span, text: inserted } = undefined!] = edits;
  const fixed = source.text.slice(0, span.start) + inserted + source.text.slice(span.end);
  expect(fixed.startsWith(wanted)).toBe(true);
  expect(checkProgram({ name: "t.ggsl", text: fixed })).toEqual([]);
});
