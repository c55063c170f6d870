/** Sets of tokens: what a graph says of them, and the columns and conditions that read them. */
import { LIMITS } from "../limits/format.js";
import { columnName } from "./features.js";
import type { Feature, FeaturePart, Graph, Input, TokenItem, TokenSet } from "./graph.js";
import { patternFault } from "./patterns.js";
import { show } from "../core/show.js";
import { isName, isText, isToken } from "./values.js";

/** The most tokens of a set that can change with every token. */
export const MAX_CAPACITY = 2 ** 16;

export const TOKEN_CLASSES = ["control", "end"] as const;
export type TokenClass = (typeof TOKEN_CLASSES)[number];

/** The sets of a graph. */
export const setsOf = ({ sets }: Pick<Graph, "sets">): readonly TokenSet[] => sets ?? [];

/** The set that a feature reads. */
export const setOf = ({ from }: Feature): number | undefined => (from.kind === "set" ? from.set : undefined);

/** Whether an input holds a column that never changes: a set that is known when the chain is made. */
export function isConstantInput({ source }: Input, { features }: Pick<Graph, "features">): boolean {
  return source.kind === "dense" && features[source.feature]?.from.kind === "set";
}

/** The name of a part of a feature. */
export const inputName = ({ from }: Feature, kind: FeaturePart): string =>
  kind === "dense" || kind === "bits" ? columnName(from) : `${columnName(from)}.${kind}`;

export const isTokenItem = (x: unknown): x is TokenItem => {
  if (typeof x === "string") return isText(x) && x !== "";
  if (typeof x === "number") return isToken(x);
  if (typeof x !== "object" || x === null) return false;
  const [[key, value] = [], ...more] = Object.entries(x);
  if (more.length > 0) return false;
  return key === "pattern" ? isName(value) : key === "class" && TOKEN_CLASSES.some((name) => name === value);
};

/** The faults of a graph's sets. */
export const setFaults = (graph: Graph): string[] => [
  ...setsOf(graph).flatMap(({ of, name, capacity }, i) => {
    const faults = of.flatMap((item) => {
      const fault = typeof item === "object" && "pattern" in item ? patternFault(item.pattern) : undefined;
      return fault === undefined
        ? []
        : [`the pattern ${show((item as { pattern: string }).pattern)}: ${fault.message}`];
    });
    if ((name === undefined) !== (capacity === undefined)) faults.push("a parameter has a name and a capacity");
    if (capacity !== undefined && capacity > MAX_CAPACITY)
      faults.push(`its capacity must be at most ${MAX_CAPACITY}, found ${capacity}`);
    return faults.map((fault) => `sets[${i}]: ${fault}`);
  }),
  ...graph.features.flatMap(({ from, form }, i) => {
    if (from.kind !== "set") return [];
    const set = setsOf(graph)[from.set];
    if (!set) return [`features[${i}]: there is no set ${from.set}`];
    const isRight =
      set.capacity === undefined
        ? form.kind === "dense"
        : form.kind === "sparse" && form.capacity === set.capacity && form.fill === (from.not ? 1 : 0);
    return isRight ? [] : [`features[${i}]: its form is not that of set ${from.set}`];
  }),
  ...sameNames(graph),
];

/** Parameters have names of their own. */
function sameNames(graph: Graph): string[] {
  const names = [...graph.params.map((p) => p.name), ...setsOf(graph).flatMap(({ name }) => name ?? [])];
  return setsOf(graph).length > 0 && new Set(names).size < names.length
    ? ["sets: two parameters have the same name"]
    : [];
}

/** The most entries of a set of a spec. */
export const isItems = (x: unknown): boolean => Array.isArray(x) && x.length <= LIMITS.list && x.every(isTokenItem);
