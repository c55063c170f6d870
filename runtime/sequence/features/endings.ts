/**
 * What the text so far ends with. Each ending is matched token by token (Knuth, Morris and Pratt), so that the cost of a token
 * follows its own length, not that of the text.
 */
import type { Ending, Graph } from "@ggsl/compiler/graph/graph.js";
import { endingOf, leavesOf, NEVER, uniformExprsOf } from "@ggsl/compiler/graph/uniform.js";
import { InputError } from "../../core/errors.js";
import { textsOf, toBytes, vocabularyFrom, type GivenVocabulary } from "../../core/vocabulary.js";

/** An ending as bytes or token ids, and for each of its beginnings the longest proper suffix that is a beginning too. */
interface Pattern {
  readonly ending: Ending;
  readonly symbols: readonly number[];
  readonly suffixes: readonly number[];
}

/** An ending in a text. Immutable. */
export interface Watch {
  readonly pattern: Pattern;
  /** How much of the ending the text ends with. */
  readonly matched: number;
  /** Tokens since the text last ended with all of it. */
  readonly since: number;
}

/** Names an ending; a text and a list never share one. */
export const keyOf = (ending: Ending): string => (typeof ending === "string" ? `"${ending}` : ending.join());

/** The endings that a graph asks for, before the first token. Throws `InputError` for a text without a vocabulary. */
export function openWatches(graph: Graph, vocabulary: () => GivenVocabulary | undefined): ReadonlyMap<string, Watch> {
  const watches = new Map<string, Watch>();
  for (const ending of uniformExprsOf(graph).flatMap(leavesOf).map(endingOf)) {
    if (ending === undefined || watches.has(keyOf(ending))) continue;
    if (typeof ending === "string" && !vocabulary())
      throw new InputError(
        `the chain \`${graph.name}\` compares the text with ${JSON.stringify(ending)}, which needs a model's vocabulary; without one, give a list of token ids`,
        { code: "MISSING_VOCABULARY" },
      );
    watches.set(keyOf(ending), { pattern: patternOf(ending), matched: 0, since: NEVER });
  }
  return watches;
}

function patternOf(ending: Ending): Pattern {
  const symbols = typeof ending === "string" ? codesOf(toBytes(ending)) : ending;
  const suffixes = [0];
  for (let i = 1, length = 0; i < symbols.length; i++) {
    while (length > 0 && symbols[i] !== symbols[length]) length = suffixes[length - 1]!;
    if (symbols[i] === symbols[length]) length++;
    suffixes.push(length);
  }
  return { ending, symbols, suffixes };
}

const codesOf = (text: string): number[] => Array.from(text, (byte) => byte.charCodeAt(0));

/** The watches after more tokens of the text. */
export function acceptWatches(
  watches: ReadonlyMap<string, Watch>,
  tokens: Int32Array | readonly number[],
  vocabulary: () => GivenVocabulary | undefined,
): ReadonlyMap<string, Watch> {
  if (watches.size === 0 || tokens.length === 0) return watches;
  return new Map([...watches].map(([key, watch]) => [key, afterTokens(watch, tokens, vocabulary)]));
}

function afterTokens(
  watch: Watch,
  tokens: Int32Array | readonly number[],
  vocabulary: () => GivenVocabulary | undefined,
): Watch {
  const { pattern } = watch;
  const { symbols, suffixes } = pattern;
  let { matched, since } = watch;
  const read = (symbol: number): void => {
    if (matched === symbols.length) matched = suffixes[matched - 1]!;
    while (matched > 0 && symbols[matched] !== symbol) matched = suffixes[matched - 1]!;
    if (symbols[matched] === symbol) matched++;
  };
  const texts = typeof pattern.ending === "string" ? textsOf(vocabularyFrom(vocabulary()!)) : undefined;
  for (const token of tokens) {
    if (!texts) read(token);
    else for (const byte of texts[token] ?? "") read(byte.charCodeAt(0));
    since = matched === symbols.length ? 0 : Math.min(since + 1, NEVER);
  }
  return { pattern, matched, since };
}

// ---------------------------------------------------------------- saving

/** A watch as JSON. */
export interface SavedWatch {
  readonly ending: Ending;
  readonly matched: number;
  readonly since: number;
}

export const saveWatches = (watches: ReadonlyMap<string, Watch>): SavedWatch[] =>
  [...watches.values()].map(({ pattern: { ending }, matched, since }) => ({ ending, matched, since }));

/** The watches of a chain as they were saved; undefined if one is missing or does not match. */
export function restoreWatches(
  fresh: ReadonlyMap<string, Watch>,
  saved: readonly SavedWatch[],
): ReadonlyMap<string, Watch> | undefined {
  const known = new Map(saved.map((watch) => [keyOf(watch.ending), watch]));
  const restored = new Map<string, Watch>();
  for (const [key, { pattern }] of fresh) {
    const found = known.get(key);
    if (!found || found.matched > pattern.symbols.length) return undefined;
    restored.set(key, { pattern, matched: found.matched, since: found.since });
  }
  return restored;
}
