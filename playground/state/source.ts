/** Sources of logits: a shape, a pasted list, or the model. */
import { InputError, invalid } from "ggsl/core/errors.js";

export const SHAPES = ["peaked", "zipf", "flat"] as const;
export type Shape = (typeof SHAPES)[number];

export type LogitSource =
  | { readonly kind: "shape"; readonly shape: Shape; readonly size: number }
  | { readonly kind: "list"; readonly text: string; readonly are: "logits" | "probs" }
  | ModelSource;

/** The model's next token after a prompt. */
interface ModelSource {
  readonly kind: "model";
  readonly prompt: string;
}

type PlainSource = Exclude<LogitSource, ModelSource>;

export const MIN_SIZE = 2;
export const MAX_SIZE = 131_072;
/** The maximum length of a pasted list. */
const MAX_LIST = 4_000_000;

/** @throws InputError for an invalid list */
export function logitsOf(source: PlainSource): Float32Array {
  return source.kind === "shape" ? shapeLogits(source.shape, source.size) : parseList(source.text, source.are);
}

/** Token 0 is the likeliest. */
function shapeLogits(shape: Shape, size: number): Float32Array {
  if (!Number.isInteger(size) || size < MIN_SIZE || size > MAX_SIZE)
    throw invalid(`the vocabulary must be an integer from ${MIN_SIZE} to ${MAX_SIZE}, found ${size}`);
  return Float32Array.from({ length: size }, (_, i) => LOGIT[shape](i));
}

const LOGIT: Readonly<Record<Shape, (i: number) => number>> = {
  // one token far ahead of a tail that halves every third token
  peaked: (i) => (i === 0 ? 2.5 : (-i * Math.LN2) / 3),
  // word frequencies: the probability of the i-th token is proportional to 1 / i
  zipf: (i) => -Math.log(i + 1),
  // almost flat, so that the order is defined
  flat: (i) => -i / 1000,
};

/** Numbers separated by commas, spaces or line ends, with or without brackets; `-inf` and `null` mark dropped tokens. */
function parseList(text: string, are: "logits" | "probs"): Float32Array {
  if (text.length > MAX_LIST)
    throw new InputError(`the list has ${text.length} characters; at most ${MAX_LIST} are allowed`, {
      code: "LIMIT_EXCEEDED",
    });
  const parts = text
    .replace(/^\s*\[|\]\s*$/g, "")
    .split(/[\s,;]+/)
    .filter((part) => part !== "");
  if (parts.length < MIN_SIZE || parts.length > MAX_SIZE)
    throw invalid(
      `expected ${MIN_SIZE} to ${MAX_SIZE} numbers with commas between them, as in 1.5, 0, -2; found ${parts.length}`,
    );
  const numbers = Float32Array.from(parts, (part, i) => parseNumber(part, i));
  return are === "logits" ? numbers : logitsOfProbs(numbers);
}

function parseNumber(part: string, i: number): number {
  const text = part.replace(/^"(.*)"$/, "$1");
  if (/^(-inf(inity)?|null)$/i.test(text)) return -Infinity;
  const value = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Math.fround(Number(text)) : NaN;
  if (!Number.isFinite(value))
    throw invalid(`number ${i + 1} of the list is "${part.slice(0, 40)}": expected a finite number or -inf`);
  return value;
}

function logitsOfProbs(probs: Float32Array): Float32Array {
  const bad = probs.findIndex((p) => !(p >= 0));
  if (bad >= 0) throw invalid(`number ${bad + 1} of the list is ${probs[bad]}: expected a probability, 0 or more`);
  if (probs.every((p) => p === 0)) throw invalid("every probability of the list is 0, so there is no candidate");
  return probs.map(Math.log);
}
