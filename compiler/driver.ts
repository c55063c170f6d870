/**
 * The compiler's phases in order: check, lower, verify, optimize, verify. All callers run the phases through this file, so that
 * all get the same verified graphs.
 *
 *     checkSource     a file and all its imports, with names and types resolved
 *     lowerChain      one of its chains as a verified graph with all outputs, and the bounds of its values
 *     optimizeDraft   that graph with some outputs after all passes, verified; after each of them for a caller that follows the passes
 *
 * `compileChain` runs the last two, `compileProgram` and `compileStages` all three. A caller that needs graphs with several choices of
 * outputs lowers once, by `lowerChain`, `lowerProgram` or `lowerStages`, and has `compileLowered` make each.
 */
import { constrained, FRONT } from "./constrained.js";
import { chainIn } from "./check/chains.js";
import { check, checkStages, type Checked, type CheckedFile, type CheckOptions } from "./check/check.js";
import { isError, sortDiagnostics, type Diagnostic } from "./diagnostics/diagnostic.js";
import { limitDiagnostic, limitExceeded } from "./diagnostics/limits.js";
import { chainNotNamed, unknownChain } from "./diagnostics/names.js";
import { compileError } from "./check/format.js";
import type { Program } from "./check/program.js";
import type { Importer } from "./source/importer.js";
import type { ChainBinding } from "./check/tree.js";
import { exceededBy } from "./graph/cost.js";
import type { Graph } from "./graph/graph.js";
import { assertValid } from "./graph/verify.js";
import { faultsAlone, unusedAlone } from "./lower/alone.js";
import { lower } from "./lower/lower.js";
import { ALL_OUTPUTS, chooseOutputs, hasAllOutputs, type OutputName, type Whole } from "./lower/outputs.js";
import type { Settings } from "./lower/params.js";
import { withoutPolicy } from "./lower/policy.js";
import { policyOf, type Policy } from "./check/policies.js";
import { policyIsOpen } from "./diagnostics/policies.js";
import { namedInputs } from "./graph/features.js";
import { limitsOf, type LimitOptions } from "./limits/limits.js";
import { LimitExceeded, Meter } from "./limits/meter.js";
import type { Draft } from "./optimize/draft.js";
import { OPTIMIZATIONS } from "./optimizations.js";
import { optimize } from "./optimize/optimize.js";
import type { Chain } from "./syntax/ast.js";
import type { SourceFile, Span } from "./source/source.js";
import { checkNames, type OptionNames } from "./core/optionNames.js";
import { OptionError } from "./core/optionError.js";

export { ALL_OUTPUTS, type OutputName };
export { OPTIMIZATIONS } from "./optimizations.js";
export { PASSES } from "./optimize/optimize.js";

/**
 * How to compile a program. All options are optional for a program with one chain and no imports. Every phase gets the whole
 * object and reads its part.
 */
export interface CompileOptions {
  /** Reads imported files. */
  readonly importer?: Importer | undefined;
  /** The source's name in diagnostics and in the graph. */
  readonly file?: string | undefined;
  /** The chain to compile; optional if the source declares only one. */
  readonly chain?: string | undefined;
  /** Values of static parameters, and new defaults of uniforms. */
  readonly set?: Settings | undefined;
  /** Puts the standard sampler `constrain` in front of a chain that has no grammar parameter, with one named `grammar`. */
  readonly constrained?: boolean | undefined;
  /** The outputs; default: the token if the chain picks one, else the rows. A `RangeError` if the chain has none of them. */
  readonly outputs?: readonly OutputName[] | undefined;
  /**
   * Measures what each stage does: the rows that it leaves, and their entropy, and the rank and the probability of the picked token. An
   * error for a chain with host stages, and for one that picks no token.
   */
  readonly trace?: boolean | undefined;
  /** False disables all optimizations. */
  readonly optimize?: boolean | undefined;
  /** Names of disabled optimizations; `OPTIMIZATIONS` has all names. */
  readonly disable?: readonly string[] | undefined;
  /** What the program may cost: a preset, or limits that replace those of `default`. */
  readonly limits?: LimitOptions | undefined;
}

/** Additional options for editors and tools. */
export interface DriverOptions extends CompileOptions, CheckOptions {
  /** Stages of a server before those of the chain, and before its pick. */
  readonly policy?: Policy | undefined;
  /** Names of states that are kept even if nothing in the chain depends on them, for a test that expects their values. */
  readonly states?: ReadonlySet<string>;
  /** Called with each pass that changed the graph, and its result. */
  readonly onPass?: (pass: string, graph: Graph) => void;
}

const NAMES: OptionNames<DriverOptions> = {
  file: true,
  chain: true,
  set: true,
  constrained: true,
  importer: true,
  outputs: true,
  trace: true,
  optimize: true,
  disable: true,
  limits: true,
  onPass: true,
  policy: true,
  states: true,
  parse: true,
  meter: true,
};

export interface Compilation {
  /** Absent when there are errors. */
  readonly graph?: Graph;
  readonly diagnostics: readonly Diagnostic[];
}

