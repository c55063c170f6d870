/** The options of ONNX files. */
import { LIMITS } from "../../limits/format.js";
import { show } from "../../core/show.js";
import { checkNames, type OptionNames } from "../../core/optionNames.js";
import { OptionError } from "../../core/optionError.js";

export const SUMS = ["f64", "f32"] as const;

export const LEAST_OPSET = 15;
export const MOST_OPSET = 21;

export interface OnnxOptions {
  /** The vocabulary size; without it the file takes logits of any vocabulary. */
  readonly vocab?: number | undefined;
  /** What sums are added in; default f64, as the reference does. WebGPU has f32 only: prefix sums are then made of blocks. */
  readonly sums?: (typeof SUMS)[number] | undefined;
  /** The version of the operators, from 15 to 21; default 17. */
  readonly opset?: number | undefined;
}

const NAMES: OptionNames<OnnxOptions> = { vocab: true, sums: true, opset: true };

export interface KnownOptions {
  readonly vocab: number | undefined;
  readonly sums: (typeof SUMS)[number];
  readonly opset: number;
}

/** The options with their defaults. Throws `OptionError`. */
export function knownOptions(options: OnnxOptions): KnownOptions {
  checkNames(options, NAMES);
  const { vocab, sums = "f64", opset = 17 } = options;
  if (vocab !== undefined && !isIn(vocab, 1, LIMITS.dim))
    throw new OptionError(`\`vocab\` must be an integer from 1 to ${LIMITS.dim}, found ${show(vocab)}`);
  if (!SUMS.includes(sums)) throw new OptionError(`\`sums\` must be one of ${SUMS.join(", ")}, found ${show(sums)}`);
  if (!isIn(opset, LEAST_OPSET, MOST_OPSET))
    throw new OptionError(`\`opset\` must be an integer from ${LEAST_OPSET} to ${MOST_OPSET}, found ${show(opset)}`);
  return { vocab, sums, opset };
}

const isIn = (x: number, least: number, most: number): boolean => Number.isInteger(x) && x >= least && x <= most;
