/**
 * Texts that are the same but for ties. Two ways to compute a chain round differently, and so do two ways to compute the logits;
 * where two tokens are so close that rounding decides, the texts part. llama.cpp tells where: its own chain picks the one token or
 * the other there when its logits are off by as much as rounding leaves open.
 */
import { expect } from "@jest/globals";
import type { Generation } from "../../runtime/generation/generate.js";
import type { Model } from "../../runtime/models/model.js";
import { loadOracle, type LlamaSampler, type OracleText } from "../native/oracle.js";

/**
 * How far logits may be off. llama.cpp draws by prefix sums in f32, which over the demo model's 2048 tokens are off by up to
 * 2048 * 2^-24 (test/parity/excuse.ts). That an error of the logits moves these sums as far near their ends, too, takes 16 times
 * as much.
 */
export const OFF = 16 * 2048 * 2 ** -24;

/** What llama.cpp's own chain may pick after a text. */
type PicksNear = (follow: readonly number[]) => Iterable<number>;

/** How many tokens two texts share. Expects that those after them are a tie, if the texts part. */
export function expectSameText(found: readonly number[], wanted: readonly number[], picksNear: PicksNear): number {
  const at = found.findIndex((token, i) => token !== wanted[i]);
  if (at >= 0 && at < wanted.length) {
    const near = new Set(picksNear(wanted.slice(0, at)));
    if (near.has(found[at]!) && near.has(wanted[at]!)) return at;
  }
  expect(found).toEqual(wanted);
  return found.length;
}

/** The tokens of a generation, with the end of the text where that came. */
export async function textOf(model: Pick<Model, "info">, generation: Generation): Promise<number[]> {
  const tokens: number[] = [];
  for await (const { token } of generation) tokens.push(token);
  return generation.stats().finish === "end" ? [...tokens, model.info.eos] : tokens;
}

/** What llama.cpp writes by itself, up to the end of the text, and what it may pick on the way. */
export interface Reference {
  readonly tokens: readonly number[];
  readonly picksNear: PicksNear;
}

/** A text of llama.cpp's, by the words that it begins with. */
type AskedText = Omit<OracleText, "prompt"> & { readonly prompt: string };
type Tokenizer = Pick<Model, "info" | "tokenize">;

/** `count` tokens of llama.cpp's own chain of CPU samplers. */
export function referenceOf(model: Tokenizer, text: AskedText, count: number): Reference {
  const tokens = loadOracle().generateReference({ ...text, prompt: model.tokenize(text.prompt) }, count);
  return { tokens: upToEnd(tokens, model.info.eos), picksNear: picksNearOf(model, text) };
}

/** `off`: how far logits may be off. */
export const picksNearOf = (model: Tokenizer, text: AskedText, off = OFF): PicksNear => {
  const asked = { ...text, prompt: model.tokenize(text.prompt) };
  return (follow) => loadOracle().picksNear(asked, Int32Array.from(follow), off);
};

/** Up to the first token that ends a text, and with it. */
export function upToEnd(tokens: Iterable<number>, eos: number): number[] {
  const all = [...tokens];
  const end = all.indexOf(eos);
  return end < 0 ? all : all.slice(0, end + 1);
}

/** A chain that begins with `logit_bias()` and does not end the text: see `endless`. */
export const bansEnd = ({ info }: Pick<Model, "info">): LlamaSampler => ({
  name: "logit_bias",
  biases: [[info.eos, -Infinity]],
});
