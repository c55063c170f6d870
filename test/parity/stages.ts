/** Stages of a chain: which samplers with which arguments, as GGSL source, as uniforms, and as llama.cpp's samplers. */
import * as fc from "fast-check";
import { compileProgram, compileStages, graphOf, type CompileOptions } from "../../compiler/driver.js";
import type { Graph } from "../../compiler/graph/graph.js";
import { SAMPLERS, type Mode, type Order, type SamplerSpec } from "./samplers.js";
import { literal, numberOf, type Arg, type Args, type ParamSpec } from "./values.js";

export interface Stage {
  readonly sampler: string;
  readonly args: Args;
}

export const specOf = ({ sampler }: Stage): SamplerSpec => SAMPLERS[sampler]!;

/** One stage with random arguments. */
export const stageOf = (sampler: string): fc.Arbitrary<Stage> => {
  const { params } = SAMPLERS[sampler]!;
  const values = Object.fromEntries(Object.entries(params).map(([name, p]) => [name, p.values]));
  return fc.record(values).map((args) => ({ sampler, args }));
};

const PICKING = Object.keys(SAMPLERS).filter((name) => SAMPLERS[name]!.picks);
/** In llama.cpp's own programs these come first: after a sort, its table would still be marked sorted. */
const FIRST = "logit_bias";
const FILTERING = Object.keys(SAMPLERS).filter((name) => !SAMPLERS[name]!.picks && name !== FIRST);

/** Chains of 2 to 6 stages; most end with a pick. */
export const chainStages: fc.Arbitrary<Stage[]> = fc
  .tuple(
    fc.array(fc.oneof(...FILTERING.map(stageOf)), { minLength: 1, maxLength: 5 }),
    fc.oneof(...["dist", ...PICKING].map(stageOf)),
    fc.oneof(...FILTERING.map(stageOf)),
    fc.integer({ min: 0, max: 9 }),
    fc.integer({ min: 0, max: 9 }),
  )
  .map(([filters, pick, filter, end, start]) => [
    ...(start < 2 ? [{ sampler: FIRST, args: {} }, ...filters.slice(0, 4)] : filters),
    end < 2 ? filter : pick,
  ])
  .filter((stages) => stages.filter(isExtreme).length <= 1);

/** Two extreme temperatures in a row overflow f32 in llama.cpp: every logit becomes 0 or infinity. */
const isExtreme = ({ sampler, args }: Stage): boolean =>
  sampler === "temp" && numberOf(args, "t") > 0 && Math.abs(Math.log10(numberOf(args, "t"))) > 6.5;

/** The order of GGSL's rows; undefined is vocabulary order. */
export const orderAfter = (stages: readonly Stage[], mode: Mode): Order | undefined =>
  stages.reduce<Order | undefined>((before, s) => {
    const { order } = specOf(s);
    return order ? order(s.args, mode, before) : before;
  }, undefined);

export const stagesText = (stages: readonly Stage[]): string => stages.map((s) => stageText(s, literalOf)).join(" |> ");

const literalOf = ({ type }: ParamSpec, value: Arg): string => literal(type, value);

function stageText(stage: Stage, write: (param: ParamSpec, value: Arg) => string): string {
  const { params } = specOf(stage);
  return `${stage.sampler}(${Object.entries(stage.args)
    .map(([name, value]) => write(params[name]!, value))
    .join(", ")})`;
}

// ---------------------------------------------------------------- compiled

interface Program {
  readonly graph: Graph;
  /** Values of the chain's uniforms. */
  readonly uniforms: Readonly<Record<string, number>>;
}

/** The stages as a graph, the same for all values of the uniforms. */
export function compileIn(mode: Mode, stages: readonly Stage[], outputs: CompileOptions["outputs"]): Program {
  if (mode === "constant") return { graph: compiled(stagesText(stages), outputs), uniforms: {} };
  const { text, uniforms } = asProgram(stages);
  return { graph: compiled(text, outputs), uniforms };
}

const known = new Map<string, Graph>();
const MOST_KNOWN = 2000;

function compiled(text: string, outputs: CompileOptions["outputs"]): Graph {
  const key = JSON.stringify([text, outputs]);
  const present = known.get(key);
  if (present) return present;
  const compile = text.includes("chain") ? compileProgram : compileStages;
  const graph = graphOf(compile(text, { outputs: outputs! }));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, graph);
  return graph;
}

/** Arguments become parameters of the chain, `a0`, `a1`, ..., with another default than the value in use; static ones stay arguments. */
function asProgram(stages: readonly Stage[]): { text: string; uniforms: Readonly<Record<string, number>> } {
  const params: string[] = [];
  const uniforms: Record<string, number> = {};
  const argument = (param: ParamSpec, value: Arg): string => {
    if (param.isStatic || typeof value !== "number") return literalOf(param, value);
    const name = `a${params.length}`;
    params.push(`${name}: ${param.type} = ${param.type === "f32" ? "0.5" : literal(param.type, 1)}`);
    uniforms[name] = value;
    return name;
  };
  const calls = stages.map((stage) => stageText(stage, argument));
  const names = [...new Set(stages.map((s) => s.sampler))].join(", ");
  return { text: `import { ${names} } from "std"\nchain c(${params.join(", ")}) = ${calls.join(" |> ")}`, uniforms };
}
