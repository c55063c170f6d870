/** The kinds of sources, and which engine each goes to: the only place that says so. */
import { InputError } from "../core/errors.js";
import { budgeted } from "./budget.js";
import { checkedChoices, checkedText, KIND_NAMES, kindWith, type KindOptions } from "./kinds.js";
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
const KINDS: { readonly [K in GrammarKind]: (source: SourceOf<K>) => Routed } = {
  gbnf: ({ gbnf }) =>
    ofRules(
      KIND_NAMES.gbnf,
      () => readGbnf(checkedText(gbnf, "gbnf")),
      () => gbnf,
    ),
  jsonSchema({ jsonSchema, ignore = [] }) {
    const rules = readSchema(jsonSchema, ignore);
    return ofRules(
      KIND_NAMES.jsonSchema,
      () => rules,
      () => toGbnf(rules),
    );
  },
  regex({ regex }) {
    const rules = readRegex(checkedText(regex, "regex"));
    return ofRules(
      KIND_NAMES.regex,
      () => rules,
      () => toGbnf(rules),
    );
  },
  choices: ({ choices }) => toXgrammar({ ebnf: toEbnf(new Map([[ROOT, any(checkedChoices(choices).map(textOf))]])) }),
  structuralTag: ({ structuralTag }) => toXgrammar({ structuralTag: readStructuralTag(structuralTag) }),
};

/** The members that a kind has besides its own. */
const OPTIONS: KindOptions = { jsonSchema: ["ignore"] };

/** The kind of a source. Throws `InputError` for what is none. */
export const kindOf = (source: unknown): GrammarKind => kindWith(OPTIONS, source);

/** Which engine takes a grammar, and in which form. Throws `InputError`. */
export function route(source: GrammarSource): Routed {
  const kind = kindOf(source);
  return budgeted(KIND_NAMES[kind], () => KINDS[kind](source as never));
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
export const nameOf = (source: GrammarSource): string => KIND_NAMES[kindOf(source)];
