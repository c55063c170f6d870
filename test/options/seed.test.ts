/** What the command line has, the API has: seeds, and the demo model; and the other way round. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withSeed } from "../../compiler/graph/seeds.js";
import { compile, compilePipeline, createEvaluator, demoModel, loadModel, type Model } from "../../runtime/index.js";
import { warm } from "../cli/warm/warm.js";
import { DEMO_MODEL } from "../model/file.js";

const run = warm();
const ggsl = (...args: string[]) => run(args);

const PROMPT = "In the beginning";
let model: Model;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-seed-"));
  model = await loadModel(DEMO_MODEL, { backend: "cpu" });
});
afterAll(() => {
  model.dispose();
  rmSync(folder, { recursive: true });
});

async function tokensOf(generation: AsyncIterable<{ readonly token: number }>): Promise<number[]> {
  const tokens: number[] = [];
  for await (const { token } of generation) tokens.push(token);
  return tokens;
}

const open = compilePipeline("temp(1.5) |> dist()");

test("the demo model is a file", () => {
  expect(existsSync(demoModel())).toBe(true);
  expect(model.info.vocabSize).toBe(2048);
});

test("a seed is that of a chain with this seed, in a generation, an answer's sequence and for each text of a batch", async () => {
  const fixed = (seed: number) =>
    tokensOf(model.generate(PROMPT, { chain: compilePipeline(`temp(1.5) |> dist(${seed})`), maxTokens: 16 }));
  const [seven, eight] = [await fixed(7), await fixed(8)];
  expect(seven).not.toEqual(eight);
  expect(await tokensOf(model.generate(PROMPT, { chain: open, seed: 7, maxTokens: 16 }))).toEqual(seven);
  const written = async (seed: number) => {
    using batch = model.batch({ sequences: 1 });
    return await tokensOf(batch.add(PROMPT, { chain: open, seed, maxTokens: 16 }));
  };
  expect([await written(7), await written(8)]).toEqual([seven, eight]);
});

test("seeds that the chain fixes, and those in uniforms, stay; a host tail has it too", async () => {
  const read = (chain: typeof open, more: object) =>
    tokensOf(model.generate(PROMPT, { chain, maxTokens: 12, ...more }));
  const fixed = compilePipeline("temp(1.5) |> dist(3)");
  expect(await read(fixed, { seed: 9 })).toEqual(await read(fixed, {}));
  const param = compile('import { temp, dist } from "std"\nchain c(s: seed) = temp(1.5) |> dist(s)');
  expect(await read(param, { seed: 9, uniforms: { s: 3 } })).toEqual(await read(fixed, {}));
  expect(await read(param, { seed: 3 })).toEqual(await read(fixed, {}));
  const tail = compile('import { temp } from "std"\nchain c = temp(1.5) |> host dist()');
  expect(await read(tail, { seed: 5 })).toEqual(await read({ ...tail, graph: withSeed(tail.graph, 5) }, {}));
});

test("a seed of an evaluator is that of the chain", () => {
  const logits = Float32Array.from({ length: 50 }, (_, i) => Math.sin(i));
  const picks = (pipeline: string, seed?: number) => {
    using evaluator = createEvaluator(compilePipeline(pipeline).graph, 50, { backend: "reference", seed });
    return Array.from({ length: 8 }, () => {
      const { token } = evaluator.evaluate(logits);
      evaluator.accept();
      return token;
    });
  };
  expect(picks("dist()", 11)).toEqual(picks("dist(11)"));
  expect(picks("dist()", 12)).not.toEqual(picks("dist(11)"));
});

test.each([[-1], [1.5], [2 ** 32], ["7"]])("the seed %j is none", (seed) => {
  expect(() => model.generate(PROMPT, { chain: open, seed: seed as number })).toThrow("`seed` must be");
});

test("a resumed text has its seeds", async () => {
  const generation = model.generate(PROMPT, { chain: open, seed: 7, maxTokens: 4 });
  await tokensOf(generation);
  const { tokens, sequence } = generation.save();
  expect(() => model.generate(tokens, { chain: open, seed: 7, resume: sequence })).toThrow(
    "`seed` cannot be given with",
  );
});

const RUN = ["run", "-e", "temp(1.5) |> dist()", "--backend", "cpu", "--json"];

test("ggsl run has the options of the API", async () => {
  const { stdout } = ggsl(...RUN, "--seed", "7", "-n", "8");
  const { tokens } = JSON.parse(stdout) as { tokens: number[] };
  expect(tokens).toEqual(await tokensOf(model.generate(PROMPT, { chain: open, seed: 7, maxTokens: 8 })));
  const bias = ggsl(
    "run",
    "-e",
    "logit_bias() |> greedy()",
    "--backend",
    "cpu",
    "--json",
    "-n",
    "3",
    "--bias",
    "77:1000",
  );
  expect((JSON.parse(bias.stdout) as { tokens: number[] }).tokens).toEqual([77, 77, 77]);
  const listed = ggsl(...RUN, "-n", "2", "--alternatives", "3", "--placement", "host", "--check-logits");
  expect((JSON.parse(listed.stdout) as { alternatives: unknown[][] }).alternatives.map((one) => one.length)).toEqual([
    3, 3,
  ]);
  expect(ggsl("run", "-e", "greedy()", "--bias", "7:1").stderr).toContain("--bias is read by the stage logit_bias()");
  expect(ggsl("run", "-e", "greedy()", "--lookup-min", "2").stderr).toContain("--lookup-min needs --lookup");
});

test("ggsl run continues a text that it has saved, as if it had not stopped", () => {
  const file = join(folder, "saved.json");
  const whole = JSON.parse(ggsl(...RUN, "--seed", "7", "-n", "10").stdout) as { tokens: number[] };
  ggsl(...RUN, "--seed", "7", "-n", "4", "--save", file);
  const rest = JSON.parse(ggsl(...RUN, "--resume", file, "-n", "6").stdout) as { tokens: number[] };
  expect(rest.tokens).toEqual(whole.tokens.slice(4));
  expect(ggsl(...RUN, "--resume", "package.json").stderr).toContain("is no saved text");
});
