/** The host tail: llama.cpp's own CPU samplers on the rows that come back from the graph. */
import type { Graph, HostStage } from "@ggsl/compiler/graph/graph.js";
import { HOST_SAMPLERS } from "@ggsl/compiler/graph/hostSamplers.js";
import { InputError, translated } from "./errors.js";
import type { ModelBinding, NativeModel } from "./native/binding.js";
import type { HostChainStage } from "./native/hostBinding.js";
import { loadBinding } from "./native/loader.js";

/** Rows after the tail, in llama.cpp's order. */
export interface TailRows {
  readonly tokens: Int32Array;
  readonly logits: Float32Array;
  readonly probs: Float32Array;
  /** The picked token; -1 if the tail picks none. */
  readonly selected: number;
}

/** Rows as a graph gives them; -inf marks a dropped one. */
interface Rows {
  readonly candidates?: Int32Array | undefined;
  readonly logits?: Float32Array | undefined;
}

export interface Tail extends Disposable {
  apply(rows: Rows): TailRows;
  /** The same. Throws `InputError` if the tail picks no token. */
  pick(rows: Rows): TailRows;
  /** Tokens of the prompt, which some samplers look back on. */
  acceptPrompt(tokens: Int32Array | readonly number[]): void;
  accept(token: number): void;
}

export const picksOnHost = ({ tail }: Graph): boolean => tail.some(({ name }) => HOST_SAMPLERS[name]?.picks === true);

/** The model whose text the tail ends, and where its binding comes from. */
interface TailModel {
  readonly native: NativeModel;
  readonly binding: ModelBinding;
}

/** Opens a tail; nothing for a chain without one. Throws `InputError` for stages that need a model where there is none. */
export function openTail(
  stages: readonly HostStage[],
  params: ReadonlyMap<string, number>,
  model?: TailModel,
): Tail | undefined {
  if (stages.length === 0) return undefined;
  const { HostChain } = model?.binding ?? loadBinding();
  const native = translated(
    () =>
      new HostChain(
        stages.map(({ name, args }) => ({ name, ...valuesOf(args, params) }) as HostChainStage),
        model?.native,
      ),
  );
  const apply = (rows: Rows): TailRows => translated(() => native.apply(rowsOf(rows)));
  return {
    apply,
    pick(rows) {
      const left = apply(rows);
      if (left.selected < 0)
        throw new InputError("the host tail does not pick a token: end it with `host dist()` or `host greedy()`");
      return left;
    },
    acceptPrompt: (tokens) => translated(() => native.acceptPrompt(Int32Array.from(tokens))),
    accept: (token) => translated(() => native.accept(token)),
    [Symbol.dispose]: () => native.dispose(),
  };
}

/** Arguments with the values of the parameters that they name. */
const valuesOf = (args: HostStage["args"], params: ReadonlyMap<string, number>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(args).map(([name, arg]) => [
      name,
      typeof arg === "object" && "param" in arg ? params.get(arg.param) : arg,
    ]),
  );

/** The rows left; a graph without a candidates output has a row for every token. */
function rowsOf({ candidates, logits }: Rows): { tokens: Int32Array; logits: Float32Array } {
  if (!logits) throw new InputError("the chain passes no rows to its host tail");
  const left = [...logits.keys()].filter((i) => logits[i] !== -Infinity);
  return {
    tokens: Int32Array.from(left, (i) => candidates?.[i] ?? i),
    logits: Float32Array.from(left, (i) => logits[i]!),
  };
}
