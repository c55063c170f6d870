/** Loops of libggsl through its C interface, with the demo model: texts, errors, many texts. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileProgram, compileStages, graphOf } from "../../compiler/driver.js";
import type { Graph } from "../../compiler/graph/graph.js";
import { writeSpec } from "../../compiler/graph/json.js";
import { checkLlama } from "../../tools/build-native.js";
import { MAMBA, WINDOWS, writeModel } from "../model/architectures.js";
import { writeExactModel } from "../model/file.js";

const PROGRAM = join(import.meta.dirname, "../../build/Release/ggsl_loop_test");

let folder: string;
let model: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-loop-"));
  model = writeExactModel(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

const program = (source: string): Graph => graphOf(compileProgram(source));
const STD = 'import { top_k, top_p, min_p, temp, dist, penalties, dry, xtc, mirostat_v2, greedy } from "std"\n';

/** Chains that a loop writes with; all but the last have a seed to set. */
const CHAINS: Readonly<Record<string, Graph>> = {
  default: program(
    `${STD}chain c(t: f32 >= 0.1 = 0.8, seed: seed = 42) = top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(t) |> dist(seed)`,
  ),
  mirostat: program(`${STD}chain c(seed: seed = 7) = mirostat_v2(5, 0.1, seed: seed)`),
  repetition: program(`${STD}chain c(seed: seed = 3) = penalties(64, 1.3) |> dry(0.8) |> top_k(20) |> dist(seed)`),
  grammar: program(`${STD}sampler g() { keep allowed("root ::= (\\"日本\\" [a-z ]+ [0-9])+") }
chain c(seed: seed = 5) = g() |> temp(1.5) |> dist(seed)`),
  refused: program(`${STD}sampler w() { top 3 keep allowed("root ::= [0-9] [a-m] [0-9]+") }
chain c(seed: seed = 5) = w() |> dist(seed)`),
  words: program(`sampler w(q: tokens, s: seed) {
  state seen: i32 = prompt_length
  keep token not in q and token not in tokens.control
  logit += seen > 40 ? 1 : 0
  if ends_with("e") or since(" t") > 3 { logit += occurrences(8) }
  measure left = n
  pick sample(s)
  after pick { seen = seen + 1 }
}
chain c(q: tokens(4) = tokens(5, 300), seed: seed = 1) = w(q, seed)`),
  stops: program(`sampler s(seed: seed) {
  state before: i32 = 0
  measure sure = max(prob)
  pick sample(seed)
  after pick {
    before = picked(token)
    stop when mean(picked(prob), last: 3) < 0 as "never"
    stop when picked(token) % 5 == 3 and before % 2 == 1 as "pair"
  }
}
chain c(seed: seed = 9) = s(seed)`),
  decided: program(`sampler s(seed: seed) {
  keep allowed("root ::= (\\"and the \\" [a-z]+ \\", \\")+")
  pick sample(seed)
  stop when picked(token) % 7 == 3 as "seven"
}
chain c(seed: seed = 4) = s(seed)`),
  written: program(`const form = "root ::= (word \\" \\" number \\", \\")+\\nword ::= [a-z]+\\nnumber ::= [0-9]{1,3}"
sampler s(seed: seed) {
  state picks: i32 = 0
  write " And it was so." when picks % 9 == 4 or ends_with("7")
  keep allowed(form)
  logit /= in_rule(form, "word") ? 0.7 : 1.4
  measure digits = in_rule(form, "number") ? 1 : 0
  pick sample(seed)
  stop when picked(token) % 11 == 3 as "eleven"
  after pick { picks = picks + 1 }
}
chain c(seed: seed = 6) = s(seed)`),
  greedy: program(`${STD}chain c() = greedy()`),
};

const specFile = (name: string, graph: Graph): string => {
  const file = join(folder, `${name}.graph.json`);
  writeFileSync(file, writeSpec(graph));
  return file;
};
const specs = (): string[] => Object.entries(CHAINS).map(([name, graph]) => specFile(name, graph));

const run = (mode: string, ...args: string[]): string => runWith(model, mode, ...args);

function runWith(path: string, mode: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(PROGRAM, [mode, checkLlama().libraries, path, ...args], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${mode}: status ${status}\n${stdout}${stderr}`);
  return stdout;
}

test.each([1, 4, 64])("%d places: the texts of samplers alone", (places) => {
  const lines = run("texts", `${places}`, ...specs())
    .trim()
    .split("\n");
  expect(lines.map((line) => line.split(":")[0])).toEqual([
    "a cache each",
    "one cache",
    "on the host",
    "prompts in pieces",
  ]);
  for (const line of lines) {
    const [, texts, , forced, computed, all] = /: (\d+) texts, (\d+) tokens, (\d+) forced, (\d+) of (\d+)/.exec(line)!;
    expect(Number(texts)).toBe(6 * Object.keys(CHAINS).length);
    expect(Number(forced)).toBeGreaterThan(10);
    // two of the beginnings share most of their tokens, and others are the same
    expect(Number(computed)).toBeLessThan(0.8 * Number(all));
  }
});

test.each(Object.entries({ recurrent: MAMBA, "sliding windows": WINDOWS }))(
  "a model with a memory that cannot be cut: %s",
  (name, architecture) => {
    const path = join(folder, `${name}.gguf`);
    writeModel(path, architecture);
    const chains = [CHAINS["default"]!, CHAINS["grammar"]!].map((graph, i) => specFile(`memory-${i}`, graph));
    expect(runWith(path, "texts", "4", ...chains).match(/: 12 texts/g)).toHaveLength(4);
  },
);

test("errors have a code and a text that says what was expected, found and what to do", () => {
  const chain = program(`${STD}chain c(t: f32 >= 0.1 = 1, seed: seed = 1) = temp(t) |> dist(seed)`);
  const grammar = program("sampler s(g: grammar) { keep allowed(g) pick argmax(logit) }\nchain c(g: grammar) = s(g)");
  const input = program("input favour: f32\nsampler s() { pick argmax(logit + favour) }\nchain c() = s()");
  const guide = program("input other: logits\nsampler s() { pick argmax(logit - other) }\nchain c() = s()");
  const logits = graphOf(compileProgram(`${STD}chain c() = temp(0.5)`, { outputs: ["logits"] }));
  const tail = graphOf(compileStages("top_k(40) |> host temp(0.5) |> host dist(3)"));
  const files = Object.entries({ chain, grammar, input, tail, guide, logits }).map(([name, graph]) =>
    specFile(`error-${name}`, graph),
  );
  expect(run("errors", ...files)).toBe("all errors are as expected\n");
});

test("256 texts through 64 places, with bad calls and ends at random", () => {
  expect(run("soak", "64", "256", ...specs())).toMatch(/^256 texts: [1-9]\d* cancelled/);
});
