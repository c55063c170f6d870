/** Random programs as Python beside the reference; `npm run random -- --python` runs more of them. */
import { describe, expect } from "@jest/globals";
import * as fc from "fast-check";
import { hostFaults } from "../../../compiler/emit/python/host.js";
import { withSeed } from "../../../compiler/graph/seeds.js";
import { setsOf } from "../../../compiler/graph/sets.js";
import type { UniformValues } from "../../../runtime/sequence/sequence.js";
import { cases, describeCase, makeGiven, type Case as Program, type Given } from "../../random/cases.js";
import { compileIn, OPTIMIZED, Refused } from "../../random/compile.js";
import { PYTHON_COUNT, SEED } from "../../random/settings.js";
import { vocabularyOf } from "../../random/vocabulary.js";
import { needing } from "../../needs.js";
import { differenceOf } from "./compare.js";
import { compare, pythonWith, type Case } from "./python.js";

/** Programs for one process, whose data lie in memory. */
const PART = 200;
const STREAM_SEED = 11;
/** The largest share of programs without an equivalent: those that need a vocabulary for a set of tokens, write texts, or follow a grammar. */
const MOST_WITHOUT = 0.6;

/** The case in Python; undefined if it has no equivalent. */
function caseOf(program: Program): Case | undefined {
  // whoever runs it gives the mask of a grammar
  if (program.program.grammar !== undefined) return undefined;
  // the emitted file draws by itself
  const given = makeGiven({ ...program, draws: undefined });
  try {
    const graph = withSeed(compileIn(program.program).graph(OPTIMIZED), STREAM_SEED);
    const uniforms = { ...numbersOf(graph.params, given), ...tokenSets(setsOf(graph), given) };
    const hasTexts = Object.values(uniforms).some(
      (x) => Array.isArray(x) && x.some((item) => typeof item === "string"),
    );
    if (hasTexts || hostFaults(graph).length > 0) return undefined;
    return {
      name: describeCase(program),
      graph,
      uniforms,
      feed: given.feed,
      logits: [given.logits],
      prompt: given.history,
      pieces: vocabularyOf(program.logits.vocabSize).pieces.map((piece) => [...Buffer.from(piece, "latin1")]),
    };
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

const numbersOf = (params: readonly { readonly name: string }[], { uniforms }: Given): UniformValues =>
  Object.fromEntries(params.flatMap(({ name }) => (name in uniforms ? [[name, uniforms[name]!]] : [])));

/** A set keeps its first value. */
const tokenSets = (sets: readonly { readonly name?: string }[], given: Given): UniformValues =>
  Object.fromEntries(sets.flatMap(({ name }) => (name && given.sets[name] ? [[name, given.sets[name][0]!]] : [])));

describe.each(["numpy", "torch"] as const)("random programs in %s", (library) => {
  needing(pythonWith(library)).test(
    "give the reference's results",
    () => {
      const programs = fc.sample(cases, { seed: SEED, numRuns: PYTHON_COUNT });
      let compared = 0;
      for (let from = 0; from < programs.length; from += PART) {
        const part = programs.slice(from, from + PART).flatMap((program) => caseOf(program) ?? []);
        const { wanted, found } = compare(library, part);
        const faults = part.flatMap(({ name }, i) => {
          const difference = differenceOf(wanted[i]!, found[i]!);
          return difference === undefined ? [] : [`${difference}\n${name}`];
        });
        expect(faults.slice(0, 3).join("\n\n")).toBe("");
        compared += part.length;
        if (PYTHON_COUNT > PART) process.stdout.write(`${library}: ${compared} programs, no difference\n`);
      }
      expect(compared).toBeGreaterThan((1 - MOST_WITHOUT) * programs.length);
    },
    60_000 + 1000 * PYTHON_COUNT,
  );
});
