/** Stages of a chain: which samplers with which arguments, as GGSL source, as uniforms, and as llama.cpp's samplers. */
import * as fc from "fast-check";
import { compileProgram, compileStages, graphOf, type CompileOptions } from "../../compiler/compile.js";
import type { Graph } from "../../compiler/graph/graph.js";
import type { LlamaSampler } from "../native/oracle.js";
import { SAMPLERS, type Args, type Mode, type ParamSpec, type SamplerSpec } from "./samplers.js";

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
const FILTERING = Object.keys(SAMPLERS).filter((name) => !SAMPLERS[name]!.picks);

/** Chains of 2 to 6 stages, most of which pick a token at the end. */
export const chainStages: fc.Arbitrary<Stage[]> = fc
  .tuple(
    fc.array(fc.oneof(...FILTERING.map(stageOf)), { minLength: 1, maxLength: 5 }),
    fc.oneof(...["dist", ...PICKING].map(stageOf)),
    fc.oneof(...FILTERING.map(stageOf)),
    fc.integer({ min: 0, max: 9 }),
  )
  .map(([filters, pick, filter, choice]) => [...filters, choice < 2 ? filter : pick])
  .filter((stages) => stages.filter(isExtreme).length <= 1);

/** Two extreme temperatures in a row leave the range of f32 in llama.cpp, where every logit ends as 0 or infinity. */
const isExtreme = ({ sampler, args }: Stage): boolean =>
  sampler === "temp" && args["t"]! > 0 && Math.abs(Math.log10(args["t"]!)) > 6.5;

export const llamaSamplers = (stages: readonly Stage[]): LlamaSampler[] =>
  stages.map((stage) => specOf(stage).llama(stage.args));

export const stagesText = (stages: readonly Stage[]): string =>
  stages.map(({ sampler, args }) => `${sampler}(${Object.values(args).join(", ")})`).join(" |> ");

// ---------------------------------------------------------------- compiled

export interface Program {
  readonly graph: Graph;
  /** Values of the chain's uniforms. */
  readonly uniforms: Args;
}

/** The stages as a graph. One graph serves every set of uniforms. */
export function compileIn(mode: Mode, stages: readonly Stage[], outputs: CompileOptions["outputs"]): Program {
  if (mode === "constant") return { graph: compiled(stagesText(stages), { outputs: outputs! }), uniforms: {} };
  const { text, statics, uniforms } = asProgram(stages);
  return { graph: compiled(text, { set: statics, outputs: outputs! }), uniforms };
}

const known = new Map<string, Graph>();

function compiled(text: string, options: CompileOptions): Graph {
  const key = JSON.stringify([text, options]);
  const present = known.get(key);
  if (present) return present;
  const compile = text.includes("chain") ? compileProgram : compileStages;
  const graph = graphOf(compile(text, options));
  known.set(key, graph);
  return graph;
}

/** Every argument becomes a parameter of the chain, `a0`, `a1`, ..., with a default that is not the value in use. */
function asProgram(stages: readonly Stage[]): { text: string; statics: Args; uniforms: Args } {
  const params = stages.flatMap((stage) =>
    Object.entries(stage.args).map(([name, value]) => ({ ...specOf(stage).params[name]!, value })),
  );
  let next = 0;
  const calls = stages.map(
    ({ sampler, args }) =>
      `${sampler}(${Object.keys(args)
        .map(() => `a${next++}`)
        .join(", ")})`,
  );
  const names = [...new Set(stages.map((s) => s.sampler))].join(", ");
  const valuesWhere = (isStatic: boolean): Args =>
    Object.fromEntries(params.flatMap((p, i) => ((p.isStatic ?? false) === isStatic ? [[`a${i}`, p.value]] : [])));
  return {
    text: `import { ${names} } from "std"\nchain c(${params.map(declaration).join(", ")}) = ${calls.join(" |> ")}`,
    statics: valuesWhere(true),
    uniforms: valuesWhere(false),
  };
}

const declaration = ({ type, isStatic }: ParamSpec, i: number): string =>
  `${isStatic ? "static " : ""}a${i}: ${type} = ${type === "f32" ? "0.5" : "1"}`;
