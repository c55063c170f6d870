/** Finds and renames uses of a name in all files. */
import { builtinKind } from "@ggsl/compiler/builtins/builtins.js";
import { occurrencesOf } from "@ggsl/compiler/check/occurrences.js";
import type { Meaning, Module, Occurrence } from "@ggsl/compiler/check/tree.js";
import { isReserved, isWord } from "@ggsl/compiler/source/lexemes.js";
import type { Span } from "@ggsl/compiler/source/source.js";
import { keyOf } from "./names.js";

interface Use {
  readonly span: Span;
  readonly isDeclaration: boolean;
}

/** A rename that is not possible, with the reason. */
export class RenameError extends Error {}

/** Every occurrence of the declaration `meaning` in the modules of all files. */
export function usesOf(modules: Iterable<Module>, meaning: Meaning): Use[] {
  const key = keyOf(meaning);
  if (key === undefined) return [];
  const uses = new Map<string, Use>();
  for (const module of modules) {
    for (const { span, meaning: found, isDeclaration } of occurrencesOf(module))
      if (keyOf(found) === key) uses.set(`${span.source.name}:${span.start}`, { span, isDeclaration });
  }
  return [...uses.values()];
}

/** Throws `RenameError` for names of the language and of the standard library. */
export function checkRenamable({ text, meaning }: Occurrence): void {
  if (!("span" in meaning)) throw new RenameError(`\`${text}\` is a name of the language and cannot be renamed`);
  if (meaning.span.source.name.startsWith("std/"))
    throw new RenameError(`\`${text}\` is declared in the standard library and cannot be renamed`);
}

/** Throws `RenameError` for an invalid name, or for one that would change the meaning of a use. */
export function checkNewName(modules: readonly Module[], { meaning, text }: Occurrence, name: string): void {
  if (name === text) return;
  if (isReserved(name)) throw new RenameError(`\`${name}\` is a keyword`);
  if (!isWord(name))
    throw new RenameError(`"${name}" is not a name: a letter or \`_\`, then letters, digits and \`_\``);
  const kind = builtinKind(name);
  if (kind !== undefined) throw new RenameError(`\`${name}\` is the name of a built-in ${kind}`);
  const uses = usesOf(modules, meaning);
  for (const module of modules) {
    const here = uses.filter((use) => use.span.source === module.source);
    if (here.length === 0) continue;
    if ("binding" in meaning && module.scope.has(name))
      throw new RenameError(`\`${name}\` is declared in "${module.source.name}" already`);
    const taken = declarationsAround(module, here).find((o) => o.text === name);
    if (taken) throw new RenameError(`\`${name}\` is used already where \`${text}\` is`);
  }
}

/** Names that occur in the declarations around these uses, except names of arguments. */
function declarationsAround(module: Module, uses: readonly Use[]): Occurrence[] {
  const around = module.file.declarations.filter((d) =>
    uses.some(({ span }) => d.span.start <= span.start && span.end <= d.span.end),
  );
  const isArgument = (o: Occurrence): boolean =>
    o.meaning.kind === "parameter" && !o.isDeclaration && /^\s*:/.test(module.source.text.slice(o.span.end));
  return occurrencesOf(module).filter(
    (o) => !isArgument(o) && around.some((d) => d.span.start <= o.span.start && o.span.end <= d.span.end),
  );
}
