/** The texts that `in:` names: words for parts of the sequence's own text, and inputs of tokens. */
import { TEXT_SOURCES } from "../builtins/features.js";
import type { TextSource } from "../graph/graph.js";
import type { InputDecl } from "../syntax/ast.js";
import { topLevel } from "./names.js";
import { constantScope, type Typing } from "./scope.js";
import type { Binding, InputBinding, Meaning, Module } from "./tree.js";

/** A text that the calling program gives. */
interface TextInput extends InputBinding {
  readonly declaration: InputDecl & { readonly type: "tokens" };
}

export const isTextInput = (binding: Binding | undefined): binding is TextInput =>
  binding?.kind === "input" && binding.declaration.type === "tokens";

/** The text that a name means; an absent source is the whole text. A declaration of the program comes first. */
export function textNamed(
  { typed }: Typing,
  { scope }: Module,
  name: string,
): { readonly source: TextSource | undefined } | undefined {
  const found = scope.get(name);
  if (isTextInput(found)) {
    const { size, name: input } = found.declaration;
    const capacity = size && typed(constantScope(found.module, []), size).constant;
    return { source: { input: input.text, capacity: capacity ?? 1 } };
  }
  return Object.hasOwn(TEXT_SOURCES, name) ? { source: TEXT_SOURCES[name] } : undefined;
}

/** What a name means as a text: an input of tokens, or a word. */
export const textMeaning = (module: Module, name: string): Meaning | undefined =>
  isTextInput(module.scope.get(name))
    ? topLevel(module, name)
    : Object.hasOwn(TEXT_SOURCES, name)
      ? { kind: "text" }
      : undefined;

/** The names that mean a text in a module, where `hidden` have another meaning. */
export const textNames = (module: Module, hidden: { has(name: string): boolean } = new Set()): string[] => [
  ...Object.keys(TEXT_SOURCES),
  ...[...module.scope].flatMap(([name, binding]) => (isTextInput(binding) && !hidden.has(name) ? [name] : [])),
];
