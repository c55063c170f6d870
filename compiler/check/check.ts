/** Checks a program: all declarations of all imported files, reporting all faults at once. */
import type { Chain, Test } from "../syntax/ast.js";
import { parseStages } from "../syntax/parse.js";
import type { SourceFile, Span } from "../syntax/source.js";
import { checkChain, type Extents } from "./chains.js";
import { evaluateConst } from "./constants.js";
import { isError, sortDiagnostics, type Diagnostic } from "./diagnostics.js";
import { notConstant } from "./diagnostics/types.js";
import { checkInput, checkUnusedInputs } from "./inputs.js";
import { loadModule, loadStd, newLoader, type Loader, type Parser } from "./modules.js";
import type { Binding, Importer, Module, Program } from "./program.js";
import { checkSampler } from "./samplers.js";
import { checkTest } from "./tests.js";
import { constType } from "./types.js";

export interface Checked {
  /** Absent when there are errors. */
  readonly program?: Program;
  readonly diagnostics: readonly Diagnostic[];
}

/** Facts of a file that are known even if it has errors. */
export interface CheckedFile extends Checked {
  readonly module: Module;
  /** Names of all files that it imports, directly or indirectly, and its own. */
  readonly files: ReadonlySet<string>;
}

export interface CheckOptions {
  /** Reads imported files. */
  readonly importer?: Importer;
  /** Parses a file; editors pass a parser with a cache. */
  readonly parse?: Parser;
}

/** Checks a file and all its imports. */
export function check(source: SourceFile, { importer = () => undefined, parse }: CheckOptions = {}): CheckedFile {
  const loader = newLoader(importer, parse);
  const module = loadModule(loader, source);
  return { ...checkAll(loader, module), module, files: new Set(loader.modules.keys()) };
}

/** The name of the chain that `checkStages` creates. */
export const STAGES_CHAIN = "chain";

/** Checks `stage |> stage` with all samplers of the standard library in scope. */
export function checkStages(source: SourceFile): Checked {
  const { stages, diagnostics } = parseStages(source);
  if (diagnostics.length > 0) return { diagnostics };
  const loader = newLoader(() => undefined);
  const span: Span = { source, start: 0, end: source.text.length };
  const scope = new Map<string, Binding>();
  for (const { name } of stages) {
    const binding = loadStd(loader, name.text);
    if (binding) scope.set(name.text, binding);
  }
  const chain: Chain = { kind: "chain", name: { text: STAGES_CHAIN, span }, params: [], stages, span };
  const main: Module = { source, file: { kind: "file", declarations: [chain], span }, scope, broken: new Set() };
  loader.modules.set(source.name, main);
  return checkAll(loader, main);
}

/** Checks every module of a loader. */
function checkAll(loader: Loader, main: Module): Checked {
  const diagnostics = [...loader.diagnostics];
  const extents: Extents = new Map();
  for (const module of loader.modules.values()) checkModule(module, extents, diagnostics);
  // a sampler with an error may be the one that uses an input
  if (!diagnostics.some(isError)) checkUnusedInputs(main, loader.modules.values(), diagnostics);
  const sorted = sortDiagnostics(diagnostics);
  if (sorted.some(isError)) return { diagnostics: sorted };
  const { declarations } = main.file;
  const chains = declarations.filter((d): d is Chain => d.kind === "chain");
  const tests = declarations.filter((d): d is Test => d.kind === "test");
  return { program: { main, chains, tests }, diagnostics: sorted };
}

function checkModule(module: Module, extents: Extents, diagnostics: Diagnostic[]): void {
  for (const d of module.file.declarations) {
    if (d.kind === "sampler") checkSampler(module, d, diagnostics);
    if (d.kind === "chain") checkChain(module, d, extents, diagnostics);
    if (d.kind === "input") checkInput(module, d, diagnostics);
    if (d.kind === "test") checkTest(module, d, extents, diagnostics);
    if (d.kind === "const") {
      const { type } = constType(d, module, diagnostics);
      if (type !== "error" && !module.broken.has(d.name.text) && evaluateConst(d, module) === undefined)
        diagnostics.push(notConstant(d.value.span, `\`${d.name.text}\``));
    }
  }
}
