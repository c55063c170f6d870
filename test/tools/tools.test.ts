/** The shared parts of all tools: start-up, running commands, and when something is rebuilt. */
import { describe, expect, jest, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { BUILDERS } from "../../tools/lib/compilers.mjs";
import { fill } from "../../tools/lib/markdown.js";
import { attempt, attemptNode, run, ToolError } from "../../tools/lib/process.js";
import { once } from "../../tools/lib/stamp.js";
import { openFolder } from "../bench/tool.js";

const tool = (...args: string[]) => spawnSync(process.execPath, ["tools/run.mjs", ...args], { encoding: "utf8" });

/** Runs a tool in a folder where no package is installed, and none can be. */
function freshTool(folder: ReturnType<typeof openFolder>, name: string, env = process.env) {
  mkdirSync(folder.path("tools/lib"), { recursive: true });
  for (const file of ["tools/run.mjs", "tools/lib/compilers.mjs"]) copyFileSync(file, folder.path(file));
  writeFileSync(folder.path("package.json"), "no JSON");
  writeFileSync(folder.path("package-lock.json"), "{}");
  return spawnSync(process.execPath, [folder.path("tools/run.mjs"), name], { encoding: "utf8", env });
}

describe("a tool that cannot run says why", () => {
  test.each<[string, string[], string]>([
    ["an unknown tool", ["tset"], 'there is no tool "tset", but api, bench, '],
    ["an unknown option", ["docs", "--chekc"], "Unknown option '--chekc'"],
    ["its usage", ["docs", "--chekc"], "\nUsage: npm run docs -- [--check] [PAGE...]\n"],
    ["a count", ["parity", "--cases", "0"], "--cases must be an integer of 1 or more, found 0\n"],
    ["an architecture", ["build-native", "--cuda", "sm_90"], 'native; found "sm_90"\n'],
  ])("%s", (_, args, message) => {
    const { status, stdout, stderr } = tool(...args);
    expect(stderr).toContain(message);
    expect([status, stdout]).toEqual([1, ""]);
  });

  test("packages that cannot be installed, with the last line of npm test", () => {
    using folder = openFolder();
    const child = freshTool(folder, "test");
    expect(child.stderr).toContain("EJSONPARSE");
    expect(child.stderr).toMatch(/\nsetup: installing packages failed\n$/);
    expect(child.stdout).toMatch(/\n0 passed, 1 failed\n$/);
    expect(child.status).toBe(1);
  });

  test("programs that are missing, all at once, before packages are installed", () => {
    using folder = openFolder();
    mkdirSync(folder.path("bin"));
    const env = { PATH: folder.path("bin") };
    const install = "On Debian or Ubuntu, as root: apt-get install g++ cmake make git\n";
    expect(freshTool(folder, "demo", env)).toMatchObject({
      status: 1,
      stdout: "",
      stderr: `setup: missing g++, cmake, make, git. ${install}`,
    });
    for (const name of ["g++", "make"]) writeFileSync(folder.path(`bin/${name}`), "#!/bin/sh\n", { mode: 0o755 });
    expect(freshTool(folder, "test", env)).toMatchObject({
      status: 1,
      stdout: "\n0 passed, 1 failed\n",
      stderr: `setup: missing cmake, git. ${install}`,
    });
    // what compiles no C++ goes on to npm, which is not there either
    expect(freshTool(folder, "lint", env).stdout).toMatch(/^setup: installing packages/);
  });

  test("the tools that look for these programs first are those that begin with the set-up", () => {
    const names = readdirSync("tools").flatMap((file) => /^(.*)\.ts$/.exec(file)?.[1] ?? []);
    expect(BUILDERS.filter((name) => !names.includes(name))).toEqual([]);
    const all = names.filter((name) => readFileSync(`tools/${name}.ts`, "utf8").includes('from "./setup.js"'));
    expect(all.length).toBeGreaterThan(5);
    expect(all.filter((name) => !BUILDERS.includes(name))).toEqual([]);
  });
});

describe("commands", () => {
  const script = "console.log('out'); console.error(process.env.GGSL_WORD); process.exitCode = 3";

  test("what a command prints is kept, with its status", async () => {
    const { status, output, reason } = await attemptNode(["-e", script], { env: { GGSL_WORD: "err" } });
    expect([status, output.split("\n").sort(), reason]).toEqual([3, ["", "err", "out"], undefined]);
  });

  test("a signal and a missing program are reasons", async () => {
    const killed = await attemptNode(["-e", "process.kill(process.pid, 'SIGKILL')"]);
    expect(killed).toEqual({ status: 1, output: "", reason: "ended by SIGKILL" });
    expect((await attempt("no-such-program", [])).reason).toContain("ENOENT");
  });

  test("a failure shows the output and names the command or what it was for", async () => {
    using printed = jest.spyOn(console, "error").mockImplementation(() => undefined);
    const failing = run(process.execPath, ["-e", "console.log('why'); process.exit(1)"], { what: "the test" });
    await expect(failing).rejects.toThrow(new ToolError("the test failed"));
    expect(printed.mock.calls).toEqual([["why"]]);
    await expect(run("no-such-program", ["--x"])).rejects.toThrow("`no-such-program --x` failed: spawn");
  });
});

test("a target is built once per stamp, and again if it is missing, incomplete, or forced", async () => {
  using folder = openFolder();
  const [stampFile, output] = [folder.path("stamp"), folder.path("output")];
  const make = (stamp: string, force = false, fails = false): Promise<boolean> =>
    once({ stampFile, stamp, outputs: [output], force }, () => {
      writeFileSync(output, stamp);
      return fails ? Promise.reject(new ToolError("failed")) : Promise.resolve();
    });
  expect([await make("a"), await make("a"), await make("b")]).toEqual([true, false, true]);
  expect(readFileSync(output, "utf8")).toBe("b");
  rmSync(output);
  expect([await make("b"), await make("b"), await make("b", true)]).toEqual([true, false, true]);
  await expect(make("c", false, true)).rejects.toThrow("failed");
  expect(existsSync(stampFile)).toBe(false);
  expect(await make("b")).toBe(true);
});

test("a template and its values have the same names", () => {
  expect(() => fill("std.md", { table: "" })).toThrow("std.md: there is no value for sections");
  expect(() => fill("std.md", { table: "", sections: "", more: "" })).toThrow("std.md: does not use more");
  expect(fill("std.md", { table: "THE TABLE", sections: "$& $1" })).toMatch(/\nTHE TABLE\n\n\$& \$1\n$/);
});
