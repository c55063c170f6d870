/** libggsl through its C interface, with the demo model: texts, errors, what it links to. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileProgram, compileStages, graphOf } from "../../compiler/driver.js";
import type { Graph } from "../../compiler/graph/graph.js";
import { writeSpec } from "../../compiler/graph/json.js";
import { chainOf } from "../../runtime/chain/chain.js";
import type { Model } from "../../runtime/models/model.js";
import { restoreSequence, type SavedSequence } from "../../runtime/sequence/savedSequence.js";
import { checkLlama } from "../../tools/build-native.js";
import { EXACT, writeExactModel } from "../model/file.js";
import { loadModel, loadVocabulary } from "../../runtime/models/model.js";
import { rpcLibrary } from "../../runtime/backends/remote/library.js";
import { endAll } from "../cli/run.js";
import { startWorker } from "../rpc/workers.js";

const RELEASE = join(import.meta.dirname, "../../build/Release");
const PROGRAM = join(RELEASE, "ggsl_library_test");
const COUNT = 24;

let folder: string;
let path: string;
let model: Model;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-c-"));
  path = writeExactModel(folder);
  model = await loadModel(path, { threads: 1, contextSize: 256, ...EXACT });
});
afterAll(() => {
  endAll();
  model[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

interface Text {
  readonly tokens: number[];
  readonly inGraph: number;
  readonly states: number[];
  readonly measures: number[];
  /** Of each token; empty: none. */
  readonly stops: string[];
  readonly disallowed: number;
  readonly saved: SavedSequence | null;
}

const specFile = (name: string, graph: Graph): string => {
  const file = join(folder, `${name}.graph.json`);
  writeFileSync(file, writeSpec(graph));
  return file;
};

const libraries = (): string => checkLlama().libraries;

