/**
 * The parts of a grammar that a program asks about: `in_rule(g, "name")`. A source that is read for a program without such questions has no
 * marks, and costs nothing for them.
 */
import { show } from "@ggsl/compiler/core/show.js";
import { suggest } from "@ggsl/compiler/core/suggest.js";
import { RULE_IN_STRINGS } from "@ggsl/compiler/graph/rules.js";
import { InputError } from "../core/errors.js";
import type { Item, Rules } from "./text/rules.js";

interface Wanted {
  readonly names: ReadonlySet<string>;
  /** Those that the source has. */
  readonly known: Set<string>;
}

/** Of the source that is read: reading is never interrupted, so that there is one at most. */
let wanted: Wanted | undefined;

/** Whether the program asks about parts with this name. */
export const isWanted = (name: string): boolean => wanted?.names.has(name) === true;

/** The source has parts with these names. */
export function hasNames(names: Iterable<string>): void {
  if (wanted) for (const name of names) wanted.known.add(name);
}

/** A part with a name: with its mark if the program asks about it. */
export const marked = (name: string, item: Item): Item => (isWanted(name) ? { kind: "mark", name, item } : item);

/** The rules as parts with their names. */
export function markedRules(rules: Rules): Rules {
  hasNames(rules.keys());
  return wanted ? new Map([...rules].map(([name, item]) => [name, marked(name, item)])) : rules;
}

/**
 * Reads a source whose parts with these names are marked. Throws `InputError` (`UNKNOWN_RULE`) for a name that no part has.
 * @param what what messages call the source
 */
export function marking<T>(names: readonly string[], what: string, read: () => T): T {
  const before = wanted;
  wanted = names.length > 0 ? { names: new Set(names), known: new Set() } : undefined;
  try {
    const result = read();
    const unknown = names.find((name) => !wanted!.known.has(name));
    if (unknown !== undefined) throw unknownRule(what, unknown, [...wanted!.known]);
    return result;
  } finally {
    wanted = before;
  }
}

/** Names that a message lists. */
const MOST_LISTED = 12;

function unknownRule(what: string, name: string, known: readonly string[]): InputError {
  const nearest = suggest(name, known);
  const listed = known.slice(0, MOST_LISTED).map(show).join(", ");
  const more = known.length > MOST_LISTED ? `, and ${known.length - MOST_LISTED} more` : "";
  const has =
    known.length === 0
      ? "it has no rules with names: use a grammar in GBNF, a JSON schema, or a structural tag with one of these"
      : nearest !== undefined
        ? `did you mean ${show(nearest)}? It has ${listed}${more}`
        : `it has ${listed}${more}`;
  const asked =
    name === RULE_IN_STRINGS
      ? `${what} has no strings of JSON, which \`in_string\` asks about`
      : `${what} has no rule ${show(name)}, which \`in_rule\` asks about`;
  return new InputError(`${asked}: ${has}`, { code: "UNKNOWN_RULE" });
}
