/** What test blocks can contain: tokens accepted before, candidates for each step, states, and a history by text. */
import { expect, test } from "@jest/globals";
import { runTests } from "../../runtime/chain/testing.js";

const SAMPLERS = `sampler counting() {
  state seen: i32 = 0
  state twos: i32 = 0
  logit -= 10 * seen * (token == 0 ? 1 : 0) + 5 * twos * (token == 2 ? 1 : 0)
  pick argmax(logit)
  after pick {
    seen += 1
    twos += picked(token) == 2 ? 1 : 0
  }
}
sampler follows() {
  keep not (token == 0 and ends_with("ab")) and not (token == 1 and last(1) == 2)
}
`;

/** What differs, on each backend. */
function differencesOf(clauses: string, vocabulary?: readonly string[]): string[] {
  const text = `${SAMPLERS}test "it" {\n${clauses}\n}`;
  const results = runTests({ name: "t.ggsl", text }, ["reference", "cpu", "wasm"], undefined, { vocabulary });
  expect(results).toHaveLength(3);
  const found = results.map(({ differences }) =>
    differences.flatMap(({ what, rows }) => rows.map((row) => `${what} ${row.at}: ${row.expected}, ${row.found}`)),
  );
  expect(found).toEqual([found[0], found[0], found[0]]);
  return found[0]!;
}

test("accepted tokens move the states, as if they had been picked", () => {
  expect(
    differencesOf(`logits [9, 5, 7]  accept [2, 2]  run counting()  steps 2
expect tokens [1, 1]  expect state seen [3, 4]  expect state twos [2, 2]`),
  ).toEqual([]);
  expect(
    differencesOf("logits [9, 5, 7]  accept [1, 0]  run counting()  expect token 2  expect state seen [3]"),
  ).toEqual([]);
  expect(
    differencesOf("probs [0.5, 0.25, 0.25]  accept [2]  run follows()  expect kept [0, 2]", ["a", "b", "c"]),
  ).toEqual([]);
  expect(differencesOf("logits [1, 2]  accept [2]  run counting()  expect token 1")).toEqual([
    "error : a result, `accept` has token 2, and the test has 2 candidates",
  ]);
});

test("candidates and results for each step", () => {
  const given = "logits [[1, 2, 0], [2, 13, 0], [0, 0, 1]]  run counting()";
  expect(
    differencesOf(`${given}  expect tokens [1, 1, 2]  expect token 1
expect logits [[1, 2, 0], [-8, 13, 0], [-20, 0, 1]]  expect order [[0, 1, 2], [0, 1, 2], [0, 1, 2]]`),
  ).toEqual([]);
  expect(differencesOf(`${given}  expect logits [1, 2, 0]  expect state twos [0, 0, 1]`)).toEqual([]);
  expect(differencesOf(`${given}  steps 2  expect tokens [1, 1]`)).toEqual([]);
  expect(differencesOf(`${given}  expect logits [[1, 2, 0], [2, 13, 0], [0, 0, 1]]`)).toEqual([
    "logits 0 in step 2: 2, -8",
    "logits 0 in step 3: 0, -20",
  ]);
  expect(differencesOf(`${given}  expect kept [[0, 1, 2]]`)).toEqual(["kept steps: 1, 3"]);
  expect(differencesOf(`${given}  steps 4  expect token 1`)).toEqual([
    "error : a result, the test has 4 steps and candidates for 3: give a list for each step",
  ]);
});

test("states that differ, or that there are none of", () => {
  const given = "logits [1, 2, 0]  run counting()  steps 2";
  expect(differencesOf(`${given}  expect state seen [1, 3]`)).toEqual(["state seen 1: 3, 2"]);
  expect(differencesOf(`${given}  expect state seen [1]`)).toEqual(["state seen 1: none, 2"]);
  expect(differencesOf(`${given}  expect state none [1]`)).toEqual([
    "error : a result, the stages of the test keep no state `none`: they keep seen, twos",
  ]);
});

test("a history by text", () => {
  const given = 'probs [0.5, 0.25, 0.25]  text "cab"  run follows()';
  expect(differencesOf(`${given}  vocab ["a", "b", "c"]  expect kept [1, 2]`)).toEqual([]);
  // the vocabulary of the run, which cuts the text otherwise
  expect(differencesOf(`${given}  expect kept [2]`, ["c", "a", "ab"])).toEqual([]);
  expect(differencesOf('probs [1, 1]  text "a"  run counting()  expect token 0')).toEqual([
    "error : a result, `text` needs a vocabulary: add `vocab [...]` to the test, or give one",
  ]);
});
