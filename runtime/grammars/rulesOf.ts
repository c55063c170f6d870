/** The rules of a source of any kind: the only place that says how each is read. */
import { show } from "@ggsl/compiler/core/show.js";
import { invalid } from "../core/errors.js";
import { budgeted } from "./budget.js";
import { checkedChoices, checkedText, KIND_NAMES, kindWith, type KindOptions } from "./kinds.js";
import { wholePattern } from "./patterns/pattern.js";
import { tagRules } from "./tags/tags.js";
import { readGbnf } from "./text/gbnf.js";
import { any, ROOT, textOf, type Item, type Rules } from "./text/rules.js";
import type { GrammarKind, GrammarSource } from "./types.js";
import { schemaRules, type SchemaOptions } from "./values/schema.js";

type SourceOf<K extends GrammarKind> = Extract<GrammarSource, Readonly<Record<K, unknown>>>;

/** A source, with the options that schemas have beside `ignore`. */
export type RulesSource =
  Exclude<GrammarSource, { readonly jsonSchema: unknown }> | (SourceOf<"jsonSchema"> & SchemaOptions);

const OPTIONS: KindOptions = { jsonSchema: ["ignore", "whitespace", "order"] };

/** What each option of a schema can be; the default comes first. */
const WORDS = { whitespace: ["usual", "none", "any"], order: ["declared", "any"] } as const;

const KINDS: { readonly [K in GrammarKind]: (source: Extract<RulesSource, Readonly<Record<K, unknown>>>) => Rules } = {
  gbnf: ({ gbnf }) => readGbnf(checkedText(gbnf, "gbnf")),
  jsonSchema: ({ jsonSchema, ignore, whitespace, order }) =>
    schemaRules(jsonSchema, checkedNames(ignore), {
      whitespace: checkedWord("whitespace", whitespace),
      order: checkedWord("order", order),
    }),
  regex: ({ regex }) => rootOf(wholePattern(checkedText(regex, "regex"))),
  choices: ({ choices }) => rootOf(any(checkedChoices(choices).map(textOf))),
  structuralTag: ({ structuralTag }) => tagRules(structuralTag),
};

const rootOf = (item: Item): Rules => new Map([[ROOT, item]]);

/**
 * Throws `InputError` for a source that is not right, or whose grammar is too large, and `OnlyLlama` for a grammar with tokens, which
 * only llama.cpp reads.
 */
export function rulesOf(source: RulesSource): Rules {
  const kind = kindWith(OPTIONS, source);
  return budgeted(KIND_NAMES[kind], () => KINDS[kind](source as never));
}

function checkedWord<N extends keyof typeof WORDS>(name: N, given: unknown): (typeof WORDS)[N][number] {
  const words: readonly (typeof WORDS)[N][number][] = WORDS[name];
  if (given === undefined) return words[0]!;
  const word = words.find((one) => one === given);
  if (word !== undefined) return word;
  throw invalid(`\`${name}\` must be one of ${words.map(show).join(", ")}, found ${show(given)}`);
}

function checkedNames(given: unknown): readonly string[] {
  if (given === undefined) return [];
  if (Array.isArray(given) && given.every((name) => typeof name === "string")) return given;
  throw invalid(`\`ignore\` must be a list of keywords, found ${show(given)}`);
}
