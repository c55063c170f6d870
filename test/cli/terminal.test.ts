/** When colours and progress are written. */
import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { formatDiagnostic } from "../../compiler/check/format.js";
import { canOverwrite, usesColor } from "../../cli/terminal.js";

const TERMINAL = { isTTY: true };
const PIPE = { isTTY: false };

test.each<[isTTY: boolean, env: Record<string, string>, color: boolean]>([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: "1" }, false],
  [true, { NO_COLOR: "0" }, false],
  // empty is as if it were not there
  [true, { NO_COLOR: "" }, true],
  [false, { FORCE_COLOR: "1" }, true],
  [false, { FORCE_COLOR: "3" }, true],
  [false, { FORCE_COLOR: "" }, false],
  [true, { FORCE_COLOR: "0" }, false],
  [false, { FORCE_COLOR: "1", NO_COLOR: "1" }, true],
  [true, { TERM: "dumb" }, false],
  [false, { TERM: "dumb", FORCE_COLOR: "1" }, true],
  // a job's log is a pipe, or a terminal that shows colours
  [false, { CI: "true" }, false],
  [true, { CI: "true" }, true],
])("a terminal: %s, with %j: colours: %s", (isTTY, env, color) => {
  expect(usesColor({ isTTY }, env)).toBe(color);
});

test("lines are overwritten on a terminal that can, outside of CI", () => {
  expect(canOverwrite(TERMINAL, {})).toBe(true);
  expect(canOverwrite(PIPE, { FORCE_COLOR: "1" })).toBe(false);
  expect(canOverwrite(TERMINAL, { TERM: "dumb" })).toBe(false);
  expect(canOverwrite(TERMINAL, { CI: "true" })).toBe(false);
  expect(canOverwrite(TERMINAL, { CI: "false" })).toBe(true);
});

test("diagnostics heed it: of a command that fails, and of one that goes on", () => {
  const ggsl = (args: readonly string[], env: NodeJS.ProcessEnv): string =>
    spawnSync(process.execPath, ["runtime/dist/cli/main.js", ...args], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], ...env },
    }).stderr;
  const escape = "\x1b[";
  expect(ggsl(["compile", "-e", "nope()"], { FORCE_COLOR: "1" })).toContain(escape);
  expect(ggsl(["compile", "-e", "temp(1) |> dist()"], { FORCE_COLOR: "1" })).toContain(escape);
  expect(ggsl(["compile", "-e", "nope()"], { FORCE_COLOR: "0" })).not.toContain(escape);
});

test("diagnostics have no colour that is weak on a dark or on a light background", () => {
  const [warning, error] = ["E0202", "W0301"].map((code) => {
    const span = { source: { name: "a.ggsl", text: "x" }, start: 0, end: 1 } as const;
    const severity = code.startsWith("E") ? "error" : "warning";
    return formatDiagnostic(
      { code, severity, message: "m", label: "l", help: "h", notes: [{ message: "n", span }], span },
      { color: true },
    );
  });
  const used = new Set(
    [...`${warning}${error}`.matchAll(/\x1b\[([\d;]*)m/g)].flatMap(([, codes]) => codes!.split(";")),
  );
  // bold, dim, red and magenta; 0 ends
  expect([...used].sort()).toEqual(["0", "1", "2", "31", "35"]);
});

test("one module decides", () => {
  const { stdout } = spawnSync("git", ["grep", "-lE", "NO_COLOR|FORCE_COLOR|stderr\\.isTTY", "--", "cli"], {
    encoding: "utf8",
  });
  expect(stdout).toBe("cli/terminal.ts\n");
});
