/** Sets of tokens in a vocabulary: which tokens a set of the program has. */
import type { TokenItem, TokenSet } from "@ggsl/compiler/graph/graph.js";
import { patternOf } from "@ggsl/compiler/graph/patterns.js";
import { setsOf } from "@ggsl/compiler/graph/sets.js";
import { show } from "@ggsl/compiler/core/show.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { Cache } from "../../core/cache.js";
import { InputError, invalid } from "../../core/errors.js";
import { fromBytes, textsOf, toBytes, type Vocabulary } from "../../core/vocabulary.js";

/** The tokens of a set, in ascending order. */
export interface OpenSet {
  readonly set: TokenSet;
  readonly tokens: ReadonlySet<number>;
}

/** Where the tokens of sets are looked up. */
interface SetLookup {
  readonly vocabulary: Vocabulary | undefined;
  readonly vocabSize: number;
}

/** A list of tokens as a calling program gives it: ids, and texts that are one token. */
export type TokenList = readonly (number | string)[];

/** The sets of a graph. Throws `InputError` for a set that needs a vocabulary or that the vocabulary does not have. */
export const openSets = (graph: Graph, place: SetLookup): OpenSet[] =>
  setsOf(graph).map((set) => {
    const open = {
      set,
      tokens: keptFor(place).tokens.getOrMake(JSON.stringify(set.of), () => tokensOf(set.of, place)),
    };
    checkCapacity(open);
    return open;
  });

/** The sets with other values of parameters, by name. */
export function withSets(
  sets: readonly OpenSet[],
  values: ReadonlyMap<string, TokenList>,
  place: SetLookup,
): OpenSet[] {
  return sets.map((open) => {
    const { name } = open.set;
    const list = name === undefined ? undefined : values.get(name);
    if (!list) return open;
    try {
      const changed = { set: open.set, tokens: tokensOf(list, place) };
      checkCapacity(changed);
      return changed;
    } catch (error) {
      if (error instanceof InputError)
        throw new InputError(`\`${name}\`: ${error.message}`, { code: error.code, cause: error });
      throw error;
    }
  });
}

function checkCapacity({ set: { name, capacity }, tokens }: OpenSet): void {
  if (capacity !== undefined && tokens.size > capacity)
    throw invalid(`\`${name}\` takes at most ${capacity} tokens, found ${tokens.size}`);
}

/** 1 for each token of the set and 0 for the others, or the other way round; the same object for equal sets. */
export function maskOf({ set, tokens }: OpenSet, isNegated: boolean, place: SetLookup): Float32Array {
  const key = JSON.stringify([set.of, isNegated]);
  return keptFor(place).mask.getOrMake(key, () => {
    const mask = new Float32Array(place.vocabSize).fill(isNegated ? 1 : 0);
    for (const token of tokens) mask[token] = isNegated ? 0 : 1;
    return mask;
  });
}

// ---------------------------------------------------------------- what is kept for each vocabulary

interface Kept {
  readonly tokens: Cache<ReadonlySet<number>>;
  readonly mask: Cache<Float32Array>;
}

/** Sets and masks that are kept for each vocabulary and size. */
const MAX_KEPT = 64;
const NO_VOCABULARY = {};
const kept = new WeakMap<object, Map<number, Kept>>();

function keptFor({ vocabulary, vocabSize }: SetLookup): Kept {
  const owner = vocabulary ?? NO_VOCABULARY;
  const sizes = kept.get(owner) ?? new Map<number, Kept>();
  kept.set(owner, sizes);
  const all = sizes.get(vocabSize) ?? { tokens: new Cache(MAX_KEPT), mask: new Cache(MAX_KEPT) };
  sizes.set(vocabSize, all);
  return all;
}

// ---------------------------------------------------------------- the tokens of an entry

function tokensOf(items: readonly TokenItem[], place: SetLookup): ReadonlySet<number> {
  const found = new Set<number>();
  for (const item of items)
    for (const token of tokensOfItem(item, place)) {
      if (token < place.vocabSize) found.add(token);
      else if (typeof item === "number") throw invalid(`${item} is not a token of a vocabulary of ${place.vocabSize}`);
    }
  return new Set([...found].sort((a, b) => a - b));
}

function tokensOfItem(item: TokenItem, { vocabulary }: SetLookup): readonly number[] {
  if (typeof item === "number") return [item];
  if (!vocabulary)
    throw new InputError(`${itemText(item)} needs a vocabulary: that of a model, or \`feed.vocabulary\``, {
      code: "MISSING_VOCABULARY",
    });
  if (typeof item === "string") return tokensWithText(item, vocabulary);
  if ("class" in item) {
    const tokens = vocabulary.classes?.[item.class];
    if (tokens) return tokens;
    throw new InputError(
      `${itemText(item)} needs a model's vocabulary: a list of texts does not say which tokens these are`,
      { code: "MISSING_VOCABULARY" },
    );
  }
  const pattern = patternOf(item.pattern);
  const texts = textsOf(vocabulary);
  return [...texts.keys()].filter((token) => pattern.matches(fromBytes(texts[token]!)));
}

const itemText = (item: Exclude<TokenItem, number>): string =>
  typeof item === "string"
    ? `the text ${show(item)} in a set of tokens`
    : "class" in item
      ? `\`tokens.${item.class}\``
      : `the pattern /${item.pattern}/`;

/** The tokens by text, of each vocabulary. */
const indices = new WeakMap<Vocabulary, ReadonlyMap<string, readonly number[]>>();

function indexOf(vocabulary: Vocabulary): ReadonlyMap<string, readonly number[]> {
  const present = indices.get(vocabulary);
  if (present) return present;
  const index = new Map<string, number[]>();
  for (const [token, text] of textsOf(vocabulary).entries()) {
    const same = index.get(text);
    if (same) same.push(token);
    else index.set(text, [token]);
  }
  indices.set(vocabulary, index);
  return index;
}

/** Every token with exactly this text; a byte of its own can have the same text as a character. */
function tokensWithText(text: string, vocabulary: Vocabulary): readonly number[] {
  const found = indexOf(vocabulary).get(toBytes(text));
  if (found) return found;
  throw invalid(`${show(text)} is not one token of the vocabulary${partsText(text, vocabulary)}`);
}

/** The tokens that the text has. */
function partsText(text: string, vocabulary: Vocabulary): string {
  try {
    const texts = textsOf(vocabulary);
    const parts = [...vocabulary.tokenize(toBytes(text))].map((token) => `${token} ${show(fromBytes(texts[token]!))}`);
    return `: it is the tokens ${parts.join(", ")}`;
  } catch (error) {
    if (error instanceof InputError) return `: ${error.message}`;
    throw error;
  }
}
