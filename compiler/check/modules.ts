/** Loads files and their imports, and resolves the names of each file. */
import { STD_NAMES, stdFile, stdSource } from "../std/library.js";
import { importedAs, type Declaration, type Import, type Name } from "../syntax/ast.js";
import { parse, type Parsed } from "../syntax/parse.js";
import type { SourceFile } from "../source/source.js";
import { namesIn } from "../syntax/walk.js";
import { builtinKind } from "../builtins/builtins.js";
import {
  constantCycle,
  constantTooDeep,
  declaredTwice,
  importCycle,
  missingFile,
  missingPackage,
  refusedFile,
  shadowsBuiltin,
  unknownInFile,
} from "../diagnostics/names.js";
import { limitExceeded } from "../diagnostics/limits.js";
import { functionFaults } from "./recursion.js";
import { Report } from "./report.js";
import { limitsOf, type Limits } from "../limits/limits.js";
import { Meter } from "../limits/meter.js";
import { noteDeclared } from "./names.js";
import { importNothing, packagePath, type Importer } from "../source/importer.js";
import { bindingOf, foundFile } from "./program.js";
import type { Binding, Module } from "./tree.js";
import { constOf } from "./types.js";

/** The longest allowed dependency path of constants. */
const MAX_CONSTANT_DEPTH = 100;

export interface Loader {
  readonly importer: Importer;
  readonly parse: Parser;
  readonly modules: Map<string, Module>;
  readonly meter: Meter;
  readonly diagnostics: Report;
}

/** Parses a file; editors pass a parser with a cache. */
export type Parser = (source: SourceFile, options: { readonly limits: Limits }) => Parsed;

export interface LoaderOptions {
  /** Reads imported files. */
  readonly importer?: Importer | undefined;
  /** Parses a file; editors pass a parser with a cache. */
  readonly parse?: Parser | undefined;
  /** Counts the compiler's steps and has its limits. */
  readonly meter?: Meter | undefined;
}

export const newLoader = ({
  importer = importNothing,
  parse: parser = parse,
  meter = new Meter(limitsOf()),
}: LoaderOptions = {}): Loader => ({
  importer,
  parse: parser,
  modules: new Map(),
  meter,
  diagnostics: new Report(meter.limits.diagnostics),
});

/** A module while its names are collected. */
interface OpenModule extends Module {
  readonly declared: Binding[];
  readonly scope: Map<string, Binding>;
  readonly broken: Set<string>;
}

/** Parses a file and its imports. `path` has the importing files, to find cycles. */
export function loadModule(loader: Loader, source: SourceFile, path: readonly string[] = []): Module {
  const present = loader.modules.get(source.name);
  if (present) return present;
  const { file, broken, diagnostics, tokens } = parsed(loader, source);
  loader.meter.spend(tokens);
  for (const one of diagnostics) loader.diagnostics.push(one);
  const { meter } = loader;
  const module: OpenModule = {
    source,
    file,
    declared: [],
    scope: new Map(),
    broken: new Set(broken),
    meter,
    uses: new Map(),
  };
  loader.modules.set(source.name, module);
  const here = [...path, source.name];
  for (const declaration of file.declarations) {
    if (declaration.kind === "import") bindImport(loader, module, declaration, here);
    else if (declaration.kind !== "test") bindOwn(loader, module, declaration);
  }
  for (const { name, fault } of functionFaults(module)) {
    loader.diagnostics.push(fault);
    forget(module, name);
  }
  noteDeclared(module);
  for (const name of [...module.scope.keys()]) orderConstants(loader, module, name, []);
  return module;
}

/** The standard library is already parsed. */
function parsed(loader: Loader, source: SourceFile): Parsed {
  const file = stdFile(source);
  return file ? { file, broken: new Set(), diagnostics: [], tokens: 0 } : loader.parse(source, loader.meter);
}

/**
 * Ensures that a constant can be evaluated: reports and removes one that depends on itself or on too many others in a row.
 * Its dependencies are evaluated first, which bounds the recursion, here and in the types of constants.
 */
