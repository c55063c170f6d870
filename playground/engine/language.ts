/** The words of the language, from its own tables, and the samplers of the standard library. */
import { FUNCTIONS, NAMES } from "@ggsl/compiler/builtins/builtins.js";
import { STD_NAMES, stdFile, stdSource } from "@ggsl/compiler/std/library.js";
import type { Declaration, File } from "@ggsl/compiler/syntax/ast.js";
import { KEYWORDS } from "@ggsl/compiler/source/keywords.js";
import { LIMIT_PRESETS } from "@ggsl/compiler/limits/limits.js";
import type { SourceFile } from "@ggsl/compiler/source/source.js";
import type { LanguageTables, StageSymbol } from "./messages.js";
import { parseProgram } from "./parser.js";

export function languageTables(): LanguageTables {
  const words = Object.entries(KEYWORDS);
  return {
    keywords: docsOf(Object.fromEntries(words.filter(([, { group }]) => group !== "type"))),
    types: docsOf(Object.fromEntries(words.filter(([, { group }]) => group === "type"))),
    functions: docsOf(FUNCTIONS),
    names: docsOf(NAMES),
    std: STD_NAMES.flatMap((name) => symbolsIn(stdFile(stdSource(name)!)!)),
  };
}

/** The samplers and chains that a text declares, as far as it can be parsed. */
export const symbolsOf = (source: SourceFile): StageSymbol[] =>
  symbolsIn(parseProgram(source, { limits: LIMIT_PRESETS.default }).file);

const symbolsIn = ({ declarations }: File): StageSymbol[] =>
  declarations.flatMap((declaration) => symbolOf(declaration) ?? []);

function symbolOf(declaration: Declaration): StageSymbol | undefined {
  if (declaration.kind !== "sampler" && declaration.kind !== "chain") return undefined;
  const { kind, name, doc = "", params } = declaration;
  const textOf = ({ span }: (typeof params)[number]): string => span.source.text.slice(span.start, span.end);
  return { kind, name: name.text, doc, params: params.map((p) => ({ name: p.name.text, declaration: textOf(p) })) };
}

const docsOf = (table: Readonly<Record<string, { readonly doc: string }>>): Record<string, string> =>
  Object.fromEntries(Object.entries(table).map(([name, { doc }]) => [name, doc]));
