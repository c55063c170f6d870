/** The kinds of sources: what each is called, and what is wrong with one before it is read. */
import { show } from "@ggsl/compiler/core/show.js";
import { unknownOption } from "@ggsl/compiler/core/optionNames.js";
import { isRuleName } from "@ggsl/compiler/graph/rules.js";
import { LIMITS } from "@ggsl/compiler/limits/format.js";
import { InputError, invalid } from "../core/errors.js";
import { GRAMMAR_LIMITS } from "./limits.js";
import type { GrammarKind, GrammarSource } from "./types.js";

/** What messages call a source. */
export const KIND_NAMES: Readonly<Record<GrammarKind, string>> = {
  gbnf: "the grammar",
  jsonSchema: "the JSON schema",
  regex: "the regular expression",
  choices: "the choices",
  structuralTag: "the structural tag",
};

const GRAMMAR_KINDS = Object.keys(KIND_NAMES) as readonly GrammarKind[];

/** The members that a kind has besides its own. */
const OPTIONS: Readonly<Partial<Record<GrammarKind, readonly string[]>>> = {
  jsonSchema: ["ignore", "whitespace", "order", "others"],
};

/** Members of each kind: what programs ask about a grammar, which the chain adds. */
const SHARED = ["rules"] as const;

/** The kind of a source. Throws `InputError` for what is none. */
export function kindOf(source: unknown): GrammarKind {
  const given = typeof source === "object" && source !== null && !Array.isArray(source) ? source : {};
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const kinds = GRAMMAR_KINDS.filter((kind) => names.includes(kind));
  const [kind] = kinds;
  const known: readonly string[] = kind === undefined ? [] : [kind, ...(OPTIONS[kind] ?? []), ...SHARED];
  const members = [...GRAMMAR_KINDS, ...Object.values(OPTIONS).flat(), ...SHARED];
  const fault = unknownOption(given, Object.fromEntries(members.map((name) => [name, true])));
  if (fault !== undefined || kind === undefined || kinds.length > 1 || names.some((name) => !known.includes(name)))
    throw invalid(
      `a grammar must be an object with one of ${GRAMMAR_KINDS.map((name) => `\`${name}\``).join(", ")}${fault === undefined ? `, found ${show(source)}` : `: ${fault}`}`,
    );
  return kind;
}

/** What messages call a grammar. */
export const nameOf = (source: GrammarSource): string => KIND_NAMES[kindOf(source)];

/** A source as JSON. Throws `InputError` for what has no such form. */
export function textOfSource(source: GrammarSource): string {
  try {
    return JSON.stringify(source);
  } catch (error) {
    const isDeep = error instanceof RangeError;
    throw new InputError(
      isDeep
        ? `${nameOf(source)} exceeds a limit: it is nested too deeply`
        : `${nameOf(source)} must be JSON: ${(error as Error).message}`,
      { code: isDeep ? "LIMIT_EXCEEDED" : "INVALID_ARGUMENT", cause: error },
    );
  }
}

export function checkedText(text: unknown, name: string): string {
  if (typeof text !== "string" || text === "")
    throw invalid(`\`${name}\` must be a text of at least one character, found ${show(text)}`);
  return text;
}

export function checkedRules(names: unknown): readonly string[] {
  if (names === undefined) return [];
  if (Array.isArray(names) && names.length <= LIMITS.rules && names.every(isRuleName)) return names;
  throw invalid(
    `\`rules\` must be a list of at most ${LIMITS.rules} names of 1 to ${LIMITS.ruleName} characters, found ${show(names)}`,
  );
}

export function checkedChoices(choices: unknown): readonly string[] {
  const refuse = (what: string, found: string): never => {
    throw invalid(`${what}, found ${found}`);
  };
  const expected = "`choices` must be a list of at least one text";
  if (!Array.isArray(choices)) return refuse(expected, show(choices));
  if (choices.length === 0) refuse(expected, "an empty list");
  const stray = choices.findIndex((choice) => typeof choice !== "string");
  if (stray >= 0) refuse(`\`choices[${stray}]\` must be a text`, show(choices[stray]));
  return withinLimits(choices as string[]);
}

function withinLimits(choices: readonly string[]): readonly string[] {
  const length = choices.reduce((sum, choice) => sum + choice.length, 0);
  if (length > GRAMMAR_LIMITS.length || choices.length > GRAMMAR_LIMITS.parts)
    throw new InputError(
      `the choices exceed a limit: ${choices.length} texts of ${length} characters, expected at most ${GRAMMAR_LIMITS.parts} texts and ${GRAMMAR_LIMITS.length} characters`,
      { code: "LIMIT_EXCEEDED" },
    );
  if (choices.some((choice) => choice.includes("\0"))) throw invalid("a choice contains a zero character");
  return choices;
}
