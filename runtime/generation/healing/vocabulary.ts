/** The tokens of a model that are ordinary text, by their bytes. */
import type { NativeModel } from "../../backends/native/binding.js";
import { textsOf } from "../../core/vocabulary.js";
import { vocabularyOf } from "../../sequence/features/model.js";

export interface TextTokens {
  /** The bytes of each token as a byte string; empty for what is no text, as a control token. */
  readonly texts: readonly string[];
  /** The bytes of the longest. */
  readonly longest: number;
  /** A token with exactly these bytes. */
  readonly tokenOf: (bytes: string) => number | undefined;
}

const known = new WeakMap<NativeModel, TextTokens>();

/** Read once of each model. */
export function textTokensOf(model: NativeModel): TextTokens {
  const made = known.get(model) ?? read(model);
  known.set(model, made);
  return made;
}

function read(model: NativeModel): TextTokens {
  const vocabulary = vocabularyOf(model);
  const { control = [], end = [] } = vocabulary.classes ?? {};
  const marks = new Set([...control, ...end]);
  const { pieces } = vocabulary;
  // an unknown token has a text only where special tokens have theirs
  const isText = (token: number): boolean =>
    !marks.has(token) && (pieces[token] !== "" || model.piece(token, false).length > 0);
  const texts = textsOf(vocabulary).map((text, token) => (isText(token) ? text : ""));
  let ids: Map<string, number> | undefined;
  return {
    texts,
    longest: texts.reduce((most, { length }) => Math.max(most, length), 0),
    tokenOf: (bytes) => (ids ??= idsOf(texts)).get(bytes),
  };
}

function idsOf(texts: readonly string[]): Map<string, number> {
  const ids = new Map<string, number>();
  for (const [token, text] of texts.entries()) if (text !== "" && !ids.has(text)) ids.set(text, token);
  return ids;
}

/** By place in the bytes, whether tokens have exactly those from there on. */
export function spellable(bytes: string, { longest, tokenOf }: TextTokens): boolean[] {
  const from = Array.from({ length: bytes.length + 1 }, (_, at) => at === bytes.length);
  for (let at = bytes.length - 1; at >= 0; at--)
    for (let end = Math.min(bytes.length, at + longest); end > at && !from[at]; end--)
      from[at] = from[end]! && tokenOf(bytes.slice(at, end)) !== undefined;
  return from;
}

/** Tokens whose bytes are these, the longest that fits first; undefined if there are none. */
export function spelled(bytes: string, { longest, tokenOf }: TextTokens): readonly number[] | undefined {
  const whole = tokenOf(bytes);
  if (whole !== undefined) return [whole];
  // by place, what the bytes from there on are spelled with
  const from: (readonly number[] | undefined)[] = Array.from({ length: bytes.length });
  from.push([]);
  for (let at = bytes.length - 1; at >= 0; at--)
    for (let end = Math.min(bytes.length, at + longest); end > at && !from[at]; end--) {
      const rest = from[end];
      const token = rest && tokenOf(bytes.slice(at, end));
      if (token !== undefined) from[at] = [token, ...rest!];
    }
  return from[0];
}
