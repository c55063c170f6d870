/** Texts that a chain writes: their tokens come next, whatever it would pick. */
import type { Graph, UniformExpr } from "@ggsl/compiler/graph/graph.js";
import { InputError } from "../core/errors.js";
import { toBytes, vocabularyFrom } from "../core/vocabulary.js";
import type { Feed } from "./features/feed.js";

/** The place in a text of the chain that is next. */
export interface Writing {
  /** Its number in the graph. */
  readonly write: number;
  /** How many of its tokens have come. */
  readonly at: number;
}

/** The tokens of a chain's texts, special ones among them. */
export type WrittenTexts = readonly Int32Array[];

const NO_TEXTS: WrittenTexts = [];

/** Throws `InputError` (`MISSING_VOCABULARY`) without a vocabulary. */
export function writtenTexts({ writes, name }: Graph, feed: Feed): WrittenTexts {
  if (!writes) return NO_TEXTS;
  if (!feed.vocabulary)
    throw new InputError(
      `the chain \`${name}\` writes a text, which needs a model's vocabulary: give \`feed.vocabulary\`, or a model`,
      { code: "MISSING_VOCABULARY" },
    );
  const vocabulary = vocabularyFrom(feed.vocabulary);
  return writes.map(({ text }) => {
    const bytes = toBytes(text);
    return vocabulary.tokenizeSpecial?.(bytes) ?? vocabulary.tokenize(bytes);
  });
}

/** What is written at a place of the text; undefined where the chain picks. */
export function writingAt(
  { writes = [] }: Graph,
  texts: WrittenTexts,
  present: Writing | undefined,
  holds: (when: UniformExpr) => boolean,
): Writing | undefined {
  if (present) return present;
  const write = writes.findIndex(({ when }, i) => texts[i]!.length > 0 && holds(when));
  return write < 0 ? undefined : { write, at: 0 };
}

/** What is left of it after a token: nothing if that is another one. */
export function afterWritten(texts: WrittenTexts, writing: Writing | undefined, token: number): Writing | undefined {
  if (!writing) return undefined;
  const { write, at } = writing;
  const tokens = texts[write]!;
  return token === tokens[at] && at + 1 < tokens.length ? { write, at: at + 1 } : undefined;
}
