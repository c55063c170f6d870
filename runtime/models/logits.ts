/** The logits of a model's next token, as input of `Chain.evaluate`. */
import { onAbort } from "../core/aborts.js";
import { CONTEXT_SETTINGS, contextSettings, type ContextSettings } from "../backends/contextOptions.js";
import * as is from "../core/check.js";
import { abortError, InputError, invalid, translate, translated } from "../core/errors.js";
import * as checks from "../core/sharedOptions.js";
import type { LoadedModel } from "../generation/generate.js";
import type { NativeContext } from "../backends/native/binding.js";
import { copied, promptLater, type TokenizeOptions } from "../sequence/prompt.js";

/** How a prompt is decoded. Settings of the context default to those given to `loadModel`. */
export interface LogitsOptions extends ContextSettings, TokenizeOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Of how many of the prompt's last tokens the logits that follow them are wanted, one row after the other.
   * @default 1
   */
  readonly last?: number | undefined;
}

/** The most numbers of all rows: 256 MiB. */
const MAX_NUMBERS = 2 ** 26;

const OPTIONS: is.Checks<LogitsOptions> = {
  ...CONTEXT_SETTINGS,
  signal: checks.signal,
  special: is.flag,
  last: is.integer(1, MAX_NUMBERS),
};
const checkOptions = is.options(OPTIONS);

/** Decodes the prompt in a context of its own without a chain, which returns the model's raw logits. */
export async function nextLogits(
  { native, settings }: LoadedModel,
  prompt: string | Int32Array,
  options: LogitsOptions,
): Promise<Float32Array> {
  checks.prompt(translated(() => native.info).vocabSize)(prompt, "prompt");
  checkOptions(options, "options");
  const { signal, special, last = 1, ...own } = options;
  const { promptBatch: _, ...merged } = contextSettings(own, settings);
  const tokens = await promptLater(native, typeof prompt === "string" ? prompt : copied(prompt), { special, signal });
  checkRows(last, tokens.length, translated(() => native.info).vocabSize);
  if (signal?.aborted) throw abortError(signal);
  let context: NativeContext | undefined;
  const ignore = onAbort(signal, () => context?.abort());
  try {
    // the logits are read back anyway, so the check needs no copy
    context = await native.createContext({ ...merged, checkLogits: true });
    signal?.throwIfAborted();
    checkLength(tokens.length, Math.min(merged.contextSize ?? Infinity, context.contextSize));
    const outputs = new Uint8Array(tokens.length);
    outputs.fill(1, tokens.length - last);
    const positions = Int32Array.from(tokens, (_, i) => i);
    const rows = await context.decode({ tokens, positions, sequences: new Int32Array(tokens.length), outputs });
    return joined(rows.map(({ logits }) => logits!));
  } catch (error) {
    throw translate(error, signal);
  } finally {
    ignore();
    context?.dispose();
  }
}

function joined(rows: readonly Float32Array[]): Float32Array {
  if (rows.length === 1) return rows[0]!;
  const all = new Float32Array(rows.reduce((sum, { length }) => sum + length, 0));
  rows.forEach((row, i) => all.set(row, i * row.length));
  return all;
}

function checkRows(last: number, promptLength: number, vocabSize: number): void {
  const most = Math.min(promptLength, Math.floor(MAX_NUMBERS / vocabSize));
  if (last <= most) return;
  throw invalid(
    `\`last\` must be at most ${most} for a prompt of ${promptLength} tokens and a vocabulary of ${vocabSize}, found ${last}`,
  );
}

function checkLength(length: number, contextSize: number): void {
  if (length > contextSize)
    throw new InputError(
      `the prompt has ${length} tokens, and the context size is ${contextSize}: shorten the prompt or set a larger context size`,
      { code: "CONTEXT_FULL" },
    );
}
