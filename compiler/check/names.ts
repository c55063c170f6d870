/** What the names in a file mean: noted where they are bound, for editors. */
import { importedAs, type Name, type StageCall } from "../syntax/ast.js";
import type { Binding, Meaning, Module } from "./tree.js";

export const declaredBy = (binding: Binding): Extract<Meaning, { binding: Binding }> => ({
  kind: binding.kind,
  span: binding.declaration.name.span,
  binding,
});

/** What a name means at the top level of a file: a name that an import gives is a declaration of its own. */
export function topLevel(module: Module, name: string): Extract<Meaning, { binding: Binding }> | undefined {
  const binding = module.scope.get(name);
  if (!binding) return undefined;
  const alias = binding.module === module ? undefined : aliasOf(module, name);
  return { ...declaredBy(binding), ...(alias && { span: alias.span }) };
}

/** The name that an import gives to a declaration of another file. */
const aliasOf = (module: Module, name: string): Name | undefined =>
  module.file.declarations.flatMap((d) => (d.kind === "import" ? d.names : [])).find((n) => n.as?.text === name)?.as;

/** Notes what a name means; a name that means nothing is a fault. */
export function noteUse(
  uses: Module["uses"] | undefined,
  { text, span }: Name,
  meaning: Meaning | undefined,
  { isDeclaration = false, stage }: { readonly isDeclaration?: boolean; readonly stage?: StageCall } = {},
): void {
  if (uses && meaning) uses.set(span.start, { text, span, meaning, isDeclaration, ...(stage && { stage }) });
}

/** Notes the names that a file declares and imports: in the other file and, if that is another one, in this file. */
export function noteDeclared(module: Module): void {
  const { uses } = module;
  for (const binding of module.declared)
    noteUse(uses, binding.declaration.name, declaredBy(binding), { isDeclaration: true });
  for (const name of module.file.declarations.flatMap((d) => (d.kind === "import" ? d.names : []))) {
    const binding = module.scope.get(importedAs(name).text);
    const meaning = binding && declaredBy(binding);
    noteUse(uses, name, meaning);
    if (name.as && meaning) noteUse(uses, name.as, { ...meaning, span: name.as.span }, { isDeclaration: true });
  }
}
