/** The chain that the page passes to its model has fixed seeds, so that a link reproduces its text. */
import { expect, test } from "@jest/globals";
import { readSpec } from "../../compiler/graph/json.js";
import type { ProgramRef } from "../../playground/engine/messages.js";
import { specReply } from "../../playground/engine/spec.js";
import { chainOf } from "../../runtime/chain/chain.js";
import { loadModel } from "../../runtime/models/model.js";
import { DEMO_MODEL } from "../model/demo.js";

const PROMPT = "And the LORD said unto";

const program = (chain: string, seed: number): ProgramRef => ({
  kind: "program",
  text: `import { dist, top_k, xtc } from "std"\n\nchain c(s: seed = random) = ${chain}\n`,
  statics: {},
  seed,
});

const STAGES = "top_k(40) |> host xtc(0.5) |> host dist()";

const REQUESTS: readonly (readonly [string, (seed: number) => ProgramRef])[] = [
  ["draws in the graph", (seed) => program("top_k(40) |> xtc(0.5) |> dist", seed)],
  ["draws on the host", (seed) => program(STAGES, seed)],
  ["draws on the host from a parameter", (seed) => program("top_k(40) |> host dist(s)", seed)],
  ["draws on the host, of stages to compare with", (seed) => ({ kind: "pipeline", text: STAGES, statics: {}, seed })],
];

test.each(REQUESTS)("the same seed gives the same text: %s", async (_, request) => {
  using model = await loadModel(DEMO_MODEL, { backend: "cpu" });
  const text = async (seed: number): Promise<string> => {
    const chain = chainOf(readSpec(specReply(request(seed)).spec));
    let written = "";
    for await (const piece of model.generate(PROMPT, { chain, maxTokens: 24 })) written += piece.text;
    return written;
  };
  const first = await text(7);
  expect(await text(7)).toBe(first);
  expect(await text(8)).not.toBe(first);
});

test("a seed that the chain sets is unchanged", () => {
  const seedsOf = (stages: string): unknown => {
    const { draws, tail } = readSpec(specReply({ kind: "pipeline", text: stages, statics: {}, seed: 7 }).spec);
    return [draws.map((draw) => draw.seed), tail.map(({ args }) => args["seed"])];
  };
  expect(seedsOf("xtc(0.5, seed: 1) |> host xtc(0.5) |> host dist(2)")).toEqual([[1], [7, 2]]);
});
