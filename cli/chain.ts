/** The chain that the command line names: `FILE [CHAIN]`, a spec file, or `-e STAGES`. */
import type { Settings } from "@ggsl/compiler/lower/params.js";
import { formatDiagnostics } from "@ggsl/compiler/check/format.js";
import type { CompileOptions } from "@ggsl/compiler/driver.js";
import { readSpec } from "@ggsl/compiler/graph/json.js";
import type { LimitPreset } from "@ggsl/compiler/limits/limits.js";
import { hasOpenSeed } from "@ggsl/compiler/graph/seeds.js";
import { chainOf, compile, compilePipeline, seededChain, type Chain } from "ggsl/chain/chain.js";
import { decoded, importerFor, MAX_BYTES, readBytes } from "./files.js";
import { say, usesColor } from "./terminal.js";
import { checkStdinPath, nameOf, type ProgramFlags } from "./programs.js";
import { isConstrained, type GrammarOptions } from "./grammar.js";
import { UsageError } from "./usage.js";

export interface ChainOptions extends GrammarOptions, ProgramFlags {
  readonly stages?: string;
  /** A program that is in no file. */
  readonly program?: { readonly name: string; readonly text: string };
  readonly set?: Settings;
  readonly seed?: number;
  readonly optimize?: boolean;
  readonly disable?: readonly string[];
  readonly limits?: LimitPreset;
  /** The folder that imports must stay below; default: that of the file. */
  readonly root?: string;
}

/** Compiles the chain and prints its warnings. */
export const loadChain = (file: string | undefined, name: string | undefined, options: ChainOptions): Chain =>
  loadChains(file, name, options, 1)[0]!;

/** The same chain for several sequences, each with the seed after the last one's. */
export function loadChains(
  file: string | undefined,
  name: string | undefined,
  options: ChainOptions,
  count: number,
): Chain[] {
  const chain = compileChain(chainSource(file, name, options));
  const { seed } = options;
  if (seed !== undefined && !hasOpenSeed(chain.graph))
    say("warning: --seed has no effect: the chain has no draws, or fixes all its seeds\n");
  return Array.from({ length: count }, (_, i) =>
    seed === undefined ? chain : seededChain(chain, (seed + i) % 2 ** 32),
  );
}

/** Compiles the chain and prints its warnings. */
export function compileChain(source: Pick<ChainSource, "compile">): Chain {
  const chain = source.compile();
  if (chain.warnings.length > 0) say(formatDiagnostics(chain.warnings, { color: usesColor() }));
  return chain;
}

/** Overrides the options that disable optimizations. */
type Variant = Pick<CompileOptions, "optimize" | "disable">;

export interface ChainSource {
  /** Compiles again on every call; the source is read once. The caller prints warnings. */
  readonly compile: (variant?: Variant) => Chain;
  /** False for a compiled graph, which has one form. */
  readonly hasVariants: boolean;
}

/** Reads the chain that the command line names. Throws `UsageError` or `InputError`. */
export function chainSource(file: string | undefined, name: string | undefined, options: ChainOptions): ChainSource {
  const { stages, program } = options;
  if ([file, stages, program].filter((given) => given !== undefined).length !== 1) {
    throw new UsageError("expected either a FILE or -e STAGES");
  }
  checkStdinPath([file ?? ""], options);
  const given = compileOptionsOf(options);
  if (program) return variants((v) => compile(program.text, { ...given, ...v, file: program.name }));
  if (stages !== undefined) return variants((v) => compilePipeline(stages, { ...given, ...v, file: "-e" }));
  return fromFile(file!, name, options);
}

const variants = (compileVariant: (variant: Variant) => Chain): ChainSource => ({
  compile: (variant = {}) => compileVariant(variant),
  hasVariants: true,
});

interface Compiled extends GrammarOptions, Pick<ChainOptions, "optimize" | "disable" | "limits"> {
  readonly set?: Settings | undefined;
}

/** What the compiler is given, but for names and files. */
export const compileOptionsOf = ({ set, optimize, disable, limits, ...options }: Compiled): CompileOptions => ({
  ...(isConstrained(options) && { constrained: true }),
  ...(limits && { limits }),
  ...(set && { set }),
  ...(optimize !== undefined && { optimize }),
  ...(disable && { disable }),
});

interface ChainFile {
  readonly text: string;
  /** It is a compiled graph, not a program. */
  readonly isSpec: boolean;
}

/** Reads a program or a spec. */
export function readChainFile(file: string): ChainFile {
  const bytes = readBytes(file, file.endsWith(".json") || file === "-" ? MAX_BYTES.spec : MAX_BYTES.source);
  // on standard input a brace begins a spec: it begins no program
  const isSpec = file.endsWith(".json") || (file === "-" && /^\s*\{/.test(bytes.toString("utf8", 0, 100)));
  return { text: decoded(file, bytes), isSpec };
}

/** The chain of a spec. */
export const specChain = (text: string, { limits }: Pick<ChainOptions, "limits">): Chain =>
  chainOf(readSpec(text, limits && { limits }));

function fromFile(file: string, name: string | undefined, options: ChainOptions): ChainSource {
  const { text, isSpec } = readChainFile(file);
  if (isSpec) {
    if (options.set) throw new UsageError("--set needs a program, and the file is a spec");
    if (name !== undefined) throw new UsageError(`a spec contains one chain; "${name}" cannot be chosen`);
    if (options.optimize === false) throw new UsageError("--no-optimize needs a program, and the file is a spec");
    if (options.disable) throw new UsageError("--disable needs a program, and the file is a spec");
    const chain = specChain(text, options);
    return { compile: () => chain, hasVariants: false };
  }
  const path = nameOf(file, options);
  const place = { file: path, importer: importerFor(path, options.root), ...(name !== undefined && { chain: name }) };
  return variants((v) => compile(text, { ...compileOptionsOf(options), ...v, ...place }));
}
