/** Compares XGrammar's masks with those of llama.cpp's engine on random texts. */
import { loadBinding } from "../../runtime/native/loader.js";
import { hasBit } from "../../runtime/grammars/bits.js";
import { openGrammar } from "../../runtime/grammars/open.js";
import { llamaState } from "../../runtime/grammars/llama.js";
import type { Words } from "./walk.js";

export interface Difference {
  readonly text: string;
  readonly token: string;
  readonly allowedBy: "XGrammar" | "llama.cpp";
}

export interface Comparison {
  readonly steps: number;
  readonly differences: readonly Difference[];
}

/** Control tokens, and bytes that are in no text: XGrammar never allows them. */
const never = ({ vocabulary, texts }: Words, token: number): boolean =>
  vocabulary.classes!.control.includes(token) || /^\0|[\xc0\xc1\xf5-\xff]/.test(texts[token]!);

/** A token that ends inside of a character, which the engines judge otherwise: llama.cpp by the range of what may follow. */
const isPartial = (text: string): boolean => new TextDecoder().decode(Buffer.from(text, "latin1")).includes("\ufffd");

export function compareMasks(
  words: Words,
  gbnf: string,
  random: (n: number) => number,
  { texts, length }: { readonly texts: number; readonly length: number },
): Comparison {
  const { Grammar } = loadBinding();
  const openLlama = (text: string) => llamaState(new Grammar(words.model, text));
  const differences: Difference[] = [];
  let steps = 0;
  for (let i = 0; i < texts; i++) {
    let ours = openGrammar({ gbnf }, { vocabulary: words.vocabulary, openLlama, now: true });
    let theirs = openLlama(gbnf);
    let text = "";
    for (let n = 0; n < length; n++) {
      steps++;
      const [a, b] = [ours.bits(), theirs.bits()];
      const both: number[] = [];
      for (const [token, piece] of words.texts.entries()) {
        const [here, there] = [hasBit(a, token), hasBit(b, token)];
        if (here && there && !words.model.isEnd(token)) both.push(token);
        if (here === there || never(words, token) || isPartial(piece)) continue;
        differences.push({ text, token: piece, allowedBy: here ? "XGrammar" : "llama.cpp" });
      }
      const token = both.length > 0 ? both[random(both.length)]! : undefined;
      if (token === undefined) break;
      text += words.texts[token]!;
      ours = ours.accept(token);
      theirs = theirs.accept(token);
    }
  }
  return { steps, differences };
}
