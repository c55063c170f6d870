/** Folders, globs and standard input in place of files. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { programsOf } from "../../cli/programs.js";
import { warm } from "./warm/warm.js";

const folder = mkdtempSync(join(tmpdir(), "ggsl-programs-"));
const home = process.cwd();
afterAll(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true });
});

const SAMPLER = "sampler mine() { logit *= 2 }\n";
const FILES: Readonly<Record<string, string>> = {
  "b.ggsl": SAMPLER,
  "a.ggsl": SAMPLER,
  "src/Z.ggsl": SAMPLER,
  "src/deep/a.ggsl": SAMPLER,
  "src/deep/note.txt": "no program",
  "src/.hidden/x.ggsl": "no program",
  "src/.x.ggsl": "no program",
  "src/node_modules/p/x.ggsl": "no program",
  "src/[id].ggsl": SAMPLER,
  "empty/note.txt": "",
};

beforeAll(() => {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  symlinkSync("..", join(folder, "src", "circle"));
  process.chdir(folder);
});

describe("the programs of words", () => {
  const SRC = ["src/Z.ggsl", "src/[id].ggsl", "src/deep/a.ggsl"];
  test.each<[words: string[], files: string[]]>([
    [["."], ["a.ggsl", "b.ggsl", ...SRC]],
    [["src"], SRC],
    [["src/"], SRC],
    [["./src"], SRC],
    [["src/**/*.ggsl"], SRC],
    [["s*"], SRC],
    [["src/d*"], ["src/deep/a.ggsl"]],
    [["*.ggsl"], ["a.ggsl", "b.ggsl"]],
    [["{b,a}.ggsl"], ["a.ggsl", "b.ggsl"]],
    // the order of the words, each file once
    [
      ["b.ggsl", ".", "src"],
      ["b.ggsl", "a.ggsl", ...SRC],
    ],
    [["src/../b.ggsl", "b.ggsl"], ["src/../b.ggsl"]],
    // a name that is also a pattern
    [["src/[id].ggsl"], ["src/[id].ggsl"]],
    // named files are read as they are
    [
      ["src/.x.ggsl", "src/deep/note.txt", "none.ggsl"],
      ["src/.x.ggsl", "src/deep/note.txt", "none.ggsl"],
    ],
    [
      ["-", "a.ggsl"],
      ["-", "a.ggsl"],
    ],
  ])("%j", async (words, files) => {
    expect((await programsOf(words)).map((file) => file.replace(/^src\/\.\.\/b/, "b"))).toEqual(
      files.map((file) => file.replace(/^src\/\.\.\/b/, "b")),
    );
  });

  test("none is an error", async () => {
    const none = { name: "InputError", code: "NO_FILES" };
    await expect(programsOf(["a.ggsl", "empty"])).rejects.toMatchObject({
      ...none,
      message: expect.stringContaining('the folder "empty" has no files *.ggsl'),
    });
    await expect(programsOf(["x*.ggsl"])).rejects.toMatchObject({
      ...none,
      message: expect.stringContaining('no file *.ggsl matches "x*.ggsl"'),
    });
    await expect(programsOf(["-", "-"])).rejects.toMatchObject({ name: "UsageError" });
  });
});

describe("the commands", () => {
  const run = warm();
  const ggsl = (args: readonly string[], input = "") => run(args, { input });

  test("check, fmt and test take folders and globs", () => {
    expect(ggsl(["check", "src"])).toEqual({
      status: 0,
      stdout: "3 files checked: 0 errors, 0 warnings\n",
      stderr: "",
    });
    expect(ggsl(["check", "empty"])).toMatchObject({ status: 1, stdout: "" });
    writeFileSync(
      "src/deep/long.ggsl",
      'sampler   mine( ) { keep prob > 0.1 }\ntest "t" { probs [1, 2] run mine() expect kept [0, 1] }\n',
    );
    expect(ggsl(["fmt", "src/**", "--check"])).toMatchObject({ status: 1 });
    expect(ggsl(["fmt", "src/d*"]).stdout).toContain("formatted src/deep/long.ggsl\n");
    expect(readFileSync("src/deep/long.ggsl", "utf8")).toContain("sampler mine() {");
    expect(ggsl(["test", "src", "--backend", "reference"]).stdout).toBe("1 passed, 0 failed, on reference\n");
    rmSync("src/deep/long.ggsl");
  });

  test("standard input has the place of --stdin-path", () => {
    const text = 'import { mine } from "./deep/a.ggsl"\nchain c = mine() |> sparkle()\n';
    const named = ggsl(["check", "-", "--stdin-path", "src/new.ggsl"], text);
    expect(named.stderr).toMatch(/^error\[E0202\]: unknown sampler `sparkle`\n +--> src\/new.ggsl:2:21\n/);
    expect(named.stderr).not.toContain("E0205");
    expect(ggsl(["check", "-"], text).stderr).toContain("E0205");
    expect(ggsl(["fmt", "-", "--stdin-path", "src/new.ggsl"], "sampler {").stderr).toContain("src/new.ggsl:1:");
    const tested = ggsl(
      ["test", "-", "--stdin-path", "src/new.ggsl", "--backend", "reference"],
      `${text}test "t" { }\n`,
    );
    expect(tested.stdout).toContain("src/new.ggsl:");
    expect(ggsl(["check", "a.ggsl", "--stdin-path", "b.ggsl"])).toMatchObject({ status: 2 });
  });

  test("- is standard input for every file, once", () => {
    const json = (args: readonly string[], input: string): unknown => {
      const { stdout, stderr } = ggsl([...args, "--json"], input);
      expect([args, stderr]).toEqual([args, ""]);
      return JSON.parse(stdout);
    };
    const probs = ["--probs", "0.1,0.2,0.7"];
    const two = [{ token: 2 }, { token: 1 }];
    const chain = 'import { top_k } from "std"\nchain c = top_k(2)\n';
    expect(json(["eval", "-", ...probs], chain)).toMatchObject({ candidates: two });
    const spec = ggsl(["compile", "-"], chain).stdout;
    expect(json(["eval", "-", ...probs], spec)).toMatchObject({ candidates: two });
    expect(json(["explain", "-"], spec)).toMatchObject({ stages: [{ name: "top_k(2)" }] });
    const banned = ["eval", "-e", 'bad_words([" b"]) |> greedy()', ...probs];
    expect(json([...banned, "--vocab", "-"], '["a", "c", " b"]')).toMatchObject({ token: 1 });
    expect(
      json(["eval", "-e", "penalties(8, 100) |> greedy()", "--logits", "1,2,3", "--history", "-"], "[2, 2]"),
    ).toMatchObject({ token: 1 });
    for (const args of [
      ["eval", "-", "--logits", "-"],
      ["eval", "-e", "greedy()", "--logits", "-", "--history", "-"],
      ["check", "-", "-"],
    ])
      expect([args, ggsl(args, args[1] === "-" ? chain : "[1]")]).toEqual([
        args,
        { status: 2, stdout: "", stderr: "error: standard input can be read once, and - is given twice\n" },
      ]);
  });
});
