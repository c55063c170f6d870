/** The feature `completes(sequences)`: the tokens that would complete one of some sequences of tokens. */
import type { TokenSequence } from "@ggsl/compiler/graph/graph.js";
import { show } from "@ggsl/compiler/core/show.js";
import { InputError, invalid } from "../../core/errors.js";
import { toBytes, vocabularyFrom, type GivenVocabulary } from "../../core/vocabulary.js";

/** A sequence of tokens without its last one, and that token. */
interface Completion {
  readonly before: readonly number[];
  readonly token: number;
}

export interface Completions {
  /** How many of the last tokens they compare. */
  readonly longest: number;
  /** Sequences of one token. */
  readonly always: readonly number[];
  /** All others, by the token before the last. */
  readonly after: ReadonlyMap<number, readonly Completion[]>;
}

/** Prepares sequences. Throws `InputError` for a text without a vocabulary, and for what is no token of it. */
export function completionsOf(
  sequences: readonly TokenSequence[],
  vocabulary: GivenVocabulary | undefined,
  vocabSize: number,
): Completions {
  const lists = sequences.map((sequence) => tokensOf(sequence, vocabulary));
  const stray = lists.flat().find((token) => token >= vocabSize);
  if (stray !== undefined) throw invalid(`\`completes\`: ${stray} is not a token of a vocabulary of ${vocabSize}`);
  const after = new Map<number, Completion[]>();
  for (const list of lists) {
    const [before, token] = [list.slice(0, -1), list.at(-1)!];
    const previous = before.at(-1);
    if (previous !== undefined) after.set(previous, [...(after.get(previous) ?? []), { before, token }]);
  }
  return {
    longest: lists.reduce((most, { length }) => Math.max(most, length - 1), 0),
    always: lists.flatMap((list) => (list.length === 1 ? list : [])),
    after,
  };
}

function tokensOf(sequence: TokenSequence, vocabulary: GivenVocabulary | undefined): number[] {
  if (typeof sequence === "number") return [sequence];
  if (typeof sequence !== "string") return [...sequence];
  if (!vocabulary)
    throw new InputError(
      `\`completes\` has the text ${show(sequence)}, which needs a model's vocabulary; without one, give lists of token ids`,
      { code: "MISSING_VOCABULARY" },
    );
  const tokens = [...vocabularyFrom(vocabulary).tokenize(toBytes(sequence))];
  if (tokens.length === 0) throw invalid(`\`completes\`: the text ${show(sequence)} has no tokens`);
  return tokens;
}

/** For each token that completes sequences after this text, how many they are. */
export function completing({ always, after }: Completions, history: Int32Array): Map<number, number> {
  const found = new Map<number, number>();
  const count = (token: number): unknown => found.set(token, (found.get(token) ?? 0) + 1);
  always.forEach(count);
  for (const { before, token } of after.get(history.at(-1) ?? -1) ?? []) {
    const start = history.length - before.length;
    if (start >= 0 && before.every((part, i) => part === history[start + i])) count(token);
  }
  return found;
}
