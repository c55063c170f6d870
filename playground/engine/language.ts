/** The words of the language, out of its grammar and its tables, and the samplers of the standard library. */
import { FUNCTIONS, NAMES } from "../../compiler/check/builtins.js";
import { STD_FILES } from "../../compiler/std/std.generated.js";
import type { Declaration } from "../../compiler/syntax/ast.js";
import { parse } from "../../compiler/syntax/parse.js";
import type { SourceFile } from "../../compiler/syntax/source.js";
import { ggsl } from "../../grammar/ggsl.generated.js";
import type { LanguageTables, StageSymbol } from "./messages.js";

export function languageTables(): LanguageTables {
  const types = wordsIn(ruleBody("type"));
  return {
    keywords: [...new Set(Object.keys(ggsl.rules).flatMap((name) => wordsIn(ruleBody(name))))].filter(
      (word) => !types.includes(word),
    ),
    types,
    functions: docsOf(FUNCTIONS),
    names: docsOf(NAMES),
    std: Object.entries(STD_FILES).flatMap(([name, text]) => symbolsOf({ name: `std/${name}.ggsl`, text })),
  };
}

/** The samplers and chains that a text declares, as far as it can be read. */
export const symbolsOf = (source: SourceFile): StageSymbol[] =>
  parse(source).file.declarations.flatMap((declaration) => symbolOf(declaration) ?? []);

function symbolOf(declaration: Declaration): StageSymbol | undefined {
  if (declaration.kind !== "sampler" && declaration.kind !== "chain") return undefined;
  const { kind, name, doc = "", params } = declaration;
  const textOf = ({ span }: (typeof params)[number]): string => span.source.text.slice(span.start, span.end);
  return { kind, name: name.text, doc, params: params.map((p) => ({ name: p.name.text, declaration: textOf(p) })) };
}

const docsOf = (table: Readonly<Record<string, { readonly doc: string }>>): Record<string, string> =>
  Object.fromEntries(Object.entries(table).map(([name, { doc }]) => [name, doc]));

/** A parsing expression of Ohm, as far as words are made of it. */
interface Body {
  /** A terminal's text. */
  readonly obj?: unknown;
  /** The expressions of a sequence. */
  readonly factors?: readonly Body[];
  /** The expressions of a choice. */
  readonly terms?: readonly Body[];
  /** What must not follow. */
  readonly expr?: { readonly ruleName?: string };
}

const ruleBody = (name: string): Body => (ggsl.rules as unknown as Record<string, { body: Body }>)[name]!.body;

/** Texts that the grammar takes as whole words: `"keep" ~word`, or a choice of such. */
function wordsIn({ factors, terms }: Body): string[] {
  if (terms) return terms.flatMap(wordsIn);
  const [head, last] = factors ?? [];
  if (!head || last?.expr?.ruleName !== "word") return [];
  return (head.terms ?? [head]).flatMap(({ obj }) => (typeof obj === "string" ? [obj] : []));
}
