/** The generator itself: its programs cover every construct of the language, and the checker accepts all of them. */
import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { countsOf } from "../../compiler/builtins/builtin.js";
import { FUNCTIONS, NAMES } from "../../compiler/builtins/builtins.js";
import { STD_SAMPLERS } from "../../compiler/std/samplers.js";
import { compileIn, PLAIN, Refused } from "./compile.js";
import { constructsOf } from "./constructs.js";
import { programs } from "./program.js";
import { SEED } from "./settings.js";
import { standardFilters, standardPicks } from "./standard.js";

const SAMPLE = 150;

const OPERATORS = ["+", "-", "*", "/", "%", "^", "<", "<=", ">", ">=", "==", "!=", "and", "or"];
const ASSIGNMENTS = ["=", "+=", "-=", "*=", "/="];

const WANTED: readonly string[] = [
  ...Object.keys(FUNCTIONS).map((name) => `${name}()`),
  ...Object.entries(FUNCTIONS).flatMap(([name, builtin]) => {
    const { least, most } = countsOf(builtin);
    return least === most ? [] : [`${name}() of ${least}`, `${name}() of ${most}`];
  }),
  ...Object.keys(NAMES),
  ...OPERATORS.map((op) => `a ${op} b`),
  ...["-a", "not a", "a ? b : c", "true or false", "list"],
  ...["let", "keep", "keep at least", "top", "top by", "sort", "sort asc", "sort by"],
  ...["if", "if else", "if inside if", "pick sample", "pick sample at", "pick argmax"],
  ...["state f32", "state i32", "state bool", "after"],
  ...ASSIGNMENTS.flatMap((op) => [`logit ${op}`, `state ${op}`]),
  ...["const", "input", "input sparse", "import", "sampler", "chain", "chain inside chain", "named argument"],
  ...["f32", "i32", "bool"].flatMap((type) => [`parameter ${type}`, `parameter static ${type}`]),
  ...["sum", "min", "max", "any", "all"].map((how) => `fold ${how}`),
  ...["fold inside fold", "repeat", "repeat counted", "repeat inside repeat", "last(i)", "window of i"],
  ...["fn", "fn block", "call of fn", "call of fn by name", "fn calls fn", "fn static parameter", "fn default"],
  ...["token in set", "token not in set", "scalar in set", "scalar not in set"],
  ...["set of ids", "set of texts", "set of patterns", "class of tokens", "empty set"],
  ...["parameter tokens", "parameter static tokens", "parameter tokens(n)"],
  ...["const text", "const list", "const set", "input logits", "import as", "known window"],
  ...["in: all", "in: prompt", "in: generated", "ends_with(text)", "ends_with(list)", "ends_with(const)"],
  ...[
    "write",
    "write by a state",
    "stage constrain",
    "stop",
    "stop in after",
    ...["sum", "mean", "min", "max", "count"].map((name) => `${name}() over tokens`),
  ],
  ...["measure", "measure after the pick", "measure in after", "picked(condition)", "condition == condition"],
  ...["block comment", "comma after the last", "doc of a parameter"],
  ...["parameter seed", "range in", "range >=", "range <=", "range >", "range <"],
];

test("every construct of the language is in some program, and the checker accepts every program", () => {
  const counts = new Map<string, number>();
  let refused = 0;
  for (const program of fc.sample(programs, { seed: SEED, numRuns: SAMPLE })) {
    for (const name of new Set(constructsOf(program.text))) counts.set(name, (counts.get(name) ?? 0) + 1);
    try {
      compileIn(program).graph(PLAIN);
    } catch (error) {
      if (!(error instanceof Refused)) throw new Error(`${program.text}\n${(error as Error).message}`);
      refused++;
    }
  }
  expect(WANTED.filter((name) => (counts.get(name) ?? 0) < 2)).toEqual([]);
  expect(refused).toBeLessThanOrEqual(0.02 * SAMPLE);
});

test("every standard sampler is a stage of some program, with each of its parameters but for texts", () => {
  const choices = fc.sample(fc.oneof(standardFilters, standardPicks), { seed: SEED, numRuns: 1000 });
  const found = new Map(choices.map(({ sampler, args }) => [sampler.name, Object.keys(args)]));
  const wanted = STD_SAMPLERS.filter(({ takesGrammar }) => !takesGrammar).map(({ name, declaration }) => [
    name,
    declaration.params.filter(({ type }) => type !== "text").map((p) => p.name.text),
  ]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
});
