/** The kinds of sources, and which engine each goes to: the only place that says so. */
import { show } from "@ggsl/compiler/core/show.js";
import { unknownOption } from "@ggsl/compiler/core/optionNames.js";
import { InputError, invalid } from "../core/errors.js";
import { budgeted } from "./budget.js";
import { GRAMMAR_LIMITS } from "./limits.js";
import { readSchema } from "./schema/schema.js";
import { readStructuralTag } from "./structuralTag.js";
import { readGbnf } from "./text/gbnf.js";
import { readRegex } from "./text/regex.js";
import { toEbnf } from "./text/ebnf.js";
import { any, OnlyLlama, ROOT, textOf, toGbnf, type Rules } from "./text/rules.js";
import type { GrammarKind, GrammarSource } from "./types.js";
import type { Prepared } from "./xgrammar/instance.js";

/** A grammar for one of the engines. */
export type Routed =
  | { readonly engine: "xgrammar"; readonly grammar: Prepared }
  /** llama.cpp's, for what only it has. */
  | { readonly engine: "llama"; readonly gbnf: string; readonly because: string };

interface Kind {
  /** What messages call it. */
  readonly name: string;
  readonly route: (source: never) => Routed;
}

const toXgrammar = (grammar: Prepared): Routed => ({ engine: "xgrammar", grammar });

/** Rules go to XGrammar, unless it has no form for them. */
function ofRules(name: string, rules: () => Rules, gbnf: () => string): Routed {
  try {
    return toXgrammar({ ebnf: toEbnf(rules()) });
  } catch (error) {
    if (!(error instanceof OnlyLlama)) throw error;
    const text = gbnf();
    if (text.length <= GRAMMAR_LIMITS.llamaLength) return { engine: "llama", gbnf: text, because: error.message };
    throw new InputError(
      `${name} exceeds a limit: it has ${error.message}, which only llama.cpp's engine takes, and ${text.length} characters for it, expected at most ${GRAMMAR_LIMITS.llamaLength}: shorten it`,
      { code: "LIMIT_EXCEEDED" },
    );
  }
}

type SourceOf<K extends GrammarKind> = Extract<GrammarSource, Readonly<Record<K, unknown>>>;

/** Each reads a source, and throws an `InputError` for one that is not right. */
const KINDS: { readonly [K in GrammarKind]: Kind & { readonly route: (source: SourceOf<K>) => Routed } } = {
  gbnf: {
    name: "the grammar",
    route: ({ gbnf }) =>
      ofRules(
        "the grammar",
        () => readGbnf(checkedText(gbnf, "gbnf")),
        () => gbnf,
      ),
  },
  jsonSchema: {
    name: "the JSON schema",
    route({ jsonSchema, ignore = [] }) {
      const rules = readSchema(jsonSchema, ignore);
      return ofRules(
        "the JSON schema",
        () => rules,
        () => toGbnf(rules),
      );
    },
  },
  regex: {
    name: "the regular expression",
    route({ regex }) {
      const rules = readRegex(checkedText(regex, "regex"));
      return ofRules(
        "the regular expression",
        () => rules,
        () => toGbnf(rules),
      );
    },
  },
  choices: {
    name: "the choices",
    route: ({ choices }) => toXgrammar({ ebnf: toEbnf(new Map([[ROOT, any(checkedChoices(choices).map(textOf))]])) }),
  },
  structuralTag: {
    name: "the structural tag",
    route: ({ structuralTag }) => toXgrammar({ structuralTag: readStructuralTag(structuralTag) }),
  },
};

const GRAMMAR_KINDS = Object.keys(KINDS) as readonly GrammarKind[];

/** The members that a kind has besides its own. */
const OPTIONS: Readonly<Partial<Record<GrammarKind, readonly string[]>>> = { jsonSchema: ["ignore"] };

/** All members of sources. */
const MEMBERS = Object.fromEntries([...GRAMMAR_KINDS, ...Object.values(OPTIONS).flat()].map((name) => [name, true]));

/** The kind of a source. Throws `InputError` for what is none. */
export function kindOf(source: unknown): GrammarKind {
  const given = typeof source === "object" && source !== null && !Array.isArray(source) ? source : {};
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const kinds = GRAMMAR_KINDS.filter((kind) => names.includes(kind));
  const [kind] = kinds;
  const known = kind === undefined ? [] : [kind, ...(OPTIONS[kind] ?? [])];
  const fault = unknownOption(given, MEMBERS);
  if (fault !== undefined || kind === undefined || kinds.length > 1 || names.some((name) => !known.includes(name)))
    throw invalid(
      `a grammar must be an object with one of ${GRAMMAR_KINDS.map((name) => `\`${name}\``).join(", ")}${fault === undefined ? `, found ${show(source)}` : `: ${fault}`}`,
    );
  return kind;
}

/** Which engine takes a grammar, and in which form. Throws `InputError`. */
export function route(source: GrammarSource): Routed {
  const { name, route: read } = KINDS[kindOf(source)];
  return budgeted(name, () => read(source as never));
}

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

/** What messages call a grammar. */
export const nameOf = (source: GrammarSource): string => KINDS[kindOf(source)].name;

function checkedText(text: unknown, name: string): string {
  if (typeof text !== "string" || text === "")
    throw invalid(`\`${name}\` must be a text of at least one character, found ${show(text)}`);
  return text;
}

function checkedChoices(choices: unknown): readonly string[] {
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
