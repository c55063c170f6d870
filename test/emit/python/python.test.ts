/** Chains as Python: the reference's tokens, rows, states and measures, step by step, in NumPy and PyTorch. */
import { describe, expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { emitPython } from "../../../compiler/emit/python/emit.js";
import { withSeed } from "../../../compiler/graph/seeds.js";
import { parse } from "../../../compiler/syntax/parse.js";
import { STD_SAMPLERS } from "../../../compiler/std/samplers.js";
import { importerFor } from "../../../cli/files.js";
import { compile, compilePipeline } from "../../../runtime/chain/chain.js";
import { random } from "../../parity/random.js";
import { expectColumn } from "../page.js";
import { needing } from "../../needs.js";
import { differenceOf } from "./compare.js";
import { compare, pythonWith, runFile, type Case } from "./python.js";

const VOCABULARY = 300;
const TEXTS = 3;
const STEPS = 4;
/** Of chains with states. */
const MORE_STEPS = 20;
const PROMPT = [1, 2, 3, 4, 1, 2, 3, 5];
/** For text breakers and sets of texts. */
const PIECES = Array.from({ length: VOCABULARY }, (_, id) => (id < 3 ? ["\n", ".", "</think>"][id]! : ` ${id}`));

/** By text and step; the second text has ties, the third a token of -inf. */
function logitsOf(seed: number, steps: number): Float32Array[][] {
  const r = random(seed);
  const logit = (b: number, i: number): number =>
    b === 1 ? Math.round(3 * r.normal()) : b === 2 && i === 17 ? -Infinity : 3 * r.normal();
  return Array.from({ length: TEXTS }, (_, b) =>
    Array.from({ length: steps }, () => Float32Array.from({ length: VOCABULARY }, (__, i) => logit(b, i))),
  );
}

const guide = Float32Array.from({ length: VOCABULARY }, (_, i) => Math.sin(i));
const BIAS = new Map([
  [3, 2.5],
  [9, -Infinity],
]);

const caseOf = (name: string, graph: Case["graph"], seed: number, guides: readonly string[] = []): Case => ({
  name,
  graph: withSeed(graph, 7 + seed),
  logits: logitsOf(seed, graph.states.length > 0 ? MORE_STEPS : STEPS),
  prompt: PROMPT,
  feed: {
    bias: BIAS,
    inputs: Object.fromEntries(guides.map((guideName) => [guideName, guide])),
    vocabulary: PIECES,
  },
  pieces: PIECES.map((piece) => [...Buffer.from(piece)]),
});

const CHAINS = [
  "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
  "penalties(last_n: 8, repeat: 1.1, freq: 0.1) |> top_k(1000) |> temp(0.8) |> dist()",
  "xtc(0.5, 0.1, seed: 42) |> typical(0.95) |> dist(3)",
  "mirostat_v2(5, 0.1, seed: 9)",
];

/** The examples of the folder that need neither a grammar nor an input, and write no text. */
const EXAMPLES = readdirSync("examples").flatMap((file) => {
  if (!file.endsWith(".ggsl")) return [];
  const source = { name: `examples/${file}`, text: readFileSync(`examples/${file}`, "utf8") };
  const { declarations } = parse(source).file;
  if (declarations.some((d) => d.kind === "input") || /: grammar\b|^ *write |thinking_budget/m.test(source.text))
    return [];
  return declarations.flatMap((d) =>
    d.kind === "chain" ? [{ name: `${file}, ${d.name.text}`, source, chain: d.name.text }] : [],
  );
});

const CASES: readonly Case[] = [
  ...STD_SAMPLERS.filter(({ takesGrammar }) => !takesGrammar).map(({ name, example, guides }, i) =>
    caseOf(name, compilePipeline(example).rowsGraph, i, guides),
  ),
  ...CHAINS.map((text, i) => caseOf(text, compilePipeline(text).rowsGraph, 100 + i)),
  ...EXAMPLES.map(({ name, source, chain }, i) => {
    const options = { file: source.name, chain, importer: importerFor(source.name) };
    return caseOf(name, compile(source.text, options).rowsGraph, 200 + i);
  }),
];

const COLUMNS = { numpy: "NumPy", torch: "PyTorch" };
const byName = new Map(CASES.map((c) => [c.name, c]));

/** How many tokens of a standard sampler are compared. */
function comparedTokens(name: string): string {
  const found = byName.get(name);
  return found ? `${found.logits.flat().length} tokens` : "not compared: its mask is an input";
}

describe.each(["numpy", "torch"] as const)("%s", (library) => {
  const run = needing(pythonWith(library)).test;

  run("standard samplers, chains and examples give the reference's results", () => {
    const { wanted, found } = compare(library, CASES);
    const faults = CASES.flatMap(({ name }, i) => {
      const difference = differenceOf(wanted[i]!, found[i]!);
      return difference === undefined ? [] : [`${name}: ${difference}`];
    });
    expect(faults).toEqual([]);
    expect(CASES.length).toBeGreaterThan(STD_SAMPLERS.length + CHAINS.length);
    expectColumn(COLUMNS[library], comparedTokens);
  });

  run("parameters are set by name, for all texts or for each, and checked", () => {
    const { graph } = compile(
      'import { temp, dist } from "std"\nchain c(t: f32 in [0.1, 2] = 1, seed: seed = 1) = temp(t) |> dist(seed)',
    );
    const file = emitPython(graph, library);
    const logits = library === "torch" ? "torch.tensor(logits)" : "logits";
    const texts = `
logits = np.linspace(0, 3, 12, dtype=np.float32)[None].repeat(2, 0)
one = Sampler(batch=2, seed=5)
each = Sampler(batch=2, seed=[5, 6], t=0.5)
print([one(${logits}).tolist() for _ in range(4)])
print([each(${logits}).tolist() for _ in range(4)])
for values in ({"t": 3}, {"x": 1}, {"seed": -1}):
    try:
        Sampler(**values)
    except (TypeError, ValueError) as error:
        print(error)
try:
    one(${logits}[:1])
except ValueError as error:
    print(error)
`;
    const [first, second, ...errors] = runFile(file + texts).split("\n");
    const [one, each] = [first, second].map((line) => JSON.parse(line!) as number[][]);
    expect(one!.map(([a]) => a)).toEqual(one!.map(([, b]) => b));
    expect(each!.map(([a]) => a)).not.toEqual(each!.map(([, b]) => b));
    expect(errors.filter((line) => line !== "")).toEqual([
      "t: expected a number from 0.1 to 2.0, found 3.0",
      "the chain has no parameter 'x'; it has ['seed', 't']",
      "seed: expected an integer from 0 to 4294967295, found -1",
      "expected logits of 2 texts, found 1",
    ]);
  });
});

needing(pythonWith("torch")).test("the class for `generate` leaves the picked token alone", () => {
  const file = emitPython(compilePipeline("top_k(5) |> dist(3)").graph, "torch");
  const texts = `
scores = torch.arange(8.0)[None].repeat(2, 1)
processor, sampler = GgslLogitsProcessor(), Sampler(batch=2)
ids = torch.tensor([[1, 2], [3, 4]])
sampler.prompt(ids.tolist())
for _ in range(5):
    left = processor(ids, scores)
    picked = sampler(scores)
    assert (left.argmax(1) == picked).all() and (left.isfinite().sum(1) == 1).all()
    ids = torch.cat([ids, picked[:, None]], 1)
print(ids.shape[1])
`;
  expect(runFile(file + texts)).toBe("7\n");
});

test("what has no equivalent is refused, with its place", () => {
  expect(() => emitPython(compilePipeline("host top_k(3)").graph, "numpy")).toThrow(
    /^this chain has no equivalent in NumPy:\n {2}.*:1:1: the stage `host top_k\(3\)` runs on llama\.cpp's CPU samplers/,
  );
  const set =
    'const s = tokens("a")\nsampler x() { if picked(token) > 0 and last(1) in s { logit += 1 } }\nchain c() = x()';
  expect(() => emitPython(compile(set.replace("picked(token) > 0 and ", "")).graph, "torch")).toThrow(
    /has no equivalent in PyTorch:\n {2}the set `0` has texts, patterns or classes/,
  );
});
