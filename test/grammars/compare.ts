/** Compares the masks and verdicts of the engine of grammars with those of llama.cpp's on random texts. */
import { hasBit } from "../../runtime/grammars/bits.js";
import { openGrammar } from "../../runtime/grammars/open.js";
import type { GrammarState } from "../../runtime/grammars/types.js";
import { isOther, llamaState } from "./oracle.js";
import { endsOf, tokensOf, walk, type Words } from "./walk.js";

/** The only one that does. */
type One = "the engine" | "llama.cpp";

interface Difference {
  readonly text: string;
  readonly token: string;
  readonly allowedBy: One;
}

interface Comparison {
  readonly steps: number;
  readonly differences: readonly Difference[];
  /** Of each mask after the first of a text. */
  readonly milliseconds: { readonly ours: number[]; readonly theirs: number[] };
}

const ours = ({ vocabulary }: Words, gbnf: string): GrammarState => openGrammar({ gbnf }, { vocabulary, now: true });

export function compareMasks(
  words: Words,
  gbnf: string,
  random: (n: number) => number,
  { texts, length }: { readonly texts: number; readonly length: number },
): Comparison {
  const differences: Difference[] = [];
  const milliseconds = { ours: [] as number[], theirs: [] as number[] };
  const ends = endsOf(words.vocabulary);
  let steps = 0;
  for (let i = 0; i < texts; i++) {
    let [here, there] = [ours(words, gbnf), llamaState(words, gbnf)];
    let text = "";
    for (let n = 0; n < length; n++) {
      steps++;
      const start = performance.now();
      const a = here.bits();
      const between = performance.now();
      const b = there.bits();
      if (n > 0) {
        milliseconds.ours.push(between - start);
        milliseconds.theirs.push(performance.now() - between);
      }
      const both = tokensOf(a.map((word, at) => word & b[at]!)).filter((token) => !ends.has(token));
      for (const token of tokensOf(a.map((word, at) => word ^ b[at]!))) {
        if (isOther(words, token)) continue;
        const allowedBy = hasBit(a, token) ? "the engine" : "llama.cpp";
        differences.push({ text, token: words.texts[token]!, allowedBy });
      }
      const token = both.length > 0 ? both[random(both.length)]! : undefined;
      if (token === undefined) break;
      text += words.texts[token]!;
      [here, there] = [here.accept(token), there.accept(token)];
    }
  }
  return { steps, differences, milliseconds };
}

interface Verdicts {
  accepted: number;
  refused: number;
  readonly differences: { readonly text: string; readonly acceptedBy: One }[];
}

/** Whole texts: random ones that the grammar accepts, and the same with a character changed, cut into tokens by the vocabulary. */
export function compareVerdicts(words: Words, gbnf: string, random: (n: number) => number, texts: number): Verdicts {
  const verdicts: Verdicts = { accepted: 0, refused: 0, differences: [] };
  const [here, there] = [ours(words, gbnf), llamaState(words, gbnf)];
  for (let i = 0; i < texts; i++) {
    const right = walk(here, words, random, 3 + random(20)).text;
    for (const text of [right, changed(right, random)]) {
      const tokens = words.vocabulary.tokenize(Buffer.from(text).toString("latin1"));
      const [a, b] = [here, there].map((start) => accepts(start, tokens, words.model.info.eos));
      verdicts[b ? "accepted" : "refused"]++;
      if (a !== b) verdicts.differences.push({ text, acceptedBy: a ? "the engine" : "llama.cpp" });
    }
  }
  return verdicts;
}

function accepts(start: GrammarState, tokens: Iterable<number>, end: number): boolean {
  try {
    let at = start;
    for (const token of [...tokens, end]) at = at.accept(token);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== "INVALID_ARGUMENT") throw error;
    return false;
  }
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
