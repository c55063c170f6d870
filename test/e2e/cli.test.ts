/** The `ggsl` command as a user runs it: output, exit status, and what it says about bad input. */
import { afterAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEMO_MODEL } from "../model/file.js";
import { warm } from "../cli/warm/warm.js";
import type { Result } from "../codegen/ggsl.js";

const folder = mkdtempSync(join(tmpdir(), "ggsl-cli-"));
afterAll(() => rmSync(folder, { recursive: true }));

const run = warm();
const ggsl = (args: readonly string[], input = ""): Result => run(args, { input });

function file(name: string, text: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

interface EvalObject {
  readonly backend: string;
  readonly token: number | null;
  readonly candidates: readonly { readonly token: number; readonly logit: number; readonly prob: number }[];
  readonly tokens?: readonly number[];
}

const DEFAULT_CHAIN = "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)";

test.each(["cpu", "reference"])("eval prints one JSON object, on %s", (backend) => {
  const { status, stdout } = ggsl([
    "eval",
    "-e",
    "top_k(3)",
    "--probs",
    "0.1,0.2,0.3,0.4",
    "--backend",
    backend,
    "--json",
  ]);
  const result = JSON.parse(stdout) as EvalObject;
  expect(status).toBe(0);
  expect(result).toMatchObject({ backend, token: null });
  expect(result.candidates.map((c) => c.token)).toEqual([3, 2, 1]);
  expect(result.candidates.map((c) => c.prob.toFixed(4))).toEqual(["0.4444", "0.3333", "0.2222"]);
});

test("explain counts the rows that a stage leaves, whether it gathers them or looks at the first ones", () => {
  const { stdout } = ggsl(["explain", "-e", "temp(2) |> top_k(40) |> temp(3) |> top_k(8) |> dist()", "--json"]);
  const { stages } = JSON.parse(stdout) as { stages: { rows: string }[] };
  expect(stages.map(({ rows }) => rows)).toEqual(["V", "40", "40", "8", "8"]);
});

test("eval reads logits from files and from standard input", () => {
  const raw = new Uint8Array(Float32Array.of(1, 3, 2).buffer);
  const kept = (args: readonly string[], input?: string): number[] =>
    (JSON.parse(ggsl(["eval", "-e", "top_k(2)", "--json", ...args], input).stdout) as EvalObject).candidates.map(
      (c) => c.token,
    );
  expect(kept(["--logits", file("l.json", '[1, 3, "-inf", null, 2]')])).toEqual([1, 4]);
  expect(kept(["--logits", file("l.f32", raw)])).toEqual([1, 2]);
  expect(kept(["--logits", "-"], "[5, 4, 6]")).toEqual([2, 0]);
});

test("eval --steps accepts each token and --uniform gives the draws", () => {
  const args = ["eval", "-e", "dist()", "--probs", "0.25,0.25,0.5", "--json"];
  const given = JSON.parse(ggsl([...args, "--steps", "3", "--uniform", "0.1,0.4,0.9"]).stdout) as EvalObject;
  expect(given.tokens).toEqual([0, 1, 2]);
  const seeded = (seed: string): unknown =>
    (JSON.parse(ggsl([...args, "--steps", "20", "--seed", seed]).stdout) as EvalObject).tokens;
  expect(seeded("7")).toEqual(seeded("7"));
  expect(seeded("7")).not.toEqual(seeded("8"));
  // a draw by number takes that number of the list
  const twice = file(
    "twice.ggsl",
    "sampler s(seed: seed) { pick sample(seed, 2 * step) }\nchain c(seed: seed = 1) = s(seed)\n",
  );
  const { tokens } = JSON.parse(
    ggsl(["eval", twice, "--probs", "0.25,0.25,0.5", "--json", "--steps", "3", "--uniform", "0.1,0.9,0.4,0.9,0.6"])
      .stdout,
  ) as EvalObject;
  expect(tokens).toEqual([0, 1, 2]);
});

test("eval feeds history, biases and inputs", () => {
  const picked = (args: readonly string[]): number | null =>
    (JSON.parse(ggsl(["eval", ...args, "--json"]).stdout) as EvalObject).token;
  const program =
    'import { greedy } from "std"\ninput green: f32 sparse(2) = 0\nsampler add() { logit += green }\nchain c() = add() |> greedy()\n';
  expect(picked(["-e", "penalties(8, 2) |> greedy()", "--logits", "1,2,3", "--history", "2,2"])).toBe(1);
  expect(picked(["-e", "logit_bias() |> greedy()", "--logits", "1,2,3", "--bias", "2:-inf,0:5"])).toBe(0);
  expect(picked([file("green.ggsl", program), "--logits", "1,2,3", "--input", "green=9,0,0"])).toBe(0);
  expect(picked([file("green.ggsl", program), "--logits", "1,2,3", "--input", "green=1:5"])).toBe(1);
  expect(picked([file("green.ggsl", program), "--logits", "1,2,3", "--input", "green=1:5, 0:9"])).toBe(0);
  const dense = program.replace(" sparse(2) = 0", "");
  expect(picked([file("dense.ggsl", dense), "--logits", "1,2,3", "--input", "green=9,0,0"])).toBe(0);
  for (const list of ["1:", "1:5,2", "1:x"])
    expect(ggsl(["eval", file("green.ggsl", program), "--logits", "1,2,3", "--input", `green=${list}`]).stderr).toBe(
      `error: --input green: "${list}" is not a list of pairs: expected TOKEN:VALUE,TOKEN:VALUE\n`,
    );
  const refused = ggsl(["eval", file("dense.ggsl", dense), "--logits", "1,2,3", "--input", "green=1:5"]);
  expect(refused.status).not.toBe(0);
  expect(refused.stderr).toBe(
    "error: --input green: the input is dense: expected a number for each token, as in green=0.5,0,1, found pairs\n",
  );
});

test("the host tail draws from --seed", () => {
  const args = ["eval", "-e", "top_k(3) |> host dist()", "--logits", "1,1,1", "--steps", "12", "--json"];
  const tokens = (seed: string): unknown => (JSON.parse(ggsl([...args, "--seed", seed]).stdout) as EvalObject).tokens;
  expect(tokens("3")).toEqual(tokens("3"));
  expect(tokens("3")).not.toEqual(tokens("4"));
});

test("check and test go on after a bad file", () => {
  const good = file(
    "good.ggsl",
    '\uFEFFsampler s() { keep prob > 0.1 }\ntest "t" { probs [1, 2] run s() expect kept [0, 1] }\n',
  );
  const bad = file("bad.ggsl", "sampler {");
  const checked = ggsl(["check", bad, "nowhere.ggsl", good]);
  expect(checked).toMatchObject({ status: 1, stdout: "3 files checked: 2 errors, 0 warnings\n" });
  expect(checked.stderr).toMatch(/E0101[^]*"nowhere.ggsl" cannot be read/);
  const tested = ggsl(["test", bad, good, "--backend", "reference,cpu", "--json"]);
  expect(tested.status).toBe(1);
  expect(JSON.parse(tested.stdout)).toMatchObject({ passed: 2, failed: 1 });
});

test("compile writes a spec that eval runs, text and a drawing", () => {
  const spec = join(folder, "chain.graph.json");
  expect(ggsl(["compile", "-e", "top_k(2)", "-o", spec]).status).toBe(0);
  expect(JSON.parse(readFileSync(spec, "utf8"))).toMatchObject({ ggsl: 2, inputs: [{ name: "logits" }] });
  const { candidates } = JSON.parse(ggsl(["eval", spec, "--logits", "1,3,2", "--json"]).stdout) as EvalObject;
  expect(candidates.map((c) => c.token)).toEqual([1, 2]);
  expect(ggsl(["compile", "-e", "top_k(2)", "--emit", "text"]).stdout).toMatch(/%0 = top_k\(logits\) k=2 +: i32\[2\]/);
  expect(ggsl(["compile", "-e", "top_k(2)", "--emit", "dot"]).stdout).toMatch(/^digraph/);
});

test("explain names stages, nodes and bytes", () => {
  const explained = JSON.parse(ggsl(["explain", "-e", DEFAULT_CHAIN, "--json"]).stdout) as Record<string, unknown>;
  expect(explained).toMatchObject({ readbackBytes: 4, stages: [{ name: "top_k(40)", device: "cpu" }, {}, {}, {}, {}] });
});

test("limits and costs", () => {
  const text = (body: string): string => `sampler s() {\n${body}\n}\nchain c = s()\n`;
  // 960 tanh in a kilobyte, and 256 sorts in a few bytes
  const wide = text("logit = tanh(logit)\n".repeat(60)).replace("= s()", `= ${Array(16).fill("s").join(" |> ")}`);
  const tanhs = file("tanhs.ggsl", wide);
  const sorts = file(
    "sorts.ggsl",
    `${text("sort by token\nsort by -token\n".repeat(8))}chain d = ${Array(16).fill("c").join(" |> ")}\n`,
  );
  expect(ggsl(["check", tanhs]).status).toBe(0);
  const strict = ggsl(["check", tanhs, "--limits", "strict"]);
  expect([strict.status, strict.stderr]).toEqual([1, expect.stringContaining("the limit `work`")]);
  expect(ggsl(["compile", sorts, "d"]).stderr).toContain("the limit `sorts`");
  const { cost } = JSON.parse(ggsl(["explain", tanhs, "--vocab", "128256", "--json"]).stdout) as {
    readonly cost: { readonly work: number };
  };
  expect(cost.work).toBeGreaterThan(960 * 128_256);
  expect(ggsl(["explain", "-e", "top_k(40) |> greedy()"]).stdout).toMatch(
    /^cost of a token: \d+ rows computed, 1 sort of the vocabulary, \d+ bytes of device memory, \d+ bytes written/m,
  );
  const { status, stderr } = ggsl(["run", "-e", "greedy()", "--limits", "tight"]);
  expect([status, stderr]).toEqual([2, expect.stringContaining("default, strict")]);
  const spec = file("wide.graph.json", ggsl(["compile", tanhs]).stdout);
  expect(ggsl(["eval", spec, "--limits", "strict", "--logits", "1,2"]).stderr).toContain("(`work`)");
});

test("devices lists the CPU", () => {
  expect(ggsl(["devices"]).stdout).toMatch(/CPU/);
});

describe("bad input ends with a message and no stack", () => {
  const program =
    'import { top_k, dist } from "std"\nchain a(static k: i32) = top_k(k) |> dist()\nchain b(t: f32 in [0, 1] = 0.5) = dist()\n';
  const spec = (): Record<string, unknown> =>
    JSON.parse(ggsl(["compile", "-e", "top_k(2)"]).stdout) as Record<string, unknown>;
  const edited = (edit: (s: { nodes: Record<string, unknown>[] }) => void): string => {
    const s = spec() as { nodes: Record<string, unknown>[] };
    edit(s);
    return file("edited.graph.json", JSON.stringify(s));
  };
  const model = readFileSync(DEMO_MODEL);
  const cases: readonly (readonly [string, number, RegExp, () => string[]])[] = [
    ["an unknown sampler", 1, /E0202.*\n.*-e:1:1/, () => ["eval", "-e", "min_q(1)", "--probs", "1,2"]],
    ["a missing file", 1, /"nowhere.ggsl" cannot be read: there is no such file/, () => ["compile", "nowhere.ggsl"]],
    ["a missing chain", 1, /there is no chain `z`/, () => ["compile", file("p.ggsl", program), "z"]],
    ["several chains and no name", 1, /several chains/, () => ["compile", file("p.ggsl", program)]],
    [
      "a static parameter without a value",
      1,
      /static parameter `k` has no value/,
      () => ["compile", file("p.ggsl", program), "a"],
    ],
    [
      "a setting out of range",
      1,
      /must be in \[0, 1\], but is set to 2/,
      () => ["compile", file("p.ggsl", program), "b", "--set", "t=2"],
    ],
    ["logits that are NaN", 1, /the logit of token 1 is NaN/, () => ["eval", "-e", "top_k(2)", "--logits", "1,nan,2"]],
    [
      "logits that are no numbers",
      1,
      /number 2 is "x": expected a number or -inf/,
      () => ["eval", "-e", "top_k(2)", "--logits", "1,x"],
    ],
    ["logits that are all -inf", 1, /no candidate/, () => ["eval", "-e", "top_k(2)", "--logits", "-inf,-inf"]],
    [
      "an edited spec: unknown op",
      1,
      /unknown op/,
      () => ["eval", edited((s) => (s.nodes[1]!["op"] = "rm")), "--logits", "1,2"],
    ],
    [
      "an edited spec: wrong operand",
      1,
      /operand 99 is not a node before/,
      () => ["eval", edited((s) => (s.nodes[1]!["inputs"] = [99])), "--logits", "1,2"],
    ],
    ["an edited spec: not JSON", 1, /it is not JSON/, () => ["eval", file("x.graph.json", "{"), "--logits", "1,2"]],
    ["a model that is not there", 1, /does not exist/, () => ["run", "-e", "greedy()", "--model", "nowhere.gguf"]],
    ["a model that is no GGUF", 1, /error: /, () => ["run", "-e", "greedy()", "--model", "package.json"]],
    [
      "a truncated model",
      1,
      /error: /,
      () => ["run", "-e", "greedy()", "--model", file("cut.gguf", model.subarray(0, 100_000))],
    ],
    [
      "a prompt longer than the context",
      1,
      /the prompt has \d+ tokens/,
      () => ["run", "-e", "greedy()", "--prompt", "word ".repeat(2000)],
    ],
    ["a chain that picks nothing", 1, /does not pick a token/, () => ["run", "-e", "top_k(2)"]],
    ["an unknown backend", 2, /abacus/, () => ["run", "-e", "greedy()", "--backend", "abacus"]],
    ["an unknown command", 2, /unknown command/, () => ["frobnicate"]],
    ["neither a file nor stages", 2, /FILE or -e STAGES/, () => ["compile"]],
    ["a setting that is no number", 2, /NAME=NUMBER/, () => ["compile", "-e", "top_k(2)", "--set", "k"]],
  ];
  test.each(cases)("%s", (_, status, message, args) => {
    const result = ggsl(args());
    expect(result.stderr).toMatch(message);
    expect(result.stderr).not.toMatch(/\n\s+at /);
    expect(result.stdout).toBe("");
    expect(result.status).toBe(status);
  });
});
