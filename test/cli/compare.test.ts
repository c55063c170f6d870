/** `ggsl compare` as a user runs it: what it prints and writes, that a seed determines all of it, and what it says about bad input. */
import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MEASURES } from "../../runtime/compare/measures.js";
import type { Comparison } from "../../runtime/compare/comparison.js";
import { TERMINAL, needing } from "../needs.js";
import { endAll, MAIN, startInTerminal } from "./run.js";
import { warm } from "./warm/warm.js";

const folder = mkdtempSync(join(tmpdir(), "ggsl-compare-"));
afterEach(endAll);
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const SMALL = ["--backend", "cpu", "--texts", "3", "-n", "6"];

const run = warm();
const compare = (args: readonly string[], input = "") => run(["compare", ...args], { input });

const jsonOf = (args: readonly string[]): Comparison & { readonly backend: string } => {
  const { status, stdout, stderr } = compare([...args, ...SMALL, "--json"]);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Comparison & { readonly backend: string };
};

const CHAINS = file(
  "chains.ggsl",
  `import { dist, greedy, min_p, temp, top_k } from "std"
chain front = top_k(40)
chain soft(t: f32 >= 0 = 1.5) = front |> temp(t) |> dist()
chain hard(p: f32 in [0, 1] = 0.2) = min_p(p) |> dist()
`,
);

