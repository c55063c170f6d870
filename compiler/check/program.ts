/** A checked program: the input of `lower`. Names are bound per file; every chain is well formed. */
import type { Chain, Declaration, Test } from "../syntax/ast.js";
import { show } from "../core/show.js";
import { OptionError } from "../core/optionError.js";
import { findFunction } from "../builtins/builtins.js";
import type { Builtin } from "../builtins/builtin.js";
import type { Importer, RefusedImport } from "../source/importer.js";
import type { SourceFile } from "../source/source.js";
import type { Binding, Module } from "./tree.js";

export type { Module };

/** A declaration of a file, as it is found by its name. */
export const bindingOf = <D extends Exclude<Declaration, { kind: "import" | "test" }>>(
  declaration: D,
  module: Module,
): Extract<Binding, { readonly kind: D["kind"] }> =>
  ({
    kind: declaration.kind,
    declaration,
    module,
    ...(declaration.kind === "fn" && { bodies: new Map() }),
  }) as unknown as Extract<Binding, { readonly kind: D["kind"] }>;

/** The built-in function of a name, unless the file declares a function of that name, which hides it. */
export const builtinCalled = ({ scope }: Module, name: string): Builtin | undefined =>
  scope.get(name)?.declaration.kind === "fn" ? undefined : findFunction(name);

export interface Program {
  readonly main: Module;
  /** The chains that the main file declares, in order; imported ones are in its scope. */
  readonly chains: readonly Chain[];
  readonly tests: readonly Test[];
}

/**
 * The file that an importer found, if it was not refused. Throws `OptionError` for an importer that returns something else, such as
 * a promise or a file without text.
 */
export function foundFile(found: ReturnType<Importer>): SourceFile | undefined {
  if (found === undefined || found === null) return undefined;
  const { name, text, refused } = found as Partial<SourceFile & RefusedImport>;
  if (typeof refused === "string") return undefined;
  if (typeof name === "string" && typeof text === "string") return found as SourceFile;
  throw new OptionError(
    "the `importer` must return a file with `name` and `text`, both texts, or undefined; it returned " +
      (typeof found === "object" ? `an object with ${names(found)}` : show(found)),
  );
}

const names = (found: object): string => {
  const own = Object.keys(found).slice(0, 5);
  return own.length === 0 ? "neither" : own.map((name) => show(name)).join(", ");
};
