/** The texts that `in:` names: words for parts of the sequence's own text, and inputs of tokens. */
import { TEXT_SOURCES } from "../builtins/features.js";
import type { TextSource } from "../graph/graph.js";
import type { Declaration, InputDecl } from "../syntax/ast.js";
import { evaluateConstant } from "./constants.js";
import type { Module } from "./program.js";

/** A text that the calling program gives. */
export interface TextInput extends InputDecl {
  readonly type: "tokens";
}

export const isTextInput = (d: Declaration | undefined): d is TextInput => d?.kind === "input" && d.type === "tokens";

/** The text that a name means; an absent source is the whole text. A declaration of the program comes first. */
export function textNamed(module: Module, name: string): { readonly source?: TextSource } | undefined {
  const found = module.scope.get(name);
  if (found && isTextInput(found.declaration)) {
    const { size, name: input } = found.declaration;
    return { source: { input: input.text, capacity: (size && evaluateConstant(size, found.module)) ?? 1 } };
  }
  const word = Object.hasOwn(TEXT_SOURCES, name) ? { source: TEXT_SOURCES[name] } : undefined;
  return word && (word.source === undefined ? {} : { source: word.source });
}

/** The names that mean a text in a module, where `hidden` have another meaning. */
export const textNames = (module: Module, hidden: { has(name: string): boolean } = new Set()): string[] => [
  ...Object.keys(TEXT_SOURCES),
  ...[...module.scope].flatMap(([name, { declaration }]) =>
    isTextInput(declaration) && !hidden.has(name) ? [name] : [],
  ),
];
