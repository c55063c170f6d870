/** Parts of what commands show, for editors: a stage, a drawing, one test. */
import { expect, test } from "@jest/globals";
import { warm } from "./warm/warm.js";

const PROGRAM = `import { top_k, temp, dist } from "std"
chain inner = top_k(40) |> temp(0.8)
chain outer = inner() |> dist(1)

test "first" { probs [0.6, 0.4] run top_k(1) expect kept [0] }
test "second" {
  probs [0.6, 0.4]
  run top_k(1)
  expect kept [1]
}
`;

const ggsl = (...args: readonly string[]) => ggslOn(PROGRAM, ...args);

const run = warm();
const ggslOn = (input: string, ...args: readonly string[]) => run(args, { input });
const IN_FILE = ["--stdin-path", "src/parts.ggsl"] as const;

test("explain --stage: one stage, those of a chain within counted", () => {
  const explain = (...args: readonly string[]) => ggsl("explain", "-", "outer", ...args);
  const whole = JSON.parse(explain("--json").stdout) as { nodes: number; stages: { name: string }[] };
  expect(whole.stages.map(({ name }) => name)).toEqual(["top_k(40)", "temp(0.8)", "dist(1)"]);
  const one = JSON.parse(explain("--json", "--stage", "3").stdout) as typeof whole;
  expect(one).toEqual({ ...whole, stages: [whole.stages[2]] });
  const { stdout: page } = explain("--html", "--stage", "3", ...IN_FILE);
  expect(page).toMatch(/<h1>Stage 3 of the chain <code>outer<\/code>: <code>dist\(1\)<\/code><\/h1>/);
  expect(page).toContain("src/parts.ggsl");
  // its table and its lines of the graph have no other stage, and the drawing shows the others faintly
  const [stages, texts, drawing] = page.split(/<section /).slice(1) as [string, string, string];
  for (const part of [stages, texts]) expect(part).not.toContain("top_k(40)");
  expect(drawing).toMatch(/class="node c0 faint"/);
  expect(drawing).toMatch(/class="node c2"/);
  expect(explain("--stage", "4")).toMatchObject({
    status: 2,
    stdout: "",
    stderr: expect.stringContaining("3 stages, found --stage 4") as unknown,
  });
  expect(explain("--stage", "0")).toMatchObject({ status: 2 });
});

test("explain --drawing: only the drawing", () => {
  const { stdout } = ggsl("explain", "-", "outer", "--html", "--drawing");
  expect(stdout.match(/<section id="\w+"/g)).toEqual(['<section id="drawing"']);
  expect(ggsl("explain", "-", "outer", "--drawing")).toMatchObject({ status: 2 });
  expect(ggsl("explain", "-", "outer", "--html", "--drawing", "--stage", "1")).toMatchObject({ status: 2 });
});

test("test --line: the test on a line, from its first to its last", () => {
  const line = (n: number, ...more: readonly string[]) =>
    ggsl("test", "-", "--line", `${n}`, "--backend", "reference", ...more);
  expect(line(5)).toMatchObject({ status: 0, stdout: "1 passed, 0 failed, on reference\n" });
  for (const n of [6, 8, 10]) {
    const { status, stdout } = line(n, ...IN_FILE);
    expect([n, status]).toEqual([n, 1]);
    expect(stdout).toContain('FAILED src/parts.ggsl:6 "second"');
  }
  const { status, stdout } = line(3);
  expect([status, stdout]).toEqual([1, expect.stringContaining("they begin on these lines: 5, 6") as unknown]);
  expect(ggsl("test", "examples", "--line", "1")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("--line needs one file") as unknown,
  });
});

test("--stdin-path names the program of standard input for chains, too", () => {
  for (const command of ["run", "explain"]) {
    const { status, stderr } = ggslOn("chain c = none()\n", command, "-", ...IN_FILE);
    expect([command, status]).toEqual([command, 1]);
    expect(stderr).toContain("--> src/parts.ggsl:1:11");
    expect(ggsl(command, "-e", "temp(1)", ...IN_FILE)).toMatchObject({ status: 2 });
  }
});
