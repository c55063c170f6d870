/** Loading files and what they import, and the names that each file knows. */
import { STD_FILES } from "../std/std.generated.js";
import type { Declaration, Import } from "../syntax/ast.js";
import { parse } from "../syntax/parse.js";
import type { SourceFile } from "../syntax/source.js";
import { namesIn } from "../syntax/walk.js";
import { FUNCTIONS, NAMES } from "./builtins.js";
import type { Diagnostic } from "./diagnostics.js";
import { constantCycle, declaredTwice, importCycle, missingFile, shadowsBuiltin, tooManyFiles, unknownInFile } from "./diagnostics/names.js";
import type { Binding, Importer, Module } from "./program.js";

const MAX_FILES = 256;

/** The names that `import ... from "std"` offers; each is declared by the file of its name. */
export const STD_NAMES: readonly string[] = Object.keys(STD_FILES);

export interface Loader {
  readonly importer: Importer;
  readonly modules: Map<string, Module>;
  readonly diagnostics: Diagnostic[];
}

export const newLoader = (importer: Importer): Loader => ({ importer, modules: new Map(), diagnostics: [] });

/** Parses a file and what it imports. `path` is the files that led here, to find cycles. */
export function loadModule(loader: Loader, source: SourceFile, path: readonly string[] = []): Module {
  const present = loader.modules.get(source.name);
  if (present) return present;
  const { file, diagnostics } = parse(source);
  loader.diagnostics.push(...diagnostics);
  const scope = new Map<string, Binding>();
  const module: Module = { source, file, scope };
  loader.modules.set(source.name, module);
  const here = [...path, source.name];
  for (const declaration of file.declarations) {
    if (declaration.kind === "import") bindImport(loader, module, scope, declaration, here);
    else if (declaration.kind !== "test") bindOwn(loader, module, scope, declaration);
  }
  unbindCyclicConstants(loader, scope);
  return module;
}

/** A constant that needs itself is reported and forgotten, so that evaluating the others ends. */
function unbindCyclicConstants(loader: Loader, scope: Map<string, Binding>): void {
  const needs = (name: string, goal: string, seen: Set<string>): boolean => {
    const declaration = scope.get(name)?.declaration;
    if (declaration?.kind !== "const" || seen.has(name)) return false;
    seen.add(name);
    return namesIn(declaration.value).some((used) => used === goal || needs(used, goal, seen));
  };
  const cyclic = [...scope].filter(([name]) => needs(name, name, new Set()));
  for (const [name, { declaration }] of cyclic) {
    loader.diagnostics.push(constantCycle(declaration.name.span, name));
    scope.delete(name);
  }
}

/** A sampler of the standard library, loaded when it is first named. */
export function loadStd(loader: Loader, name: string): Binding | undefined {
  const text = Object.hasOwn(STD_FILES, name) ? STD_FILES[name] : undefined;
  if (text === undefined) return undefined;
  const module = loadModule(loader, { name: `std/${name}.ggsl`, text });
  return module.scope.get(name);
}

function bindOwn(loader: Loader, module: Module, scope: Map<string, Binding>, declaration: Exclude<Declaration, { kind: "import" | "test" }>): void {
  const { text, span } = declaration.name;
  const first = scope.get(text);
  if (Object.hasOwn(NAMES, text) || Object.hasOwn(FUNCTIONS, text)) {
    loader.diagnostics.push(shadowsBuiltin(span, text, Object.hasOwn(NAMES, text) ? "column" : "function"));
  } else if (first) {
    loader.diagnostics.push(declaredTwice(span, text, { message: "first declared here", span: first.declaration.name.span }));
  } else {
    scope.set(text, { declaration, module });
  }
}

function bindImport(loader: Loader, module: Module, scope: Map<string, Binding>, statement: Import, path: readonly string[]): void {
  for (const { text, span } of statement.names) {
    const found = statement.from === "std" ? loadStd(loader, text) : bindingIn(loader, statement, module, path, text);
    if (found === "reported") return;
    if (!found) {
      const offered = statement.from === "std" ? STD_NAMES : declaredIn(loader, statement, module);
      loader.diagnostics.push(unknownInFile(span, text, statement.from, offered));
    } else if (scope.has(text)) {
      loader.diagnostics.push(declaredTwice(span, text, { message: "first declared here", span: scope.get(text)!.declaration.name.span }));
    } else {
      scope.set(text, found);
    }
  }
}

function bindingIn(loader: Loader, statement: Import, module: Module, path: readonly string[], name: string): Binding | "reported" | undefined {
  const source = loader.importer(statement.from, module.source.name);
  if (!source) {
    loader.diagnostics.push(missingFile(statement.fromSpan, statement.from));
    return "reported";
  }
  if (path.includes(source.name)) {
    loader.diagnostics.push(importCycle(statement.fromSpan, [...path.slice(path.indexOf(source.name)), source.name]));
    return "reported";
  }
  if (loader.modules.size >= MAX_FILES) {
    loader.diagnostics.push(tooManyFiles(statement.fromSpan, MAX_FILES));
    return "reported";
  }
  const found = loadModule(loader, source, path).scope.get(name);
  return found?.module.source.name === source.name ? found : undefined;
}

function declaredIn(loader: Loader, statement: Import, module: Module): string[] {
  const source = loader.importer(statement.from, module.source.name);
  const target = source && loader.modules.get(source.name);
  return target ? [...target.scope].filter(([, b]) => b.module === target).map(([name]) => name) : [];
}
