/** The chains that are compared with llama.cpp, each defined once for GGSL and for llama.cpp's samplers. */
import { compile, compilePipeline, type Chain } from "ggsl/chain/chain.js";
import type { UniformValues } from "ggsl/sequence/sequence.js";

/** An argument of a stage; `of` gives each sequence its own value. A static one is the same for all. */
type Argument =
  | { readonly value: number; readonly isStatic: true }
  /** `range` is the declared range of the parameter. */
  | { readonly of: (row: number) => number; readonly range: string };

interface Stage {
  readonly sampler: string;
  readonly args: Readonly<Record<string, Argument>>;
}

export interface BenchChain {
  readonly name: string;
  readonly stages: readonly Stage[];
  /** Tokens of history that the chain reads. */
  readonly history: number;
}

const fixed = (value: number): Argument => ({ value, isStatic: true });
/** Eight different values, including `base`. */
const around = (base: number, step: number, range = ""): Argument => ({ of: (row) => base + (row % 8) * step, range });
const seed: Argument = { of: (row) => 42 + row, range: "" };

const topK: Stage = { sampler: "top_k", args: { k: fixed(40) } };
const topP: Stage = { sampler: "top_p", args: { p: around(0.95, -0.01, " in [0, 0.9999]") } };
const minP: Stage = { sampler: "min_p", args: { p: around(0.05, 0.005, " in [0.0001, 1]") } };
const temp: Stage = { sampler: "temp", args: { t: around(0.8, 0.05, " in [0.01, 10]") } };
const dist: Stage = { sampler: "dist", args: { seed } };
const DEFAULT = [topK, topP, minP, temp, dist];

const penalties: Stage = {
  sampler: "penalties",
  args: {
    last_n: fixed(64),
    repeat: around(1.1, 0.02, " > 0"),
    freq: around(0.1, 0.05),
    present: around(0.1, 0.05),
  },
};

export const CHAINS: readonly BenchChain[] = [
  { name: "default", stages: DEFAULT, history: 0 },
  { name: "min_p", stages: [minP, temp, dist], history: 0 },
  {
    name: "top_n_sigma",
    stages: [{ sampler: "top_n_sigma", args: { n: around(1, 0.1, " > 0") } }, temp, dist],
    history: 0,
  },
  { name: "top_p", stages: [topP, dist], history: 0 },
  { name: "penalties", stages: [penalties, ...DEFAULT], history: 64 },
  {
    name: "typical",
    stages: [{ sampler: "typical", args: { p: around(0.95, -0.01, " in [0, 0.9999]") } }, dist],
    history: 0,
  },
  {
    name: "mirostat_v2",
    stages: [{ sampler: "mirostat_v2", args: { tau: around(5, 0.1), eta: around(0.1, 0.01), seed } }],
    history: 0,
  },
  { name: "greedy", stages: [{ sampler: "greedy", args: {} }], history: 0 },
];

const valueOf = (argument: Argument, row: number): number =>
  "isStatic" in argument ? argument.value : argument.of(row);

const written = ({ sampler, args }: Stage, write: (name: string, argument: Argument) => string): string =>
  `${sampler}(${Object.entries(args)
    .map(([name, argument]) => `${name}: ${write(name, argument)}`)
    .join(", ")})`;

/** `top_k(k: 40) |> ...`, with the values of the first sequence. */
export const constantText = ({ stages }: BenchChain): string =>
  stages.map((stage) => written(stage, (_, argument) => String(valueOf(argument, 0)))).join(" |> ");

const paramName = (stage: Stage, name: string): string => `${stage.sampler}_${name}`;

/** A program whose chain has a parameter for every argument that is not static, so that each sequence has its own values. */
function uniformText({ name, stages }: BenchChain): string {
  const params = stages.flatMap((stage) =>
    Object.entries(stage.args).flatMap(([arg, argument]) =>
      "isStatic" in argument
        ? []
        : `${paramName(stage, arg)}: ${arg === "seed" ? "seed" : "f32"}${argument.range} = ${valueOf(argument, 0)}`,
    ),
  );
  const calls = stages.map((stage) =>
    written(stage, (arg, argument) => ("isStatic" in argument ? String(argument.value) : paramName(stage, arg))),
  );
  const names = stages.map((s) => s.sampler).join(", ");
  return `import { ${names} } from "std"\nchain ${name}_each(${params.join(", ")}) = ${calls.join(" |> ")}\n`;
}

/** One sequence has constants, as in typical use; several have uniforms. */
export const compileFor = (chain: BenchChain, rows: number): Chain =>
  rows === 1 ? compilePipeline(constantText(chain)) : compile(uniformText(chain), { file: `${chain.name}.ggsl` });

/** The chain's uniforms for a sequence. */
export function uniformsFor({ stages }: BenchChain, row: number): UniformValues {
  const entries = stages.flatMap((stage) =>
    Object.entries(stage.args)
      .filter(([, argument]) => !("isStatic" in argument))
      .map(([name, argument]) => [paramName(stage, name), valueOf(argument, row)] as const),
  );
  return Object.fromEntries(entries);
}

/** The chain of a sequence in llama.cpp's samplers, e.g. `top_k k=40 | dist seed=42`. */
export const llamaText = ({ stages }: BenchChain, row: number): string =>
  stages
    .map(({ sampler, args }) =>
      [sampler, ...Object.entries(args).map(([name, argument]) => `${name}=${valueOf(argument, row)}`)].join(" "),
    )
    .join(" | ");
