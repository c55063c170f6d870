/** The phrases of a sequence: the lists of its graph, and the tokens that begin one where the text was taken back. */
import type { Graph, PhraseItem } from "@ggsl/compiler/graph/graph.js";
import { phrasesOf } from "@ggsl/compiler/graph/phrases.js";
import { invalid } from "../../core/errors.js";
import type { OpenSet } from "../features/sets.js";
import { preparedPhrases } from "./finder.js";
import { phraseForms, type Phrase } from "./phrases.js";

/** By the name of their list. */
export type PhraseValues = ReadonlyMap<string, readonly Phrase[]>;

export const isPhraseName = (graph: Graph, name: string): boolean =>
  phrasesOf(graph).some((list) => list.name === name);

const phraseOf = (item: PhraseItem): Phrase => (typeof item === "string" ? item : { regex: item.pattern });

const NONE: PhraseValues = new Map();

/** The lists with these values; the others are as they were before. Throws `InputError` for one that is not right. */
export function phraseValues(
  graph: Graph,
  values: Readonly<Record<string, unknown>>,
  before?: PhraseValues,
): PhraseValues {
  const lists = phrasesOf(graph);
  if (lists.length === 0) return NONE;
  return new Map(
    lists.map(({ name, of }) => {
      const given = Object.hasOwn(values, name) ? values[name] : undefined;
      if (given === undefined) return [name, before?.get(name) ?? checked(of.map(phraseOf), name)];
      if (!Array.isArray(given)) throw invalid(`\`${name}\` is a list of phrases, found ${typeof given}`);
      return [name, checked([...(given as readonly Phrase[])], name)];
    }),
  );
}

function checked(list: readonly Phrase[], name: string): readonly Phrase[] {
  phraseForms(list, name);
  preparedPhrases(list, name);
  return list;
}

interface Sequence {
  readonly graph: Graph;
  readonly sets: readonly OpenSet[];
}

/** The sequence where the text was taken back, because of phrases that begin with these tokens. */
export function withRejected<S extends Sequence>(sequence: S, tokens: Iterable<number>): S {
  const { graph, sets } = sequence;
  const rejected = new Set([...tokens].sort((a, b) => a - b));
  const changed = sets.map((open) => (isPhraseSet(graph, open) ? { ...open, tokens: rejected } : open));
  return { ...sequence, sets: changed };
}

const isPhraseSet = (graph: Graph, { set: { name } }: OpenSet): boolean =>
  name !== undefined && isPhraseName(graph, name);

const EMPTY: ReadonlySet<number> = new Set();

/** The sets at the next place. */
export const withoutRejected = ({ graph, sets }: Sequence): readonly OpenSet[] =>
  phrasesOf(graph).length > 0 && sets.some((open) => open.tokens.size > 0 && isPhraseSet(graph, open))
    ? sets.map((open) => (isPhraseSet(graph, open) ? { ...open, tokens: EMPTY } : open))
    : sets;
