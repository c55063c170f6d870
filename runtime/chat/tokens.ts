/** From a rendered conversation to tokens, with the model that has them. */
import { InputError, translated } from "../core/errors.js";
import type { NativeModel } from "../backends/native/binding.js";
import { tokenText } from "../sequence/prompt.js";
import { tokenizeInTurn, type TextClient } from "../sequence/tokenizing.js";
import type { Part, Rendered } from "./letters.js";

const known = new WeakMap<NativeModel, string>();

/** The texts that only `special` reads as tokens, as JSON. */
export function controlTexts(model: NativeModel): string {
  const present = known.get(model);
  if (present !== undefined) return present;
  const unknown = model.info.metadata["tokenizer.ggml.unknown_token_id"];
  const classes = translated(() => model.classes());
  const tokens = [...classes.keys()].filter((token) => classes[token]! & 1 || String(token) === unknown);
  const list = JSON.stringify(tokens.map((token) => tokenText(model, token)));
  known.set(model, list);
  return list;
}

/**
 * The tokens of a prompt, without a special token at its end; `mostTokens`: how many the caller can use, 0 for any number. Rejects
 * with CONTEXT_FULL as soon as there are more, with BUSY, and with what aborted the signal.
 */
export async function renderedTokens(
  model: NativeModel,
  { text, parts }: Pick<Rendered, "text" | "parts">,
  mostTokens: number,
  client: TextClient = {},
): Promise<Int32Array> {
  const lists: Int32Array[] = [];
  const blanks = new Blanks(model);
  let count = 0;
  for (const part of parts) {
    const own = blanks.without(text.slice(part.from, part.to), part);
    if (own === "") continue;
    const tokens = await tokenizeInTurn(
      model,
      { text: own, isWhole: false, special: part.special, mostTokens },
      client,
    );
    lists.push(tokens);
    count += tokens.length;
    if (mostTokens > 0 && count > mostTokens)
      throw new InputError(`the conversation has more than ${mostTokens} tokens: shorten it`, { code: "CONTEXT_FULL" });
  }
  const { addsBos, bos } = model.info;
  const first = lists.find((list) => list.length > 0)?.[0];
  if (addsBos && first !== bos) lists.unshift(Int32Array.of(bos));
  return joined(lists);
}

/** Some special tokens take the blanks beside them, as those of Phi 3 do. */
class Blanks {
  /** By the text with a blank at its side. */
  readonly #taken = new Map<string, boolean>();

  constructor(private readonly model: NativeModel) {}

  /** A part without the blanks that the tokens beside it take. */
  without(text: string, { before, after }: Part): string {
    const begun = before !== undefined && this.#isOneToken(`${before} `) ? text.trimStart() : text;
    return after !== undefined && this.#isOneToken(` ${after}`) ? begun.trimEnd() : begun;
  }

  #isOneToken(text: string): boolean {
    const known = this.#taken.get(text) ?? this.model.tokenize(text, false, true).length === 1;
    this.#taken.set(text, known);
    return known;
  }
}

function joined(lists: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}
