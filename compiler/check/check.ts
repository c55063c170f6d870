/** Checks a program: all declarations of all imported files, reporting all faults at once. */
import type { Chain, Test } from "../syntax/ast.js";
import { parseStages } from "../syntax/parse.js";
import type { SourceFile, Span } from "../source/source.js";
import { checkChain, stagesOf, type ChainCheck } from "./chains.js";
import { Extents } from "./extents.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { notConstant } from "../diagnostics/types.js";
import { checkDivisions } from "./divisions.js";
import { checkFunction, checkUnusedFunctions } from "./declaredFunctions.js";
import { checkInput, checkUnusedInputs } from "./inputs.js";
import { loadModule, loadStd, newLoader, type Loader, type LoaderOptions } from "./modules.js";
import type { Report } from "./report.js";
import { bindingOf, type Program } from "./program.js";
import { bodyOf } from "./samplers.js";
import { checkTest } from "./tests.js";
import type { Binding, Module } from "./tree.js";
import { constOf, paramsOf } from "./types.js";

export interface Checked {
  /** Absent when there are errors. */
  readonly program?: Program;
  readonly diagnostics: readonly Diagnostic[];
  /** The same diagnostics, to which later phases add theirs. */
  readonly report: Report;
}

/** Facts of a file that are known even if it has errors. */
export interface CheckedFile extends Checked {
  readonly module: Module;
  /** Names of all files that it imports, directly or indirectly, and its own. */
  readonly files: ReadonlySet<string>;
}

export type CheckOptions = LoaderOptions;

/** Checks a file and all its imports. */
export function check(source: SourceFile, options: CheckOptions = {}): CheckedFile {
  const loader = newLoader(options);
  const module = loadModule(loader, source);
  return { ...checkAll(loader, module), module, files: new Set(loader.modules.keys()) };
}

/** The name of the chain that `checkStages` creates. */
const STAGES_CHAIN = "chain";

/** Checks `stage |> stage` with all samplers of the standard library in scope. */
export function checkStages(source: SourceFile, { meter }: Pick<CheckOptions, "meter"> = {}): Checked {
  const loader = newLoader({ meter });
  const { stages, diagnostics, tokens } = parseStages(source, loader.meter.limits);
  for (const one of diagnostics) loader.diagnostics.push(one);
  if (diagnostics.length > 0) return { diagnostics, report: loader.diagnostics };
  loader.meter.spend(tokens);
  const span: Span = { source, start: 0, end: source.text.length };
  const scope = new Map<string, Binding>();
  for (const { name } of stages) {
    const binding = loadStd(loader, name.text);
    if (binding) scope.set(name.text, binding);
  }
  const chain: Chain = { kind: "chain", name: { text: STAGES_CHAIN, span }, params: [], stages, span };
  const declared: Binding[] = [];
  const main: Module = {
    source,
    file: { kind: "file", declarations: [chain], span },
    declared,
    scope,
    broken: new Set(),
    meter: loader.meter,
    uses: new Map(),
  };
  declared.push(bindingOf(chain, main));
  loader.modules.set(source.name, main);
  return checkAll(loader, main);
}

/** Checks every module of a loader. */
function checkAll(loader: Loader, main: Module): Checked {
  const { diagnostics: report, meter } = loader;
  const chains: ChainCheck = {
    extents: new Extents((chain) => stagesOf(chain).value),
    limits: meter.limits,
    diagnostics: report,
  };
  for (const module of loader.modules.values()) checkModule(chains, module);
  // a sampler with an error may be the one that uses an input
  if (!report.hasErrors) {
    checkUnusedInputs(main, loader.modules.values(), report);
    checkUnusedFunctions(main, report);
  }
  const diagnostics = report.sorted(main.source);
  if (report.hasErrors) return { diagnostics, report };
  const { declarations } = main.file;
  const program: Program = {
    main,
    chains: declarations.filter((d): d is Chain => d.kind === "chain"),
    tests: declarations.filter((d): d is Test => d.kind === "test"),
  };
  return { program, diagnostics, report };
}

function checkModule(check: ChainCheck, module: Module): void {
  const { diagnostics } = check;
  const { declared, broken } = module;
  checkDivisions(module, diagnostics);
  for (const binding of declared) {
    if (binding.kind === "fn") checkFunction(binding, diagnostics);
    if (binding.kind === "sampler")
      for (const one of [...paramsOf(binding).diagnostics, ...bodyOf(binding).diagnostics]) diagnostics.push(one);
    if (binding.kind === "chain") checkChain(check, binding);
    if (binding.kind === "input") checkInput(binding, diagnostics);
    if (binding.kind === "const") {
      const { value, diagnostics: faults } = constOf(binding);
      for (const one of faults) diagnostics.push(one);
      const { name, value: given } = binding.declaration;
      const isNumber = !["text", "list", "tokens", "phrases", "error"].includes(value.type);
      if (isNumber && !broken.has(name.text) && value.constant === undefined)
        diagnostics.push(notConstant(given.span, `\`${name.text}\``));
    }
  }
  for (const d of module.file.declarations) if (d.kind === "test") checkTest(check, module, d);
}