describe("what it prints and writes", () => {
  const [csv, svg, html] = ["out.csv", "out.svg", "out.html"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const options = [CHAINS, "-e", "greedy()", "--prompt", "<b>And</b> God", ...SMALL];

  test("a table; chains without a pick are left out, and a fixed chain is told of", () => {
    const { status, stdout, stderr } = compare([...options, "--csv", csv, "--svg", svg, "--html", html]);
    expect(stderr.split("\n").toSorted()).toEqual(
      [
        "",
        "note: `front` picks no token and is left out",
        "warning: `greedy()` has no draws, or fixes all its seeds: its texts do not depend on the seed",
        ...[csv, svg, html].map((path) => `wrote ${path}`),
      ].toSorted(),
    );
    expect(status).toBe(0);
    expect(stdout.split("\n")[0]!.trim().split(/ {2,}/)).toEqual(["soft", "hard", "greedy()"]);
    for (const { title } of Object.values(MEASURES)) expect(stdout).toMatch(new RegExp(`^${title}\\b.*\\d`, "m"));
    expect(Math.max(...stdout.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  test("the page is one file: no script, no request, and no markup of the prompt", () => {
    const page = readFileSync(html, "utf8");
    expect(page).toContain("default-src 'none'; style-src 'unsafe-inline'");
    expect(page).not.toMatch(/<script|<link|<img|url\(|src=|https?:(?!\/\/www\.w3\.org\/2000\/svg)/);
    expect(page).toContain("&lt;b&gt;And&lt;/b&gt; God");
    expect(page).toContain('class="ggsl-figure"');
    expect(page).not.toContain(folder);
    expect(readFileSync(svg, "utf8")).toMatch(/^<svg\s[^]*<\/svg>\n$/);
    expect(readFileSync(csv, "utf8")).toMatch(
      /^chain,measure,unit,position,value,standard_error,texts\r\nsoft,distinct-1,,,0\.\d+,,3\r\n/,
    );
  });

  test("the same again, to the last byte, and one form to standard output", () => {
    for (const [option, path] of [
      ["--csv", csv],
      ["--svg", svg],
      ["--html", html],
    ] as const)
      expect(compare([...options, option, "-"]).stdout).toBe(readFileSync(path, "utf8"));
    expect(compare([...options, "--seed", "9", "--csv", "-"]).stdout).not.toBe(readFileSync(csv, "utf8"));
  });
});

describe("chains", () => {
  test("--chain chooses, --set sets those that have the parameter or one of them", () => {
    const both = jsonOf([CHAINS, "--chain", "hard", "--chain", "soft", "--set", "t=0", "--set", "hard.p=1"]);
    expect(both.chains.map(({ name }) => name)).toEqual(["soft", "hard"]);
    // both pick the likeliest token
    const texts = both.chains.flatMap((chain) => chain.texts.map(({ text }) => text));
    expect(new Set(texts).size).toBe(1);
    expect(both).toMatchObject({ backend: "cpu", prompt: "In the beginning", seed: 1, tokens: 6 });
    expect(both.chains[0]!.texts.map(({ seed }) => seed)).toEqual([1, 2, 3]);
  });

  test("--vary compares values of a parameter", () => {
    const varied = jsonOf([CHAINS, "--chain", "soft", "--vary", "t=0,0.5,2"]);
    expect(varied.chains.map(({ name }) => name)).toEqual(["soft, t = 0", "soft, t = 0.5", "soft, t = 2"]);
    expect(varied.chains[0]!.measures.different).toBe(1);
    expect(varied.chains[2]!.measures.logprob).toBeLessThan(varied.chains[0]!.measures.logprob);
  });

  test("the same name in two files, a spec, and standard input", () => {
    const other = file("other.ggsl", 'import { greedy } from "std"\nchain soft = greedy()');
    const { chains } = jsonOf([CHAINS, other, "--chain", "soft"]);
    expect(chains.map(({ name }) => name)).toEqual([`soft (${CHAINS})`, `soft (${other})`]);
    const { stdout: spec } = spawnSync(process.execPath, [MAIN, "compile", other, "--emit", "json"], {
      encoding: "utf8",
    });
    const fromSpec = jsonOf([file("soft.graph.json", spec)]);
    expect(fromSpec.chains[0]!.texts).toEqual(chains[1]!.texts);
    const fromInput = compare(["-", ...SMALL, "--json"], 'import { greedy } from "std"\nchain soft = greedy()');
    expect((JSON.parse(fromInput.stdout) as Comparison).chains[0]!.texts).toEqual(chains[1]!.texts);
  });

  test("a grammar of the request", () => {
    const grammar = file("yes.gbnf", 'root ::= " yes" | " no"');
    const { chains } = jsonOf(["-e", "dist()", "--grammar", grammar]);
    for (const { text } of chains[0]!.texts) expect([" yes", " no"]).toContain(text);
  });
});

describe("bad input", () => {
  const five = file(
    "five.ggsl",
    `import { greedy } from "std"\n${["a", "b", "c", "d", "e"].map((n) => `chain ${n} = greedy()\n`).join("")}`,
  );
  const grammar = file(
    "grammar.ggsl",
    'import { constrain, greedy } from "std"\nchain g(g: grammar) = constrain(g) |> greedy()',
  );
  const open = file("open.ggsl", 'import { top_k } from "std"\nchain open = top_k(3)');
  const CASES: readonly (readonly [args: readonly string[], status: number, code: string, message: RegExp])[] = [
    [[], 2, "USAGE", /expected FILES or -e STAGES/],
    [["missing.ggsl"], 1, "UNREADABLE_FILE", /"missing.ggsl" cannot be read/],
    [[five], 1, "LIMIT_EXCEEDED", /from 1 to 4 chains to compare, found 5, `a`/],
    [[open], 1, "INVALID_ARGUMENT", /from 1 to 4 chains to compare, found none/],
    [[open, "--chain", "open"], 1, "INVALID_ARGUMENT", /does not pick a token/],
    [
      [CHAINS, "--chain", "soft", "--chain", "loud"],
      2,
      "USAGE",
      /there is no chain `loud`: there is `front`, `soft`, `hard`/,
    ],
    [[CHAINS, "--set", "loud.t=1"], 2, "USAGE", /there is no chain `loud`/],
    [[CHAINS, "--set", "q=1"], 1, "INVALID_PROGRAM", /q/],
    [[CHAINS, "--vary", "q=1,2"], 2, "USAGE", /no chain of a file has a parameter `q`/],
    [[CHAINS, "--vary", "t=1,x"], 2, "USAGE", /Expected NAME=NUMBER,NUMBER/],
    [[CHAINS, "--chain", "soft", "--vary", "t=1,2,3,4,5"], 1, "LIMIT_EXCEEDED", /found 5/],
    [["-e", "dist()", "-e", "dist()"], 1, "INVALID_ARGUMENT", /two of the chains are named `dist\(\)`/],
    [["-e", "topk(3)"], 1, "INVALID_PROGRAM", /unknown sampler/],
    [[grammar], 1, "MISSING_GRAMMAR", /grammar/],
    [["-e", "greedy()", "--ctx-size", "12"], 1, "CONTEXT_FULL", /the prompt has \d+ tokens/],
    [["-e", "greedy()", "--texts", "257"], 2, "USAGE", /from 1 to 256/],
    [["-e", "greedy()", "-n", "0"], 2, "USAGE", /1 or more/],
    [["-e", "greedy()", "--csv", "-"], 2, "USAGE", /--csv and --json/],
    [["-e", "greedy()", "--svg", join("no", "folder.svg")], 1, "UNWRITABLE_FILE", /there is no such folder/],
    [["-e", "greedy()", "--model", "no.gguf"], 1, "UNREADABLE_FILE", /does not exist/],
  ];
  test.each(CASES)("%j", (args, status, code, message) => {
    const result = compare([...args, "--json"]);
    const { error } = JSON.parse(result.stdout) as { error: { code: string; message: string } };
    expect({ status: result.status, code: error.code }).toEqual({ status, code });
    expect(error.message).toMatch(message);
    expect(result.stderr).not.toMatch(/ at .*\.[jt]s:/);
  });
});

needing(TERMINAL).test("Ctrl-C prints the comparison of the texts that had ended", async () => {
  const words = [
    process.execPath,
    MAIN,
    "compare",
    "-e",
    "temp(1) |> dist()",
    "--texts",
    "256",
    "-n",
    "256",
    "--sequences",
    "4",
  ];
  const running = startInTerminal(words);
  await running.until(/writing texts ([5-9]|\d\d) %/);
  running.type("\x03");
  const { status } = await running.ended;
  expect(status).toBe(130);
  const [, count] = /interrupted: (\d+) of 256 texts of each chain had ended/.exec(running.output())!;
  expect(Number(count)).toBeGreaterThan(0);
  expect(running.output()).toMatch(/distinct-1 +\d\.\d+/);
});
