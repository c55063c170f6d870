/** Cases for counting the work on GPUs: every standard sampler alone, the default chain, and penalties in front of it. */
import { fedSize } from "@ggsl/compiler/graph/wire.js";
import { STD_SAMPLERS } from "@ggsl/compiler/std/samplers.js";
import { compilePipeline } from "ggsl/chain/chain.js";
import { CHAINS } from "../chains.js";
import type { Case, CaseRow } from "./caseFile.js";
import { timingCases } from "./timings.js";

const VOCABULARY = 128256;

/** The samplers that llama.cpp can run on a device, as in their examples. */
const LLAMA: Readonly<Record<string, string>> = {
  dist: "dist seed=42",
  greedy: "greedy",
  min_p: "min_p | dist seed=1",
  penalties: "penalties last_n=64 repeat=1.1 freq=0.5 present=0.5 | dist seed=1",
  temp: "temp | dist seed=1",
  temp_ext: "temp_ext t=0.8 delta=0.5 | dist seed=1",
  top_k: "top_k | dist seed=1",
  top_p: "top_p | dist seed=1",
};

export interface CountedCase extends Case {
  readonly chain: string;
}

export const countCases = (): CountedCase[] => [
  ...timingCases({
    chains: CHAINS.filter(({ name }) => ["default", "penalties"].includes(name)),
    vocabSizes: [VOCABULARY],
    rows: [1, 64],
    shapes: ["peaked"],
  }).map((each) => ({
    ...each,
    chain: each.setting.chain === "default" ? "default chain" : "penalties, default chain",
  })),
  ...STD_SAMPLERS.map(({ name, example, picks }) =>
    samplerCase(picks === undefined ? `${example} |> dist(1)` : example, LLAMA[name]),
  ),
];

/** Numbers do not matter: nothing is computed. */
function samplerCase(text: string, llama: string | undefined): CountedCase {
  const { graph } = compilePipeline(text);
  const inputs = graph.inputs.slice(1).map((input) => {
    const size = fedSize(input, VOCABULARY);
    return input.dtype === "i32" || input.source.kind === "bits" ? new Int32Array(size) : new Float32Array(size);
  });
  const row: CaseRow = { uniforms: new Float32Array(graph.uniforms.length), inputs, history: [] };
  return {
    name: text,
    chain: text,
    graph,
    vocabSize: VOCABULARY,
    tolerance: 0,
    rows: [{ ...row, ...(llama !== undefined && { llama }) }],
    made: { shape: "peaked", seed: 1 },
  };
}
