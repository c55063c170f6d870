/** The phrases of a graph, which must not be written. */
import { LIMITS } from "../limits/format.js";
import { show } from "../core/show.js";
import type { Graph, PhraseItem, PhraseList } from "./graph.js";
import { patternFault } from "./patterns.js";
import { setsOf } from "./sets.js";
import { isName, isText } from "./values.js";

export const phrasesOf = ({ phrases }: Pick<Graph, "phrases">): readonly PhraseList[] => phrases ?? [];

/** The most tokens that are masked at one place of a text. */
export const MOST_MASKED = 64;

/** Whether a list is given by the calling program. */
export const isPhraseParam = ({ name }: PhraseList): boolean => !name.includes(" ");

const isPhraseItem = (x: unknown): x is PhraseItem => {
  if (typeof x === "string") return isText(x) && x !== "";
  if (typeof x !== "object" || x === null) return false;
  const [[key, value] = [], ...more] = Object.entries(x);
  return more.length === 0 && key === "pattern" && isName(value);
};

/** The phrases of a list of a spec. */
export const isPhraseItems = (x: unknown): boolean =>
  Array.isArray(x) && x.length <= LIMITS.list && x.every(isPhraseItem);

/** A part of a pattern without escapes and classes. */
const PLAIN = /\\.|\[\^?\]?(?:\\.|[^\]\\])*\]/gs;

/** What is wrong with a pattern as a phrase. The host knows more: how long its longest match is. */
export function phraseFault(pattern: string): string | undefined {
  const fault = patternFault(pattern);
  if (fault) return fault.message;
  if (/\\[bBAz]/.test(pattern.replace(/\\\\/g, "")) || /[$^]/.test(pattern.replace(PLAIN, "")))
    return "a phrase cannot look around, as `^`, `$` and `\\b` do";
  if (/[*+]|\{\d*,\}/.test(pattern.replace(PLAIN, "")))
    return "its longest match has no bound, and all of it would be held back: give repetitions bounds, such as `{0,40}`";
  return undefined;
}

/** The faults of a graph's phrases. */
export function phraseFaults(graph: Graph): string[] {
  const phrases = phrasesOf(graph);
  if (phrases.length > LIMITS.params) return [`phrases: at most ${LIMITS.params} are allowed, found ${phrases.length}`];
  const names = phrases.map(({ name }) => name);
  return [
    ...(new Set(names).size < names.length ? ["phrases: two lists have the same name"] : []),
    ...phrases.flatMap(({ name, of }, i) => {
      const set = setsOf(graph).find((one) => one.name === name);
      const isRight = set?.of.length === 0 && set.capacity === MOST_MASKED;
      const faults = of.flatMap((item) => {
        const fault = typeof item === "object" ? phraseFault(item.pattern) : undefined;
        return fault === undefined ? [] : [`the pattern ${show((item as { pattern: string }).pattern)}: ${fault}`];
      });
      if (!isRight) faults.push(`there is no empty set ${show(name)} of at most ${MOST_MASKED} tokens`);
      return faults.map((fault) => `phrases[${i}]: ${fault}`);
    }),
  ];
}
