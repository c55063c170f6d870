/** Chains over a vocabulary of today's size in Python: the same rows, although sums have 128256 terms. */
import { expect } from "@jest/globals";
import { withSeed } from "../../../compiler/graph/seeds.js";
import { compilePipeline } from "../../../runtime/chain/chain.js";
import { makeLogits } from "../../parity/logits.js";
import { LARGE } from "../chains.js";
import { needing } from "../../needs.js";
import { differenceOf } from "./compare.js";
import { compare, pythonWith, type Case } from "./python.js";

const V = 128256;

const CASES = LARGE.map((stages, seed): Case => ({
  name: stages,
  graph: withSeed(compilePipeline(stages).rowsGraph, 1),
  logits: [[makeLogits({ shape: "longTail", vocabSize: V, seed, dropped: 0 })]],
  prompt: [1, 2, 3],
}));

for (const library of ["numpy", "torch"] as const)
  needing(pythonWith(library)).test(`ten chains give the reference's rows in ${library}`, () => {
    const { wanted, found } = compare(library, CASES);
    const differences = CASES.map(({ name }, i) => [name, differenceOf(wanted[i]!, found[i]!)]);
    expect(differences).toEqual(LARGE.map((name) => [name, undefined]));
  });