function orderConstants(loader: Loader, module: OpenModule, name: string, path: readonly string[]): void {
  const binding = module.scope.get(name);
  if (binding?.kind !== "const" || binding.module !== module || binding.found) return;
  const isCyclic = path.includes(name);
  if (isCyclic || path.length > MAX_CONSTANT_DEPTH) {
    const { span } = binding.declaration.name;
    loader.diagnostics.push(
      isCyclic
        ? constantCycle(span, [...path.slice(path.indexOf(name)), name])
        : constantTooDeep(span, MAX_CONSTANT_DEPTH),
    );
    return forget(module, name);
  }
  for (const needed of namesIn(binding.declaration.value)) orderConstants(loader, module, needed, [...path, name]);
  if (!module.scope.has(name)) return;
  constOf(binding);
}

function forget(module: OpenModule, name: string): void {
  module.scope.delete(name);
  module.broken.add(name);
}

/** A sampler of the standard library, loaded on first use. */
export function loadStd(loader: Loader, name: string): Binding | undefined {
  const source = stdSource(name);
  return source && loadModule(loader, source).scope.get(name);
}

function bindOwn(
  loader: Loader,
  module: OpenModule,
  declaration: Exclude<Declaration, { kind: "import" | "test" }>,
): void {
  const { text, span } = declaration.name;
  const builtin = builtinKind(text);
  const binding: Binding = bindingOf<typeof declaration>(declaration, module);
  module.declared.push(binding);
  if (builtin !== undefined) {
    loader.diagnostics.push(shadowsBuiltin(span, text, builtin));
    module.broken.add(text);
  } else bind(loader, module, declaration.name, binding);
}

function bind(loader: Loader, { scope }: OpenModule, { text, span }: Name, binding: Binding): void {
  const first = scope.get(text);
  if (first) loader.diagnostics.push(declaredTwice(span, text, first.declaration.name.span));
  else scope.set(text, binding);
}

/** Reports faults of the file once, at its path, and faults of an imported name at that name. */
function bindImport(loader: Loader, module: OpenModule, statement: Import, path: readonly string[]): void {
  const isStd = statement.from === "std";
  const target = isStd ? undefined : importedModule(loader, statement, module, path);
  for (const imported of statement.names) {
    const { text, span } = imported;
    const own = importedAs(imported);
    const found = isStd ? loadStd(loader, text) : target && ownBinding(target, text);
    const builtin = builtinKind(own.text);
    if (found && builtin === undefined) bind(loader, module, own, found);
    else module.broken.add(own.text);
    if (found && builtin !== undefined) loader.diagnostics.push(shadowsBuiltin(own.span, own.text, builtin));
    if (found || (!isStd && (!target || target.broken.has(text)))) continue;
    loader.diagnostics.push(unknownInFile(span, text, statement.from, target ? ownNames(target) : STD_NAMES));
  }
}

/** The module of an import; undefined if it cannot be loaded, which is reported. */
function importedModule(
  loader: Loader,
  { from, fromSpan }: Import,
  module: Module,
  path: readonly string[],
): Module | undefined {
  const found = loader.importer(from, module.source.name);
  const source = foundFile(found);
  const named = packagePath(from);
  const fault = !source
    ? found && "refused" in found
      ? refusedFile(fromSpan, from, found)
      : named
        ? missingPackage(fromSpan, from, named.name)
        : missingFile(fromSpan, from)
    : path.includes(source.name)
      ? importCycle(fromSpan, [...path.slice(path.indexOf(source.name)), source.name])
      : loader.modules.size >= loader.meter.limits.files
        ? limitExceeded(fromSpan, "files", loader.meter.limits.files)
        : undefined;
  if (fault) loader.diagnostics.push(fault);
  return source && !fault ? loadModule(loader, source, path) : undefined;
}

/** The file's own declarations; imports are not re-exported. */
function ownBinding(module: Module, name: string): Binding | undefined {
  const found = module.scope.get(name);
  return found?.module === module ? found : undefined;
}

const ownNames = (module: Module): string[] => [...module.scope.keys()].filter((name) => ownBinding(module, name));
