/** Progress is shown in a terminal, and nowhere else. */
import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TERMINAL, needing } from "../needs.js";
import { endAll, MAIN, startInTerminal } from "./run.js";

const folder = mkdtempSync(join(tmpdir(), "ggsl-progress-"));
afterEach(endAll);
afterAll(() => rmSync(folder, { recursive: true }));

for (const name of ["a", "b"])
  writeFileSync(
    join(folder, `${name}.ggsl`),
    'sampler s() { keep prob > 0.1 }\ntest "t" { probs [1, 2] run s() expect kept [0, 1] }\n',
  );

const COMMANDS: readonly (readonly [what: string, args: readonly string[], shown: RegExp, printed: RegExp])[] = [
  ["tests", ["test", folder, "--backend", "reference"], /reference: 2 of 2, \S+b\.ggsl/, /^2 passed, 0 failed/m],
  [
    "loading",
    ["run", "-e", "greedy()", "-n", "3", "--backend", "cpu"],
    /loading the model \d+ %/,
    /^In the beginning/m,
  ],
];

describe.each(COMMANDS)("%s", (_what, args, shown, printed) => {
  test("in a pipe", () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(printed);
    expect(stdout).not.toMatch(shown);
  });

  needing(TERMINAL).test("in a terminal, where the line is removed at the end", async () => {
    const run = startInTerminal([process.execPath, MAIN, ...args]);
    expect((await run.ended).status).toBe(0);
    expect(run.output()).toMatch(shown);
    // what stays on the screen: the text after the last time that a line was cleared
    const left = run
      .output()
      .split("\n")
      .map((line) => line.split("\x1b[K").at(-1)!)
      .join("\n");
    expect(left).toMatch(printed);
    expect(left).not.toMatch(shown);
  });
});
