/** Prompts: text or tokens. */
import { InputError, invalid, translate, translated } from "../core/errors.js";
import type { NativeModel } from "../backends/native/binding.js";
import { tokenizeInTurn, type TextClient } from "./tokenizing.js";

/** Throws `InputError` for a prompt that leaves no room for a token. */
export function checkPromptLength(length: number, contextSize: number, what = "the prompt"): void {
  if (length >= contextSize) {
    throw new InputError(
      `${what} has ${length} tokens, and the context size, for prompt and generated text, is ${contextSize}: shorten the prompt or set a larger context size`,
      { code: "CONTEXT_FULL" },
    );
  }
}

/** The caller's tokens as they are now: it may change or transfer them later. A list whose memory was transferred is empty. */
export const copied = (tokens: Int32Array): Int32Array =>
  tokens.length === 0 ? new Int32Array() : Int32Array.from(tokens);

/** How a text becomes tokens. */
export interface TokenizeOptions {
  /**
   * Special tokens that the text names, such as `<|im_start|>`, are read as these tokens; else they are letters.
   * @default false
   */
  readonly special?: boolean | undefined;
}

/** A prompt whose tokens are determined when the generation starts, such as a conversation. A class, so that no caller can pass one. */
export class LatePrompt {
  constructor(readonly tokens: () => Promise<Int32Array>) {}
}

/**
 * The tokens of a text, with the special tokens that the model adds around it. A text that begins with the text of the first of
 * them, as rendered templates do, gets it once.
 */
export const tokensOf = (model: NativeModel, text: string, { special = false }: TokenizeOptions = {}): Int32Array =>
  withOneBegin(model, model.tokenize(text, true, special), special);

/**
 * The same on another thread, in turns of lanes. Rejects with CONTEXT_FULL for more tokens than `mostTokens`, which the caller can use: 0
 * for any number; with BUSY; and with what aborted the signal.
 */
export const tokensLater = async (
  model: NativeModel,
  text: string,
  { special = false, addSpecial = true, mostTokens = 0, ...client }: LaterOptions = {},
): Promise<Int32Array> => {
  let tokens: Int32Array;
  try {
    const given = { text, isWhole: addSpecial, special, mostTokens };
    const made = await tokenizeInTurn(model, given, client);
    tokens = addSpecial ? withOneBegin(model, made, special) : made;
  } catch (error) {
    throw translate(error, client.signal);
  }
  if (mostTokens > 0 && tokens.length > mostTokens)
    throw new InputError(`the text has ${tokens.length} tokens, at most ${mostTokens} are allowed: shorten it`, {
      code: "CONTEXT_FULL",
    });
  return tokens;
};

interface LaterOptions extends TokenizeOptions, TextClient {
  readonly addSpecial?: boolean | undefined;
  readonly mostTokens?: number | undefined;
}

function withOneBegin(model: NativeModel, tokens: Int32Array, special: boolean): Int32Array {
  const { addsBos, bos } = model.info;
  return special && addsBos && tokens[0] === bos && tokens[1] === bos ? tokens.subarray(1) : tokens;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of one token, special ones with theirs; U+FFFD replaces a partial character. */
export const tokenText = (model: NativeModel, token: number): string =>
  decoder.decode(translated(() => model.piece(token, true)));

/** The tokens of a prompt. Throws `InputError` for an empty prompt. */
export function promptTokens(
  model: NativeModel,
  prompt: string | Int32Array,
  options: TokenizeOptions = {},
): Int32Array {
  return checkedPrompt(typeof prompt === "string" ? tokensOf(model, prompt, options) : prompt);
}

/** The same, with texts on another thread. */
export const promptLater = async (
  model: NativeModel,
  prompt: string | Int32Array,
  { special, lane, signal }: TokenizeOptions & TextClient = {},
): Promise<Int32Array> =>
  checkedPrompt(typeof prompt === "string" ? await tokensLater(model, prompt, { special, lane, signal }) : prompt);

function checkedPrompt(tokens: Int32Array): Int32Array {
  if (tokens.length === 0) throw invalid("the prompt is empty, and the model has no beginning-of-text token");
  return tokens;
}
