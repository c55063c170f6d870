/** The rules of a source of any kind: the only place that says how each is read. */
import { budgeted } from "./budget.js";
import { checkedChoices, checkedRules, checkedText, KIND_NAMES, kindOf } from "./kinds.js";
import { markedRules, marking } from "./marks.js";
import { wholePattern } from "./patterns/pattern.js";
import { tagRules } from "./tags/tags.js";
import { readGbnf } from "./text/gbnf.js";
import { any, ROOT, textOf, type Item, type Rules } from "./text/rules.js";
import type { GrammarKind, GrammarSource } from "./types.js";
import { rulesOfSchema } from "./values/schema.js";
import { tableOf, type Table } from "./words.js";

type SourceOf<K extends GrammarKind> = Extract<GrammarSource, Readonly<Record<K, unknown>>>;

const KINDS: { readonly [K in GrammarKind]: (source: SourceOf<K>) => Rules } = {
  gbnf: ({ gbnf }) => markedRules(readGbnf(checkedText(gbnf, "gbnf"))),
  jsonSchema: rulesOfSchema,
  regex: ({ regex }) => rootOf(wholePattern(checkedText(regex, "regex"))),
  choices: ({ choices }) => rootOf(any(checkedChoices(choices).map(textOf))),
  structuralTag: ({ structuralTag }) => tagRules(structuralTag),
};

const rootOf = (item: Item): Rules => new Map([[ROOT, item]]);

/** Throws `InputError` for a source that is not right, or whose grammar is too large. */
export const rulesOf = (source: GrammarSource): Rules => read(source, (rules) => rules);

/** The same as the table that the engine reads. */
export const tableOfSource = (source: GrammarSource): Table => read(source, tableOf);

function read<T>(source: GrammarSource, use: (rules: Rules, names: readonly string[]) => T): T {
  const kind = kindOf(source);
  const names = checkedRules(source.rules);
  const what = KIND_NAMES[kind];
  const rules = (): Rules => marking(names, what, () => KINDS[kind](source as never));
  return budgeted(what, () => use(rules(), names));
}