/** A chain that is lowered, of which graphs are made. */
export interface LoweredChain {
  /** Absent when there are errors. */
  readonly draft?: ChainDraft;
  readonly diagnostics: readonly Diagnostic[];
}

/** A verified graph with all outputs of its chain. */
interface ChainDraft extends Draft, Whole {
  /** The name of the chain in the source. */
  readonly name: Span;
}

// ---------------------------------------------------------------- phases

/** Checks a file and all its imports. */
export const checkSource = (source: SourceFile, options: DriverOptions = {}): CheckedFile =>
  check(source, { ...options, meter: meterOf(options) });

/** Checks the program of a policy, and compiles its chains. */
export function checkPolicy(
  source: SourceFile,
  given: DriverOptions = {},
): { readonly policy?: Policy; readonly diagnostics: readonly Diagnostic[] } {
  const options = metered(given);
  const { program, diagnostics } = checkSource(source, options);
  if (!program) return { diagnostics };
  const { policy, diagnostics: faults } = policyOf(program);
  const found = [...diagnostics, ...faults];
  for (const part of policy ? [policy.before, policy.beforePick] : []) {
    if (!part) continue;
    const { graph, diagnostics: more } = compileChain(program, part.declaration, options);
    for (const one of more) found.push(one);
    const { name } = part.declaration;
    for (const input of graph ? namedInputs(graph.features) : [])
      found.push(policyIsOpen(name.span, name.text, `the input \`${input.name}\``));
  }
  const isRight = policy !== undefined && !found.some(isError);
  return { ...(isRight && { policy }), diagnostics: sortDiagnostics(found) };
}

/** Checks a pipeline of standard samplers, which becomes the only chain of a program. */
export const checkPipeline = (source: SourceFile, options: DriverOptions = {}): Checked =>
  checkStages(source, { meter: meterOf(options) });

/** Lowers a chain of a checked program. */
export const lowerChain = ({ main }: Program, chain: Chain, options: DriverOptions = {}): LoweredChain =>
  lowerBound(chainIn(main, chain), options);

function lowerBound(chain: ChainBinding, options: DriverOptions): LoweredChain {
  const meter = meterOf(options);
  const { whole, diagnostics: found } = lower(chain, { ...options, meter, disabled: disabledBy(options) });
  const diagnostics = withoutPolicy(found, options.policy);
  if (!whole || diagnostics.some(isError)) return { diagnostics };
  assertValid(whole.graph, "lowering");
  return { draft: { ...whole, meter, name: chain.declaration.name.span }, diagnostics };
}

/**
 * Runs the enabled passes on the graph with the wanted outputs, and verifies the result; with `onPass` the result of each pass, which
 * takes several times as long. Throws `LimitExceeded`, and `OptionError` for a chain that has none of these outputs.
 */
export function optimizeDraft(draft: ChainDraft, options: DriverOptions = {}): Graph {
  const { onPass, outputs } = options;
  let last = "the choice of outputs";
  const afterPass = (name: string, { graph }: Draft): void => {
    last = name;
    if (!onPass) return;
    assertValid(graph, name);
    onPass(name, graph);
  };
  const chosen = chooseOutputs(draft, outputs);
  if (Object.keys(chosen.graph.outputs).length === 0)
    throw new OptionError(
      `the chain \`${draft.graph.name}\` has none of the requested outputs (${(outputs ?? []).join(", ")}): ` +
        `a chain gives "sampled" if it picks, "candidates" if it reorders rows, "logits" and "probs" always`,
    );
  const { graph } = optimize({ ...draft, ...chosen }, disabledBy(options), afterPass);
  if (!onPass) assertValid(graph, last);
  return graph;
}

// ---------------------------------------------------------------- several phases

/** Compiles a chain of a checked program. */
export const compileChain = ({ main }: Program, chain: Chain, options: DriverOptions = {}): Compilation =>
  finished(lowerBound(chainIn(main, chain), options), options);

/** Optimizes a chain that is lowered, with the outputs of `options`. Each graph may take the steps that a compilation of its own may. */
export function compileLowered({ draft, diagnostics }: LoweredChain, options: DriverOptions = {}): Compilation {
  return finished({ ...(draft && { draft: { ...draft, meter: draft.meter.fork() } }), diagnostics }, options);
}

/** The graph of a chain with all its outputs: `graph` itself if it has them. */
export const compileRows = (lowered: LoweredChain, graph: Graph, options: DriverOptions = {}): Compilation =>
  lowered.draft && hasAllOutputs(graph, lowered.draft)
    ? { graph, diagnostics: [] }
    : compileLowered(lowered, { ...options, outputs: ALL_OUTPUTS });

function finished({ draft, diagnostics }: LoweredChain, options: DriverOptions): Compilation {
  if (!draft) return { diagnostics };
  try {
    const graph = optimizeDraft(draft, options);
    const { limits } = draft.meter;
    const faults = exceededBy(graph, limits);
    if (faults.length === 0) return { graph, diagnostics };
    const found = faults.map(([limit, count]) => limitExceeded(draft.name, limit, limits[limit], count));
    return { diagnostics: sortDiagnostics([...diagnostics, ...found]) };
  } catch (error) {
    if (!(error instanceof LimitExceeded)) throw error;
    return { diagnostics: sortDiagnostics([...diagnostics, limitDiagnostic(draft.name, error)]) };
  }
}

