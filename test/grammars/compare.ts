/** Compares XGrammar's masks and verdicts with those of llama.cpp's engine on random texts. */
import { InputError } from "../../runtime/core/errors.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { hasBit } from "../../runtime/grammars/bits.js";
import { openGrammar } from "../../runtime/grammars/open.js";
import { llamaState } from "../../runtime/grammars/llama.js";
import { endsOf, tokensOf, walk, type Words } from "./walk.js";

export interface Difference {
  readonly text: string;
  readonly token: string;
  readonly allowedBy: "XGrammar" | "llama.cpp";
}

export interface Comparison {
  readonly steps: number;
  readonly differences: readonly Difference[];
  /** Of each mask after the first of a text. */
  readonly milliseconds: { readonly ours: number[]; readonly theirs: number[] };
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
  const milliseconds = { ours: [] as number[], theirs: [] as number[] };
  const ends = endsOf(words.vocabulary);
  let steps = 0;
  for (let i = 0; i < texts; i++) {
    let ours = openGrammar({ gbnf }, { vocabulary: words.vocabulary, openLlama, now: true });
    let theirs = openLlama(gbnf);
    let text = "";
    for (let n = 0; n < length; n++) {
      steps++;
      const start = performance.now();
      const a = ours.bits();
      const between = performance.now();
      const b = theirs.bits();
      if (n > 0) {
        milliseconds.ours.push(between - start);
        milliseconds.theirs.push(performance.now() - between);
      }
      const both = tokensOf(a.map((word, at) => word & b[at]!)).filter((token) => !ends.has(token));
      for (const token of tokensOf(a.map((word, at) => word ^ b[at]!))) {
        const piece = words.texts[token]!;
        if (never(words, token) || isPartial(piece)) continue;
        differences.push({ text, token: piece, allowedBy: hasBit(a, token) ? "XGrammar" : "llama.cpp" });
      }
      const token = both.length > 0 ? both[random(both.length)]! : undefined;
      if (token === undefined) break;
      text += words.texts[token]!;
      ours = ours.accept(token);
      theirs = theirs.accept(token);
    }
  }
  return { steps, differences, milliseconds };
}

export interface Verdicts {
  accepted: number;
  refused: number;
  readonly differences: { readonly text: string; readonly acceptedBy: "XGrammar" | "llama.cpp" }[];
}

/** Whole texts: random ones that the grammar accepts, and the same with a character changed, cut into tokens by the vocabulary. */
export function compareVerdicts(words: Words, gbnf: string, random: (n: number) => number, texts: number): Verdicts {
  const { Grammar } = loadBinding();
  const whole = new Grammar(words.model, gbnf);
  const place = { vocabulary: words.vocabulary, openLlama: () => llamaState(whole), now: true };
  const { eos } = words.model.info;
  const verdicts: Verdicts = { accepted: 0, refused: 0, differences: [] };
  const ours = (tokens: readonly number[]): void => {
    const start = openGrammar({ gbnf }, place);
    const end = tokens.reduce((state, token) => state.accept(token), start);
    if (!hasBit(end.bits(), eos)) throw new InputError("the text is not whole", { code: "INVALID_ARGUMENT" });
    start.release();
  };
  const theirs = (tokens: readonly number[]): void => {
    const grammar = whole.clone();
    for (const token of [...tokens, eos]) grammar.accept(token);
    grammar.dispose();
  };
  const accepts = (judge: (tokens: readonly number[]) => void, tokens: readonly number[]): boolean => {
    try {
      judge(tokens);
      return true;
    } catch (error) {
      if ((error as { code?: string }).code === "LIMIT_EXCEEDED") throw error;
      return false;
    }
  };
  for (let i = 0; i < texts; i++) {
    const start = openGrammar({ gbnf }, place);
    const right = walk(start, words, random, 3 + random(20)).text;
    start.release();
    for (const text of [right, changed(right, random)]) {
      const tokens = [...words.vocabulary.tokenize(Buffer.from(text).toString("latin1"))];
      const [here, there] = [accepts(ours, tokens), accepts(theirs, tokens)];
      verdicts[there ? "accepted" : "refused"]++;
      if (here !== there) verdicts.differences.push({ text, acceptedBy: here ? "XGrammar" : "llama.cpp" });
    }
  }
  return verdicts;
}

const OTHERS = Array.from("abz09 \n\"'\\()[]{}+-*/=.,:;ABZ_\té€😀");

/** A text with one character left out, put in, replaced by another, or twice. */
function changed(text: string, random: (n: number) => number): string {
  const characters = Array.from(text);
  const at = random(characters.length + 1);
  const other = OTHERS[random(OTHERS.length)]!;
  const put = [[], [other, characters[at] ?? ""], [other], [characters[at] ?? "", characters[at] ?? ""]][random(4)]!;
  return [...characters.slice(0, at), ...put, ...characters.slice(at + 1)].join("");
}
