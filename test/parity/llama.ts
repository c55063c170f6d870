/** Chains of llama.cpp over the tokens of the vocabulary, with a history. */
import { loadOracle, type LlamaChain } from "../native/oracle.js";
import type { Context } from "./context.js";
import { mirostatStep } from "./mirostat.js";
import type { Moment } from "./margins.js";
import { rowsOfLlama, type PickedRows, type Rows } from "./rows.js";
import { specOf, type Stage } from "./stages.js";

interface OpenLlama {
  step(): PickedRows;
  accept(token: number): void;
}

/** The input of a llama.cpp chain, the same in each step. */
export interface Given {
  readonly stages: readonly Stage[];
  readonly input: Float32Array;
  readonly context: Context;
}

/**
 * Some samplers of llama.cpp count rows of minus infinity, which are no rows in GGSL. For these, the table omits such rows:
 * tokens are renumbered, and omitted ones get numbers beyond the table, since the history may contain them.
 */
function renumbering({ stages, input }: Given): { live: number[]; numberOf: (token: number) => number } {
  const all = [...input.keys()];
  const isMasked = stages.some((s) => specOf(s).countsMasked) && input.some((x) => x === -Infinity);
  if (!isMasked) return { live: all, numberOf: (token) => token };
  const live = all.filter((t) => input[t] !== -Infinity);
  const numbers = new Map(live.map((token, number) => [token, number]));
  return { live, numberOf: (token) => numbers.get(token) ?? input.length + token };
}

export function openLlama(given: Given, count = given.stages.length): OpenLlama {
  const { live, numberOf } = renumbering(given);
  const { bias, history, vocabSize } = given.context;
  const context = { history, vocabSize, bias: new Map([...bias].map(([t, b]) => [numberOf(t), b])) };
  const renumbered = (stage: Stage): Stage => {
    const { breakers } = stage.args;
    return Array.isArray(breakers) ? { ...stage, args: { ...stage.args, breakers: breakers.map(numberOf) } } : stage;
  };
  const samplers = given.stages.slice(0, count).map((s) => specOf(s).llama(renumbered(s).args, context));
  const chain: LlamaChain = new (loadOracle().LlamaChain)(samplers);
  history.forEach((token) => chain.accept(numberOf(token)));
  const logits = Float32Array.from(live, (token) => given.input[token]!);
  return {
    step() {
      const result = chain.apply(logits);
      const selected = result.selected < 0 ? -1 : live[result.selected]!;
      return { rows: rowsOfLlama({ ...result, tokens: result.tokens.map((t) => live[t]!) }), selected };
    },
    accept: (token) => chain.accept(numberOf(token)),
  };
}

/** llama.cpp's rows before stage `index`, after the accepted tokens. */
export function rowsBefore(given: Given, index: number, accepted: readonly number[]): Rows {
  const chain = openLlama(given, index);
  for (const token of accepted) {
    chain.step();
    chain.accept(token);
  }
  return chain.step().rows;
}

/** The other values that stage `index` decides by, after the accepted tokens. */
export function momentOf(given: Given, index: number, accepted: readonly number[]): Moment {
  const { args, sampler } = given.stages[index]!;
  const { vocabSize } = given.context;
  if (!sampler.startsWith("mirostat")) return { mu: 0, vocabSize };
  const chain = openLlama(given, index + 1);
  let mu = Math.fround(2 * (args["tau"] as number));
  for (const token of accepted) {
    mu = mirostatStep(mu, args, chain.step());
    chain.accept(token);
  }
  return { mu, vocabSize };
}