function run(mode: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(PROGRAM, [mode, libraries(), path, ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${mode}: status ${status}\n${stderr}`);
  return stdout;
}

const textOf = (graph: Graph, where: "graph" | "host", ...params: string[]): Text =>
  JSON.parse(run("generate", specFile("chain", graph), where, String(COUNT), ...params)) as Text;

/** The tokens of the Node.js runtime. */
async function tokensOf(graph: Graph): Promise<number[]> {
  const tokens: number[] = [];
  const options = { chain: chainOf(graph), maxTokens: COUNT, minTokens: COUNT };
  for await (const { token } of model.generate("In the beginning", options)) tokens.push(token);
  return tokens;
}

const stages = (source: string): Graph => graphOf(compileStages(source));

const CHAINS: Readonly<Record<string, Graph>> = {
  default: stages("top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)"),
  mirostat: stages("mirostat_v2(5, 0.1, seed: 7)"),
  repetition: stages("penalties(64, 1.3) |> dry(0.8) |> top_k(20) |> dist(3)"),
  xtc: stages("top_k(30) |> xtc(0.5, 0.1, seed: 5) |> dist(9)"),
  grammar: graphOf(
    compileProgram(`sampler g() { keep allowed("root ::= [a-z ]+") pick argmax(logit) }\nchain c() = g()`),
  ),
  words: graphOf(
    compileProgram(`sampler w(q: tokens) {
  state seen: i32 = prompt_length
  keep token not in q and token not in tokens.control
  logit += seen > 40 ? 1 : 0
  if ends_with("e") or since(" t") > 3 { logit += occurrences(8) }
  measure left = n
  pick sample(11)
  after pick { seen = seen + 1 }
}
chain c(q: tokens(4) = tokens(5, 300)) = w(q)`),
  ),
};

test.each(Object.entries(CHAINS))("%s: the same text in the graph, on the host and in Node.js", async (name, graph) => {
  const [inGraph, onHost] = [textOf(graph, "graph"), textOf(graph, "host")];
  expect(inGraph.inGraph).toBe(COUNT);
  expect(onHost.inGraph).toBe(0);
  expect(inGraph.tokens).toEqual(onHost.tokens);
  expect(new Set(inGraph.tokens).size).toBeGreaterThan(2);
  expect(inGraph.tokens).toEqual(await tokensOf(graph));
  if (name === "mirostat") expect(inGraph.states[0]).not.toBe(10);
  if (name === "words") {
    expect(inGraph.states).toEqual([COUNT + inGraph.saved!.promptLength!]);
    expect(inGraph.measures[0]).toBeGreaterThan(1);
  }
  const restored = restoreSequence(graph, model.info.vocabSize, inGraph.saved!, {
    vocabulary: await loadVocabulary(path),
  });
  expect(restored.step).toBe(COUNT);
  expect([...restored.states]).toEqual(inGraph.states);
});

test("stops, and values over tokens: as in Node.js, in the graph, on the host and restored", async () => {
  const graph = graphOf(
    compileProgram(`sampler w(seed: seed) {
  pick sample(seed)
  after pick {
    let level = mean(-log(picked(prob)), last: 5)
    measure level = level
    measure peak = max(level, last: 7)
    stop when step >= 6 and level > 1.5 as "unsure"
    stop when step >= 6 and min(level, last: 4) < 1 as "sure"
  }
}
chain c = w(11)`),
  );
  const [inGraph, onHost] = [textOf(graph, "graph"), textOf(graph, "host")];
  expect(inGraph.inGraph).toBe(COUNT);
  expect(inGraph.tokens).toEqual(onHost.tokens);
  expect(inGraph.stops).toEqual(onHost.stops);
  const tokens: number[] = [];
  const options = { chain: chainOf(graph), maxTokens: COUNT, minTokens: COUNT };
  const generation = model.generate("In the beginning", options);
  let last: Readonly<Record<string, number>> = {};
  for await (const { token, measures } of generation) {
    tokens.push(token);
    last = measures!;
  }
  // it ends there, and the program that reads no stop goes on
  expect(inGraph.tokens.slice(0, tokens.length)).toEqual(tokens);
  const first = inGraph.stops.findIndex((stop) => stop !== "");
  expect(generation.stats()).toMatchObject({ finish: "stopped", stoppedBy: inGraph.stops[first] });
  expect(tokens).toHaveLength(first + 1);
  expect(Object.keys(last)).toEqual(["level", "peak"]);
  const saved = inGraph.saved!;
  expect(saved.windows!.map(({ length }) => length)).toEqual([4, 6, 3]);
  const restored = restoreSequence(graph, model.info.vocabSize, saved);
  expect(restored.windows.map((values) => [...values])).toEqual(saved.windows);
});

test.each([
  ["asked sometimes", "state turn: i32 = 0 if turn == 1 { keep allowed(g) } after pick { turn = 1 - turn }", 0],
  ["asked where the text ends so", 'if ends_with("e") { keep allowed(g) }', 0],
  ["not obeyed", "top 3 keep allowed(g)", COUNT],
])("a grammar waits as in Node.js: %s", async (_, body, least) => {
  const graph = graphOf(
    compileProgram(`import { dist } from "std"
sampler w(g: grammar) { ${body} }
chain c(g: grammar = "root ::= [0-9] [a-m] [0-9]+") = w(g) |> dist(5)`),
  );
  const [inGraph, onHost] = [textOf(graph, "graph"), textOf(graph, "host")];
  const generation = model.generate("In the beginning", { chain: chainOf(graph), maxTokens: COUNT, minTokens: COUNT });
  const tokens: number[] = [];
  for await (const { token } of generation) tokens.push(token);
  const { disallowedTokens = 0 } = generation.stats();
  for (const text of [inGraph, onHost]) {
    expect(text.tokens).toEqual(tokens);
    expect(text.disallowed).toBe(disallowedTokens);
  }
  expect(disallowedTokens).toBeGreaterThanOrEqual(least === 0 ? 0 : 1);
  // the tokens that it went on with
  const { followed } = generation.save().sequence;
  if (least === 0) expect(followed![0]!.length).toBeGreaterThan(0);
  for (const { saved } of [inGraph, onHost]) expect(saved!.followed).toEqual(followed);
});

const PARAMETER = graphOf(
  compileProgram(`import { temp, dist } from "std"\nchain c(t: f32 >= 0.1 = 1) = temp(t) |> dist(1)`),
);
const TAIL = stages("top_k(40) |> host temp(0.5) |> host dist(3)");

test("a parameter that is set changes the text as in a chain with that value", async () => {
  const wanted = await tokensOf(
    graphOf(compileProgram(`import { temp, dist } from "std"\nchain c(t: f32 >= 0.1 = 0.3) = temp(t) |> dist(1)`)),
  );
  expect(textOf(PARAMETER, "graph", "t=0.3").tokens).toEqual(wanted);
  expect(textOf(PARAMETER, "graph").tokens).not.toEqual(wanted);
});

test("a host tail runs on the host, with the text of Node.js", async () => {
  const { tokens, inGraph, saved } = textOf(TAIL, "host");
  expect({ tokens, inGraph, saved }).toEqual({ tokens: await tokensOf(TAIL), inGraph: 0, saved: null });
});

/** Chains that do not fit the demo model's vocabulary: a token and a word that it does not have. */
const MISFITS: Readonly<Record<string, Graph>> = {
  token: graphOf(compileProgram("sampler s() { keep token not in tokens(5000) }\nchain c() = s()")),
  word: graphOf(compileProgram('sampler s() { keep token not in tokens("zyx") }\nchain c() = s()')),
};

test("errors have a code and a text that says what was expected, found and what to do", () => {
  const misfits = Object.entries(MISFITS).map(([name, graph]) => specFile(name, graph));
  expect(run("errors", specFile("parameter", PARAMETER), specFile("tail", TAIL), ...misfits)).toBe(
    "all errors are as expected\n",
  );
});

test("8 threads with a sampler each", () => {
  const files = Object.entries(CHAINS).map(([name, graph]) => specFile(name, graph));
  expect(run("threads", ...files)).toBe("all threads agree\n");
});

test("a device that cannot run the chain: it runs on the host, and says why", async () => {
  const worker = await startWorker();
  const args = [specFile("default", CHAINS["default"]!), rpcLibrary(), `127.0.0.1:${worker.port}`];
  const { status, stdout, stderr } = spawnSync(PROGRAM, ["refused", libraries(), path, ...args], { encoding: "utf8" });
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout: "the same text\n",
    stderr: expect.stringMatching(/on the host: .*cannot run TOP_K/),
  });
});

test("another llama.cpp is refused by its version", () => {
  const source = join(folder, "other.c");
  const library = join(folder, "other.so");
  writeFileSync(source, 'const char * llama_version(void) { return "0.4.9-dev"; }\n');
  execFileSync("gcc", ["-shared", "-fPIC", "-o", library, source]);
  const args = ["generate", libraries(), path, specFile("chain", PARAMETER), "host", "1"];
  const { status, stderr } = spawnSync(PROGRAM, args, {
    encoding: "utf8",
    env: { ...process.env, LD_PRELOAD: library },
  });
  expect(status).toBe(1);
  expect(stderr).toContain("WRONG_VERSION: this program runs llama.cpp 0.4.9-dev");
  expect(stderr).toContain("this libggsl is built for llama.cpp 0.5.0");
});

test("the library has no other symbols, and leaves llama.cpp to the program", () => {
  const library = join(RELEASE, "libggsl.so");
  const lines = (...args: [string, ...string[]]): string[] =>
    execFileSync(args[0], args.slice(1), { encoding: "utf8" }).split("\n");
  const exported = lines("nm", "-D", "--defined-only", library).flatMap((line) => line.split(" ")[2] ?? []);
  const header = readFileSync(join(import.meta.dirname, "../../native/include/ggsl.h"), "utf8");
  const declared = [...header.matchAll(/^GGSL_API [^(]*?(ggsl_\w+)\(/gm)].map(([, name]) => name);
  expect(exported.sort()).toEqual(declared.sort());
  const needed = lines("readelf", "-d", library).filter((line) => line.includes("(NEEDED)") || line.includes("PATH"));
  expect(needed.filter((line) => /llama|ggml|PATH/.test(line))).toEqual([]);
});

test("the header is C", () => {
  const source = join(folder, "header.c");
  writeFileSync(source, '#include "ggsl.h"\nint main(void) { return ggsl_abi_version() == GGSL_ABI_VERSION; }\n');
  const include = join(import.meta.dirname, "../../native/include");
  execFileSync("gcc", ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-I", include, source]);
});
