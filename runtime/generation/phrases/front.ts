/** The tokens that are masked at one place of a text: no candidates there, in the graph, in front of the chain. */
import { compileProgram, graphOf } from "@ggsl/compiler/driver.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { prepend } from "@ggsl/compiler/graph/prepend.js";
import { setsOf } from "@ggsl/compiler/graph/sets.js";
import type { SavedSequence } from "../../sequence/savedSequence.js";
import type { Phrase } from "../../sequence/phrases/phrases.js";

/** Phrases that a text must not have. */
export interface PhraseOptions {
  /**
   * Texts and regular expressions that are not written. A text is held back while it may become one of them; where it is one, it is taken
   * back to the token in which the phrase begins, and goes on with another one, by the same random number. What was given stays: a phrase
   * that begins there is taken back to the first token that was held back. The prompt does not count.
   * @default none
   */
  readonly bannedPhrases?: readonly Phrase[] | undefined;
  /**
   * How often the text may be taken back because of `bannedPhrases`, at most 65536; 64 times to one place. At the next phrase it ends,
   * before it, with the finish `rewinds`.
   * @default 256
   * @unit rewinds
   */
  readonly maxRewinds?: number | undefined;
}

export const REWINDS = 256;
export const MAX_REWINDS = 2 ** 16;

/** Not the name of a parameter of a program. */
export const MASKED = "masked tokens";
/** The most tokens that are masked at one place. */
export const MOST_MASKED = 64;

let front: Graph | undefined;

function frontGraph(): Graph {
  const set = `tokens(${MOST_MASKED})`;
  const program = `sampler unless(masked: ${set}) { keep token not in masked }\nchain front(masked: ${set} = tokens()) = unless(masked)`;
  const graph = graphOf(compileProgram(program, { outputs: ["logits"] }));
  return { ...graph, sets: setsOf(graph).map((one) => ({ ...one, name: MASKED })) };
}

/** Whether `withPhrases` adds something. */
const bans = ({ bannedPhrases = [] }: PhraseOptions): boolean => bannedPhrases.length > 0;

const made = new WeakMap<Graph, Graph>();

/** The graph for these options; without phrases the graph itself. */
export function withPhrases(graph: Graph, options: PhraseOptions): Graph {
  if (!bans(options)) return graph;
  const known = made.get(graph) ?? prepend((front ??= frontGraph()), graph);
  made.set(graph, known);
  return known;
}

/** A saved sequence of the chain alone. */
export function withoutPhrases(saved: SavedSequence): SavedSequence {
  if (!saved.sets || !Object.hasOwn(saved.sets, MASKED)) return saved;
  const { [MASKED]: _, ...own } = saved.sets;
  const { sets: _sets, ...rest } = saved;
  return Object.keys(own).length > 0 ? { ...rest, sets: own } : rest;
}
