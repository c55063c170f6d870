/** The programs of examples/embed, in C, C++ and Python, write the texts of `ggsl run`, in the model's graph and on the host. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildEmbedded, EMBEDDED } from "../../tools/lib/embed.js";
import { warm } from "../cli/warm/warm.js";
import type { Result } from "../codegen/ggsl.js";
import { DEMO_MODEL, writeExactModel } from "../model/file.js";
import { EXACT_OPTIONS, program } from "./programs.js";
import { withTool } from "./tools.js";

// as a program of another language, which is not told which CPU variant the tests of models run on
const run = warm({ GGSL_CPU_VARIANT: "" });
const STORY = "examples/embed/story.ggsl";
/** For those who only use the library. GGSL_BLESS=1 rewrites it. */
const STORY_SPEC = "examples/embed/story.graph.json";

let folder: string;
let exact: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-embed-"));
  exact = writeExactModel(folder);
  await buildEmbedded();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Standard output of a command that succeeds. */
function ggsl(...args: string[]): string {
  const { status, stdout, stderr } = run(args);
  if (status !== 0) throw new Error(`ggsl ${args.join(" ")} ended with ${status}\n${stdout}${stderr}`);
  return stdout;
}

/** What `ggsl compile` writes of a program: the file. */
function specOf(file: string): string {
  const path = join(folder, `${file.replace(/\W/g, "-")}.json`);
  ggsl("compile", file, "-o", path);
  return path;
}

const textOf = (file: string, tokens: number, ...options: string[]): string =>
  ggsl("run", file, "--backend", "cpu", "-n", `${tokens}`, "-c", "256", ...options);

const embed = (name: string, ...args: string[]): Result => {
  const [command, ...first] = EMBEDDED[name]!();
  return program(command, [...first, ...args]);
};

test("the committed spec is that of the program", () => {
  const text = readFileSync(specOf(STORY), "utf8");
  if (process.env["GGSL_BLESS"] === "1") writeFileSync(STORY_SPEC, text);
  expect(readFileSync(STORY_SPEC, "utf8")).toBe(text);
});

function writesTheText(name: "c" | "python"): void {
  test.each(["graph", "host"])("writes the text of `ggsl run` in the %s", (place) => {
    const { status, stdout, stderr } = embed(name, place, DEMO_MODEL, STORY_SPEC, "t=1.2", "seed=3");
    expect(stderr).toContain(`\n${place === "graph" ? 64 : 0} tokens picked in the model's graph`);
    expect(stderr).toMatch(/mu/);
    expect(stdout).toBe(textOf(STORY, 64, "--set", "t=1.2", "--set", "seed=3"));
    expect(stdout).not.toBe(textOf(STORY, 64, "--set", "t=1.2", "--set", "seed=4"));
    expect(status).toBe(0);
  });

  test("says what is wrong with a parameter", () => {
    const { status, stderr } = embed(name, "graph", DEMO_MODEL, specOf(STORY), "t=3");
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/INVALID_ARGUMENT[^]*`t` must be in \[0\.1, 2\], found 3/),
    ]);
    expect(embed(name, "graph", DEMO_MODEL, specOf(STORY), "warmth=1").stderr).toMatch(
      /INVALID_ARGUMENT[^]*warmth[^]*tau/,
    );
  });

  test("says what is wrong with a spec", () => {
    const path = join(folder, "damaged.json");
    writeFileSync(path, '{"ggsl": 2, "name": "damaged"}');
    const { status, stderr } = embed(name, "graph", DEMO_MODEL, path);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/INVALID_SPEC[^]*nodes/)]);
  });
}

describe("c", () => {
  writesTheText("c");

  // programs that fix their seeds, with states, measures and features of the text
  const files = ["creative", "prompt-penalties", "reports", "text-rules", "tournament"];
  test.each(files)("writes the text of examples/%s.ggsl", (file) => {
    const path = `examples/${file}.ggsl`;
    for (const place of ["graph", "host"]) {
      const { stdout, stderr } = embed("c", place, DEMO_MODEL, specOf(path));
      expect(stderr).not.toContain("embed:");
      expect(stdout).toBe(textOf(path, 64));
    }
  });

  test("those programs are there", () => {
    expect(readdirSync("examples")).toEqual(expect.arrayContaining(files.map((file) => `${file}.ggsl`)));
  });
});

withTool("python3", () => writesTheText("python"));

/** What `ggsl run` writes with each of some seeds, which are different texts. */
function textsOf(seeds: readonly string[]): string {
  const texts = seeds.map((seed) => textOf(STORY, 32, "--model", exact, ...EXACT_OPTIONS, "--set", `seed=${seed}`));
  expect(new Set(texts).size).toBe(seeds.length);
  return texts.map((text) => `${text}\n`).join("");
}

describe("cpp", () => {
  test.each(["graph", "host"])("writes the texts of several sequences in the %s", (place) => {
    const seeds = ["1", "2", "3"];
    const { status, stdout, stderr } = embed("cpp", place, exact, specOf(STORY), ...seeds);
    expect(stderr.match(new RegExp(`^${place === "graph" ? 32 : 0} tokens picked`, "gm"))).toHaveLength(3);
    expect(stdout).toBe(textsOf(seeds));
    expect(status).toBe(0);
  });

  test("throws errors with their code", () => {
    expect(embed("cpp", "graph", DEMO_MODEL, specOf(STORY), "-1")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("embed: INVALID_ARGUMENT: ") as unknown,
    });
  });
});

describe("loop", () => {
  test.each(["graph", "host"])("writes the texts of `ggsl run` in the %s, two at a time", (place) => {
    const seeds = ["1", "2", "3", "4", "5"];
    const { status, stdout, stderr } = embed("loop", place, exact, specOf(STORY), ...seeds);
    expect(stderr.match(/^text [1-5] of 5 is over, with \d+ tokens$/gm)).toHaveLength(5);
    expect(stdout).toBe(textsOf(seeds));
    expect(status).toBe(0);
  });

  test("says what is wrong with a parameter", () => {
    expect(embed("loop", "graph", DEMO_MODEL, specOf(STORY), "-1")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("embed: -1: INVALID_ARGUMENT: ") as unknown,
    });
  });
});
