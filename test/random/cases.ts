/** A case: a program and its inputs. */
import * as fc from "fast-check";
import type { Feed } from "../../runtime/sequence/features/feed.js";
import { contextSpecs, makeContext, type ContextSpec } from "../parity/context.js";
import { HOSTILE_SHAPES, logitsSpecs, makeLogits, type LogitsSpec } from "../parity/logits.js";
import { random, type Random } from "../parity/random.js";
import type { TokenValues } from "./params.js";
import { programs, type Program, type ProgramInput } from "./program.js";
import { vocabularyOf } from "./vocabulary.js";

export interface Case {
  readonly program: Program;
  readonly logits: LogitsSpec;
  readonly context: ContextSpec;
  /** Draws in place of the chain's own, including both ends of the range. */
  readonly draws: readonly number[] | undefined;
  /** Number of tokens to choose. */
  readonly steps: number;
}

const sizes = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 1, max: 12 }) },
  { weight: 8, arbitrary: fc.integer({ min: 13, max: 300 }) },
  { weight: 1, arbitrary: fc.constantFrom(1500, 4096) },
);

/** Sizes at which the CPU computes wide columns in passes: around its blocks, and around those from which a sort stops. */
const wideSizes = fc.constantFrom(
  511,
  512,
  700,
  1023,
  1024,
  1025,
  2047,
  2049,
  4095,
  4096,
  4097,
  6000,
  32767,
  32769,
  40000,
);

/** Logits that no model gives, mostly with rows of -inf. */
const hostile = (vocabSizes: fc.Arbitrary<number>): fc.Arbitrary<LogitsSpec> =>
  logitsSpecs(vocabSizes, fc.constantFrom(...HOSTILE_SHAPES, "depths"), fc.constantFrom(0, 0.3, 0.6, 0.9, 0.99));

const casesOf = (vocabSizes: fc.Arbitrary<number>): fc.Arbitrary<Case> =>
  fc
    .record({
      program: programs,
      logits: fc.oneof(
        { weight: 2, arbitrary: logitsSpecs(vocabSizes) },
        { weight: 1, arbitrary: hostile(vocabSizes) },
      ),
      context: contextSpecs,
      draws: fc.option(fc.constantFrom<number[]>([0], [1], [0, 1, 0.5], [1 - 2 ** -30, 2 ** -60, 0.25]), {
        nil: undefined,
        freq: 4,
      }),
      steps: fc.integer({ min: 1, max: 4 }),
    })
    .map(({ program, logits, ...rest }): Case => {
      const vocabSize = Math.max(logits.vocabSize, program.leastVocab);
      return { program, logits: { ...logits, vocabSize }, ...rest };
    });

export const cases = casesOf(sizes);
export const wideCases = casesOf(wideSizes);

/** The inputs of a case. */
export interface Given {
  /** One row per step. */
  readonly logits: readonly Float32Array[];
  readonly history: readonly number[];
  readonly feed: Feed;
  readonly draws: readonly number[] | undefined;
  readonly uniforms: Readonly<Record<string, number>>;
  /** Values of sets of tokens, one for each step in turn. */
  readonly sets: Readonly<Record<string, readonly TokenValues[]>>;
}

export function makeGiven({ program, logits, context, draws, steps }: Case): Given {
  const { vocabSize } = logits;
  const { history, bias } = makeContext(context, vocabSize);
  const r = random(context.seed);
  const inputs = Object.fromEntries(program.inputs.map((input) => [input.name, valuesOf(r, input, vocabSize)]));
  return {
    logits: Array.from({ length: steps }, (_, i) => makeLogits({ ...logits, seed: logits.seed + i })),
    history,
    feed: { bias, inputs, vocabulary: vocabularyOf(vocabSize) },
    draws,
    uniforms: program.uniforms,
    sets: program.sets,
  };
}

function valuesOf(r: Random, { type, capacity }: ProgramInput, vocabSize: number): Float32Array | Map<number, number> {
  const value = {
    f32: () => r.normal(),
    i32: () => r.below(5) - 2,
    bool: () => r.below(2),
    logits: () => 3 * r.normal(),
  }[type];
  if (capacity === undefined) return Float32Array.from({ length: vocabSize }, value);
  const count = r.below(Math.min(capacity, vocabSize) + 1);
  return new Map(Array.from({ length: count }, () => [r.below(vocabSize), Math.fround(value())]));
}

export const describeCase = ({ program: { text, ...rest }, ...others }: Case): string =>
  `${text}\n${JSON.stringify({ ...others, ...rest })}`;
