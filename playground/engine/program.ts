/** The present program: checked once; the graphs of its chain are compiled on demand. */
import { compileError } from "@ggsl/compiler/check/format.js";
import {
  checkPipeline,
  checkSource,
  chooseChain,
  compileLowered,
  graphOf,
  lowerChain,
  type CompileOptions,
  type LoweredChain,
} from "@ggsl/compiler/driver.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { withSeed } from "@ggsl/compiler/graph/seeds.js";
import type { Chain } from "@ggsl/compiler/syntax/ast.js";
import { importNothing } from "@ggsl/compiler/source/importer.js";
import type { SourceFile } from "@ggsl/compiler/source/source.js";
import { Cache } from "ggsl/core/cache.js";
import { InputError } from "ggsl/core/errors.js";
import type { ProgramRef, SetParam, StaticParam } from "./messages.js";
import { FILE, parseProgram } from "./parser.js";
import { setParams, staticParams } from "./statics.js";

/** The maximum length of a program, the same as the compiler's. */
const MAX_TEXT = 2 ** 20;

export interface OpenProgram {
  readonly chain: Chain;
  readonly statics: readonly StaticParam[];
  readonly sets: readonly SetParam[];
  /** Stages of the chain as written; a chain among them counts as one. */
  readonly stages: readonly string[];
  /** The graph of the first `count` stages, by default of all; each is compiled once. */
  graph(options?: GraphOptions): Graph;
}

type Variant = Pick<CompileOptions, "optimize" | "disable">;

interface GraphOptions extends Variant, Pick<CompileOptions, "outputs"> {
  readonly count?: number;
  /** Seeds that the program leaves open stay so. */
  readonly leavesSeeds?: boolean;
}

/** Graphs compiled so far. */
export const counters = { compiled: 0 };

/** The program, the stages to compare with, and those before them. */
const MAX_OPEN = 4;

/** By what they were opened from. */
const latest = new Cache<OpenProgram>(MAX_OPEN);

/** Opens a program; the last ones are cached. Throws `CompileError`. */
export function openProgram(ref: ProgramRef): OpenProgram {
  const key = JSON.stringify([ref.kind, ref.text, ref.chain, ref.statics, ref.seed, ref.imports]);
  return latest.getOrMake(key, () => open(ref));
}

export function sourceOf(text: string): SourceFile {
  if (text.length > MAX_TEXT)
    throw new InputError(`the program has ${text.length} characters; at most ${MAX_TEXT} are allowed`, {
      code: "LIMIT_EXCEEDED",
    });
  return { name: FILE, text };
}

function open({ kind, text, chain: name, statics, seed, imports = [] }: ProgramRef): OpenProgram {
  const source = sourceOf(text);
  const importer: CompileOptions["importer"] = (path, from) =>
    imports.find((file) => file.path === path && file.from === from) ?? importNothing(path, from);
  const { program, diagnostics } =
    kind === "pipeline" ? checkPipeline(source) : checkSource(source, { importer, parse: parseProgram });
  if (!program) throw compileError(diagnostics);
  const chain = chooseChain(program, name);
  if ("code" in chain) throw compileError([chain]);
  const settable = staticParams(program, chain);
  const sets = setParams(program, chain);
  const names = [...settable, ...sets.filter(({ isStatic }) => isStatic)].map((param) => param.name);
  const set = Object.fromEntries(Object.entries(statics).filter(([param]) => names.includes(param)));
  const graphs = new Map<string, Graph>();
  const lowerings = new Map<string, LoweredChain>();
  /** The first `count` stages, lowered once for all outputs. */
  const lowered = (count: number, variant: Variant): LoweredChain => {
    const key = JSON.stringify([count, variant]);
    const part = { ...chain, stages: chain.stages.slice(0, count) };
    const known = lowerings.get(key) ?? lowerChain(program, part, { ...variant, set });
    lowerings.set(key, known);
    return known;
  };
  return {
    chain,
    statics: settable,
    sets,
    stages: chain.stages.map(({ span }) => text.slice(span.start, span.end).replace(/\s+/g, " ")),
    graph({ count = chain.stages.length, leavesSeeds = false, outputs, ...variant } = {}) {
      const key = JSON.stringify([count, leavesSeeds, outputs, variant]);
      const known = graphs.get(key);
      if (known) return known;
      const open = graphOf(compileLowered(lowered(count, variant), { ...variant, outputs }));
      const graph = leavesSeeds ? open : withSeed(open, seed);
      counters.compiled++;
      graphs.set(key, graph);
      return graph;
    },
  };
}
