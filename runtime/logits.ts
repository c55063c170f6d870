/** The logits of a model's next token, as input of `Chain.evaluate`. */
import { onAbort } from "./aborts.js";
import { contextSettings, type ContextSettings } from "./contextOptions.js";
import * as is from "./check.js";
import { abortError, InputError, translate, translated } from "./errors.js";
import * as checks from "./optionChecks.js";
import type { LoadedModel } from "./generate.js";
import type { NativeContext } from "./native/binding.js";
import { promptTokens, type TokenizeOptions } from "./prompt.js";

/** How a prompt is decoded. Settings of the context default to those given to `loadModel`. */
export interface LogitsOptions extends ContextSettings, TokenizeOptions {
  readonly signal?: AbortSignal | undefined;
}

const checkOptions = is.options({ signal: checks.signal, special: is.flag });

/** Decodes the prompt in a context of its own without a chain, which returns the model's raw logits. */
export async function nextLogits(
  { native, settings }: LoadedModel,
  prompt: string | Int32Array,
  options: LogitsOptions,
): Promise<Float32Array> {
  checks.prompt(translated(() => native.info).vocabSize)(prompt, "prompt");
  checkOptions(options, "options");
  const { signal, special, ...own } = options;
  const { promptBatch: _, ...merged } = contextSettings(own, settings);
  const tokens = promptTokens(native, prompt, { special });
  if (signal?.aborted) throw abortError(signal);
  let context: NativeContext | undefined;
  const ignore = onAbort(signal, () => context?.abort());
  try {
    // the logits are read back anyway, so the check needs no copy
    context = await native.createContext({ ...merged, checkLogits: true });
    signal?.throwIfAborted();
    checkLength(tokens.length, Math.min(merged.contextSize ?? Infinity, context.contextSize));
    const outputs = new Uint8Array(tokens.length);
    outputs[tokens.length - 1] = 1;
    const positions = Int32Array.from(tokens, (_, i) => i);
    const [output] = await context.decode({ tokens, positions, sequences: new Int32Array(tokens.length), outputs });
    return output!.logits!;
  } catch (error) {
    throw translate(error, signal);
  } finally {
    ignore();
    context?.dispose();
  }
}

function checkLength(length: number, contextSize: number): void {
  if (length > contextSize)
    throw new InputError(
      `the prompt has ${length} tokens, and the context size is ${contextSize}: shorten the prompt or set a larger context size`,
      { code: "CONTEXT_FULL" },
    );
}
