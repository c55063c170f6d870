/** Source text to graph: the compiler as its callers see it. */
import { check, checkStages, type Checked } from "./check/check.js";
import { isError, type Diagnostic } from "./check/diagnostics.js";
import { chainNotNamed, unknownChain } from "./check/diagnostics/names.js";
import { compileError } from "./check/format.js";
import type { Importer, Program } from "./check/program.js";
import type { Graph } from "./graph/graph.js";
import { assertValid } from "./graph/verify.js";
import { lower, type OutputName } from "./lower/lower.js";
import { OPTIMIZATIONS } from "./optimizations.js";
import { optimize } from "./optimize/optimize.js";
import type { Chain } from "./syntax/ast.js";
import type { SourceFile } from "./syntax/source.js";

/** How a program is compiled. All of it may be left out for a program with one chain and no imports. */
export interface CompileOptions {
  /** The source's name in diagnostics and in the graph. */
  readonly file?: string;
  /** The chain to compile; may be left out when the source declares one. */
  readonly chain?: string;
  /** Reads imported files. */
  readonly importer?: Importer;
  /** Values of static parameters, and new defaults of uniforms. */
  readonly set?: Readonly<Record<string, number>>;
  /** What the graph is to give; default: the token if the chain picks one, else the rows. A `RangeError` if it has none of it. */
  readonly outputs?: readonly OutputName[];
  /** False switches all optimizations off. */
  readonly optimize?: boolean;
  /** Names of optimizations that are switched off; `OPTIMIZATIONS` has them all. */
  readonly disable?: readonly string[];
}

export interface Compilation {
  /** Absent when there are errors. */
  readonly graph?: Graph;
  readonly diagnostics: readonly Diagnostic[];
}

/** Compiles a chain of a program. */
export const compileProgram = (text: string, options: CompileOptions = {}): Compilation =>
  compileChecked(check(sourceOf(text, options), options.importer), sourceOf(text, options), options);

/** Compiles `stage |> stage`, samplers of the standard library. */
export const compileStages = (text: string, options: CompileOptions = {}): Compilation =>
  compileChecked(checkStages(sourceOf(text, options)), sourceOf(text, options), options);

/** The diagnostics of a program and of every chain that it declares, which may only show when it is lowered. */
export function checkProgram(source: SourceFile, importer?: Importer): readonly Diagnostic[] {
  const { program, diagnostics } = check(source, importer);
  const lowered = program?.chains.flatMap((chain) => lowerWithDefaults(program, chain)) ?? [];
  return [...diagnostics, ...lowered];
}

/** A chain whose static parameters have no default can not be lowered before they are set, and that is no fault. */
function lowerWithDefaults(program: Program, chain: Chain): readonly Diagnostic[] {
  const isOpen = chain.params.some((p) => p.isStatic && !p.default);
  return isOpen ? [] : lower(program.main, chain).diagnostics;
}

/** The graph, or a `CompileError` with all diagnostics. Warnings go to `onWarning`. */
export function graphOf({ graph, diagnostics }: Compilation, onWarning?: (d: Diagnostic) => void): Graph {
  if (!graph) throw compileError(diagnostics);
  diagnostics.forEach((d) => onWarning?.(d));
  return graph;
}

const sourceOf = (text: string, { file = "program.ggsl" }: CompileOptions): SourceFile => ({ name: file, text });

function compileChecked({ program, diagnostics }: Checked, source: SourceFile, options: CompileOptions): Compilation {
  if (!program) return { diagnostics };
  const chain = chooseChain(program, source, options.chain);
  if ("code" in chain) return { diagnostics: [...diagnostics, chain] };
  const { graph, diagnostics: more } = compileChain(program, chain, options);
  return { ...(graph && { graph }), diagnostics: [...diagnostics, ...more] };
}

/** Compiles a chain of a program that was checked. */
export function compileChain(program: Program, chain: Chain, options: CompileOptions = {}): Compilation {
  const disabled = options.optimize === false ? new Set(OPTIMIZATIONS.keys()) : disabledBy(options);
  const lowered = lower(program.main, chain, { ...options, disabled });
  const { diagnostics } = lowered;
  if (!lowered.graph || diagnostics.some(isError)) return { diagnostics };
  if (options.outputs && Object.keys(lowered.graph.outputs).length === 0)
    throw new RangeError(
      `the chain \`${lowered.graph.name}\` has none of the outputs that were asked for (${options.outputs.join(", ")}): ` +
        `a chain gives "sampled" if it picks, "candidates" if it reorders rows, "logits" and "probs" always`,
    );
  assertValid(lowered.graph, "lowering");
  return { graph: optimize(lowered.graph, lowered.ranges, disabled), diagnostics };
}

function disabledBy({ disable = [] }: CompileOptions): ReadonlySet<string> {
  const stray = disable.find((name) => !OPTIMIZATIONS.has(name));
  if (stray !== undefined)
    throw new RangeError(`there is no optimization "${stray}"; there are ${[...OPTIMIZATIONS.keys()].join(", ")}`);
  return new Set(disable);
}

function chooseChain(program: Program, source: SourceFile, name: string | undefined): Chain | Diagnostic {
  const start = { source, start: 0, end: 0 };
  const names = program.chains.map((c) => c.name.text);
  if (name !== undefined) {
    const imported = program.main.scope.get(name)?.declaration;
    return imported?.kind === "chain" ? imported : unknownChain(start, name, names);
  }
  return program.chains.length === 1 ? program.chains[0]! : chainNotNamed(start, names);
}
