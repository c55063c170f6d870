/// <reference lib="esnext.disposable" preserve="true" />
/** The host tail: llama.cpp's own CPU samplers on the rows that the graph leaves. */
import type { Graph, TailArg, TailStage } from "@ggsl/compiler/graph/graph.js";
import { stageFaults } from "@ggsl/compiler/graph/tail.js";
import { DEFAULT_BREAKERS, TAIL_SAMPLERS } from "@ggsl/compiler/llama/samplers.js";
import { breakersOf } from "./features/breakers.js";
import { vocabularyOf } from "./features/model.js";
import type { UniformValues } from "./sequence.js";
import { InputError, invalid, translated } from "../core/errors.js";
import type { ModelBinding, NativeModel } from "../backends/native/binding.js";
import type { NativeTail, NativeTailStage } from "../backends/native/samplerBinding.js";
import { loadBinding } from "../backends/native/loader.js";

/** Rows after the tail, in llama.cpp's order. */
export interface TailRows {
  readonly tokens: Int32Array;
  readonly logits: Float32Array;
  readonly probs: Float32Array;
  /** The picked token; -1 if the tail picks none. */
  readonly selected: number;
}

/** Rows from a graph; -inf marks a dropped one. */
export interface Rows {
  readonly candidates?: Int32Array | undefined;
  readonly logits?: Float32Array | undefined;
}

export interface Tail extends Disposable {
  apply(rows: Rows): TailRows;
  /** Like `apply`, but throws `InputError` if the tail picks no token. */
  pick(rows: Rows): TailRows;
  /** Passes the prompt to samplers that read the history. */
  acceptPrompt(tokens: Int32Array | readonly number[]): void;
  accept(token: number): void;
  /** An independent copy in the same state. */
  clone(): Tail;
}

/** The model that the tail belongs to, and its binding. */
export interface TailModel {
  readonly native: NativeModel;
  readonly binding: ModelBinding;
}

/** llama.cpp takes this seed for a random one. */
const RANDOM = 2 ** 32 - 1;

/** The stages with the values of their parameters, and seeds in place of random ones. */
export function settledStages(stages: readonly TailStage[], params: ReadonlyMap<string, number>): TailStage[] {
  return stages.map(({ name, args }) => {
    const values = Object.entries(args).map(([arg, value]): [string, TailArg] => [
      arg,
      typeof value === "object" && "param" in value ? (params.get(value.param) ?? value) : value,
    ]);
    const settled = Object.fromEntries(values);
    const { seed = "random" } = settled;
    const isRandom = TAIL_SAMPLERS[name]?.params["seed"] !== undefined && (seed === "random" || seed === RANDOM);
    return { name, args: isRandom ? { ...settled, seed: randomSeed() } : settled };
  });
}

/**
 * Throws `InputError` for other values of parameters that the host tail has: its samplers keep those that they began with.
 * @param params the present values
 */
export function checkTailKeeps({ tail }: Graph, params: ReadonlyMap<string, number>, values: UniformValues): void {
  for (const { name: stage, args } of tail)
    for (const arg of Object.values(args)) {
      if (typeof arg !== "object" || !("param" in arg)) continue;
      const { param } = arg;
      const value = values[param];
      if (value === undefined || Number(value) === params.get(param)) continue;
      throw invalid(
        `\`${param}\` cannot change in the middle of a text: \`host ${stage}\` keeps the value that it began with, ${params.get(param)}; use the sampler of std in its place, or begin a new text`,
      );
    }
}

const randomSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0]! % RANDOM;

/** Opens a tail; undefined for a chain without one. Throws `InputError` for stages that need a model if there is none. */
export function openTail(
  stages: readonly TailStage[],
  params: ReadonlyMap<string, number>,
  model?: TailModel,
): Tail | undefined {
  if (stages.length === 0) return undefined;
  const { Tail } = model?.binding ?? loadBinding();
  const chain = settledStages(stages, params).map((stage) => withSequences(nativeStage(stage), model));
  return tailOf(translated(() => new Tail(chain, model?.native)));
}

function tailOf(native: NativeTail): Tail {
  const apply = (rows: Rows): TailRows => translated(() => native.apply(rowsOf(rows)));
  return {
    apply,
    pick(rows) {
      const left = apply(rows);
      if (left.selected < 0)
        throw invalid("the host tail does not pick a token: end it with `host dist()` or `host greedy()`");
      return left;
    },
    acceptPrompt: (tokens) => translated(() => native.acceptPrompt(Int32Array.from(tokens))),
    accept: (token) => translated(() => native.accept(token)),
    clone: () => tailOf(translated(() => native.clone())),
    [Symbol.dispose]: () => native.dispose(),
  };
}

/** The most token sequences of the breakers of a stage. */
const MAX_SEQUENCES = 2 ** 19;

/**
 * `dry` with token sequences in place of texts: llama.cpp looks for each text in the whole vocabulary, which takes seconds for a
 * long list. A text of several bytes a character may be cut inside one, and only llama.cpp can make tokens of a part.
 */
function withSequences(stage: NativeTailStage, model: TailModel | undefined): NativeTailStage {
  if (stage.name !== "dry" || !model) return stage;
  const { breakers: texts = DEFAULT_BREAKERS } = stage;
  if (!texts.every((text) => typeof text === "string" && /^[\x01-\x7f]+$/.test(text))) return stage;
  const lists = [...breakersOf(texts as readonly string[], vocabularyOf(model.native))].flatMap(([token, tails]) =>
    tails.map(({ list }) => ({ token, list })),
  );
  const count = lists.reduce((sum, { list }) => sum + list.length, 0);
  if (count > MAX_SEQUENCES)
    throw new InputError(
      `the breakers of \`host dry\` are ${count} token sequences, expected at most ${MAX_SEQUENCES} (MAX_SEQUENCES): give fewer of them`,
      { code: "LIMIT_EXCEEDED" },
    );
  const breakers = lists.flatMap(({ token, list }) => list.map((tail) => Int32Array.from([token, ...tail])));
  return { ...stage, breakers };
}

function nativeStage({ name, args }: TailStage): NativeTailStage {
  const stage = { ...args, name };
  if (isNative(stage)) return stage;
  throw invalid(`the tail stage \`${name}\`: ${faultsOf(stage).join(", ")}`);
}

/** The types are derived from the table that `faultsOf` checks against. */
const isNative = (stage: { readonly name: string }): stage is NativeTailStage => faultsOf(stage).length === 0;

const faultsOf = ({ name, ...args }: { readonly name: string }): string[] => stageFaults({ name, args }, new Set());

/** The remaining rows: those that are not dropped. A graph without a candidates output has a row for every token. */
export function rowsOf({ candidates, logits }: Rows): { tokens: Int32Array; logits: Float32Array } {
  if (!logits) throw invalid("the chain passes no rows to its host tail");
  const left = [...logits.keys()].filter((i) => logits[i] !== -Infinity);
  return {
    tokens: Int32Array.from(left, (i) => candidates?.[i] ?? i),
    logits: Float32Array.from(left, (i) => logits[i]!),
  };
}
