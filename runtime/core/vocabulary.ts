/** Vocabularies: the texts of tokens, from a model or from a list. */
import { invalid } from "./errors.js";
import { show } from "@ggsl/compiler/core/show.js";

/** A vocabulary. Texts are byte strings, one character per byte. */
export interface Vocabulary {
  /** Each token detokenized alone, as breakers are compared with: without a blank that is put before a text. */
  readonly pieces: readonly string[];
  /** What each token adds to a text, special tokens with theirs; absent: the same as `pieces`. */
  readonly texts?: readonly string[] | undefined;
  /** The tokens of each class; absent where they are not known, as in a list of texts. */
  readonly classes?: Readonly<Record<TokenClass, readonly number[]>> | undefined;
  /** The tokens of a text, given as a byte string; no special token is added. */
  tokenize(text: string): Int32Array;
  /** The same with special tokens where the text has theirs; absent: as `tokenize`. */
  tokenizeSpecial?(text: string): Int32Array;
}

/** `control`: llama.cpp's control tokens; `end`: those that end a generation. */
export type TokenClass = "control" | "end";

/** A vocabulary, or the texts of its tokens, the text of token 0 first. */
export type GivenVocabulary = Vocabulary | readonly string[];

const encoder = new TextEncoder();

/** Few bytes as a byte string. */
export const byteString = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");

/** A text as a byte string. */
export const toBytes = (text: string): string => byteString(encoder.encode(text));

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A byte string as a text; U+FFFD replaces what is no whole character. */
export const fromBytes = (bytes: string): string =>
  decoder.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));

/** What each token adds to a text. */
export const textsOf = ({ texts, pieces }: Vocabulary): readonly string[] => texts ?? pieces;

const lists = new WeakMap<readonly string[], Vocabulary>();

/** The vocabulary that was given; a list is prepared once. Throws `InputError` for a list with a text twice. */
export function vocabularyFrom(given: GivenVocabulary): Vocabulary {
  if (!isList(given)) return given;
  const known = lists.get(given) ?? listVocabulary(given);
  lists.set(given, known);
  return known;
}

const isList = (given: GivenVocabulary): given is readonly string[] => Array.isArray(given);

function listVocabulary(texts: readonly string[]): Vocabulary {
  const pieces = texts.map(toBytes);
  const ids = new Map<string, number>();
  for (const [token, piece] of pieces.entries()) {
    const first = ids.get(piece);
    if (first !== undefined)
      throw invalid(
        `the tokens ${first} and ${token} of the vocabulary have the same text, ${show(texts[token])}: give each its own`,
      );
    ids.set(piece, token);
  }
  const longest = pieces.reduce((most, { length }) => Math.max(most, length), 0);
  return { pieces, tokenize: (text) => longestMatches(text, ids, longest) };
}

/** The tokens of a text: at each place the longest that fits. */
function longestMatches(text: string, ids: ReadonlyMap<string, number>, longest: number): Int32Array {
  const tokens: number[] = [];
  for (let at = 0; at < text.length;) {
    let length = Math.min(longest, text.length - at);
    while (length > 0 && !ids.has(text.slice(at, at + length))) length--;
    if (length === 0) throw invalid(`no token of the vocabulary begins ${show(fromBytes(text.slice(at)))}`);
    tokens.push(ids.get(text.slice(at, at + length))!);
    at += length;
  }
  return Int32Array.from(tokens);
}
