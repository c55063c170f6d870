/** Cases for timing: chains, vocabulary sizes, numbers of sequences, shapes of logits. */
import { acceptPrompt, featureInputs, startSequence, uniformsOf } from "ggsl/sequence/sequence.js";
import { drawF64, mt19937 } from "ggsl/core/mt19937.js";
import { CHAINS, compileFor, llamaText, uniformsFor, type BenchChain } from "../chains.js";
import type { Case, CaseRow, Shape } from "./caseFile.js";

export interface TimingPlan {
  readonly chains: readonly BenchChain[];
  readonly vocabSizes: readonly number[];
  readonly rows: readonly number[];
  readonly shapes: readonly Shape[];
}

export const FULL_PLAN: TimingPlan = {
  chains: CHAINS,
  vocabSizes: [32000, 128256],
  rows: [1, 4, 16, 64],
  shapes: ["peaked", "flat"],
};

/** The description of a case. */
export interface Setting {
  readonly chain: string;
  readonly vocabSize: number;
  readonly rows: number;
  readonly shape: Shape;
}

export interface TimingCase extends Case {
  readonly setting: Setting;
}

export const timingCases = ({ chains, vocabSizes, rows, shapes }: TimingPlan): TimingCase[] =>
  chains.flatMap((chain) =>
    vocabSizes.flatMap((vocabSize) =>
      rows.flatMap((count) => shapes.map((shape) => timingCase(chain, vocabSize, count, shape))),
    ),
  );

function timingCase(chain: BenchChain, vocabSize: number, count: number, shape: Shape): TimingCase {
  const { graph } = compileFor(chain, count);
  const rows = Array.from({ length: count }, (_, row): CaseRow => {
    const history = historyOf(chain, vocabSize, row);
    const uniforms = count === 1 ? {} : uniformsFor(chain, row);
    const sequence = acceptPrompt(startSequence(graph, vocabSize, { uniforms }), history);
    return {
      uniforms: uniformsOf(sequence),
      inputs: featureInputs(sequence),
      history,
      llama: llamaText(chain, row),
    };
  });
  const setting = { chain: chain.name, vocabSize, rows: count, shape };
  return { name: nameOf(setting), graph, vocabSize, rows, made: { shape, seed: 1 }, tolerance: 0, setting };
}

const nameOf = ({ chain, vocabSize, rows, shape }: Setting): string =>
  `${chain}, V=${vocabSize}, ${rows} sequence${rows === 1 ? "" : "s"}, ${shape}`;

/** A text with repeated tokens. */
function historyOf({ history }: BenchChain, vocabSize: number, row: number): number[] {
  const random = mt19937(1000 + row);
  return Array.from({ length: history }, () => Math.floor(drawF64(random) ** 3 * vocabSize));
}