/** Compiles a chain of a program. */
export const compileProgram = (text: string, given: CompileOptions = {}): Compilation =>
  finished(lowerProgram(text, given), given);

/** Compiles a pipeline of standard samplers. */
export const compileStages = (text: string, given: CompileOptions = {}): Compilation =>
  finished(lowerStages(text, given), given);

/** Lowers a chain of a program. */
export const lowerProgram = (text: string, given: CompileOptions = {}): LoweredChain => {
  const options = metered(given);
  return lowerChecked(checkSource(sourceOf(text, options), options), options);
};

/** Lowers a pipeline of standard samplers. */
export const lowerStages = (text: string, given: CompileOptions = {}): LoweredChain => {
  const options = metered(given);
  return lowerChecked(checkPipeline(sourceOf(text, options), options), options);
};

/**
 * The diagnostics of a program, including those from compiling each chain that it declares, and each sampler and function that no
 * such chain uses.
 */
export function checkProgram(source: SourceFile, given: CompileOptions = {}): readonly Diagnostic[] {
  const options = metered(given);
  const { program, report } = checkSource(source, options);
  if (!program) return report.sorted(source);
  for (const chain of program.chains)
    if (!isOpen(chain)) for (const one of compileChain(program, chain, options).diagnostics) report.push(one);
  for (const one of unusedFaults(program, options)) report.push(one);
  return report.sorted(source);
}

/** The faults of samplers and functions that no chain uses. Each may cost as much as a chain. */
export function unusedFaults({ main, chains }: Program, options: DriverOptions = {}): readonly Diagnostic[] {
  const { limits } = meterOf(options);
  const open = chains.filter(isOpen);
  const closed = chains.filter((chain) => !isOpen(chain));
  return unusedAlone(main, closed, open).flatMap((alone) => {
    const { chain, set } = alone;
    return faultsAlone(alone, lower(chain, { set, meter: new Meter(limits) }).diagnostics);
  });
}

/** The graph, or a `CompileError` with all diagnostics. Warnings go to `onWarning`. */
export function graphOf({ graph, diagnostics }: Compilation, onWarning?: (d: Diagnostic) => void): Graph {
  if (!graph) throw compileError(diagnostics);
  diagnostics.forEach((d) => onWarning?.(d));
  return graph;
}

// ---------------------------------------------------------------- chains

/** A chain whose static parameters have no default cannot be lowered before they are set, which is not a fault. */
export const isOpen = ({ params }: Chain): boolean => params.some((p) => p.isStatic && !p.default);

/** The chain of that name, which may be imported, or the program's only chain. */
export function chooseChain({ main, chains }: Program, name: string | undefined): Chain | Diagnostic {
  const start = { source: main.source, start: 0, end: 0 };
  const names = chains.map((c) => c.name.text);
  if (name === undefined) return chains.length === 1 ? chains[0]! : chainNotNamed(start, names);
  const declaration = main.scope.get(name)?.declaration;
  return declaration?.kind === "chain" ? declaration : unknownChain(start, name, names);
}

function lowerChecked({ program, diagnostics, report }: Checked, options: DriverOptions): LoweredChain {
  if (!program) return { diagnostics };
  const { source } = program.main;
  const chain = chooseChain(program, options.chain);
  if ("code" in chain) {
    report.push(chain);
    return { diagnostics: report.sorted(source) };
  }
  const bound = chainIn(program.main, chain);
  const { draft, diagnostics: more } = lowerBound(options.constrained ? constrained(bound, front) : bound, options);
  for (const one of more) report.push(one);
  return { ...(draft && { draft }), diagnostics: report.sorted(source) };
}

function front(): ChainBinding {
  const { main, chains } = checkSource({ name: "constrained.ggsl", text: FRONT }).program!;
  return chainIn(main, chains[0]!);
}

const meterOf = ({ meter, limits }: DriverOptions): Meter => meter ?? new Meter(limitsOf(limits));

/** One meter for all phases. Throws `OptionError` for unknown options. */
function metered(options: DriverOptions): DriverOptions & { readonly meter: Meter } {
  checkNames(options, NAMES);
  return { ...options, meter: meterOf(options) };
}

const sourceOf = (text: string, { file = "program.ggsl" }: CompileOptions): SourceFile => ({ name: file, text });

const ALL: ReadonlySet<string> = new Set(OPTIMIZATIONS.keys());

function disabledBy({ optimize: isOn, disable = [] }: CompileOptions): ReadonlySet<string> {
  if (isOn === false) return ALL;
  const stray = disable.find((name) => !OPTIMIZATIONS.has(name));
  if (stray !== undefined)
    throw new OptionError(`there is no optimization "${stray}"; there are ${[...OPTIMIZATIONS.keys()].join(", ")}`);
  return new Set(disable);
}
