/**
 * docs/c.md: its blocks of C are two programs, which are compiled, run, and print what is shown. GGSL_BLESS=1 writes that into the page.
 */
import { expect, test } from "@jest/globals";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { checkLlama } from "../../tools/build-native.js";
import { linkedHere } from "../../tools/lib/platforms.js";
import { DEMO_MODEL } from "../model/file.js";
import { inFolder, LLAMA_HEADERS, outputOf, PREFIX } from "./programs.js";

const PAGE = "docs/c.md";
const page = readFileSync(PAGE, "utf8");
const { libraries } = checkLlama();
/** The one whose text the page shows: every x64 processor can run it. */
const VARIANT = join(libraries, "libggml-cpu-x64.so");

const blocks = (language: string, text = page): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}(?: \\S+)?\n([^]*?)^\`\`\`$`, "gm"))].map(([, block]) => block!);
const section = (title: string): string => page.split(/^## /m).find((part) => part.startsWith(`${title}\n`))!;

/** The sections with a program, and the first blocks of another one that it begins with. */
const PROGRAMS = [
  { title: "A program", before: [] },
  { title: "Many texts at once", before: blocks("c").slice(0, 1) },
];

function compileAndRun(folder: string, source: string): string {
  const inside = (name: string): string => join(folder, name);
  writeFileSync(inside("story.c"), source);
  writeFileSync(inside("story.ggsl"), blocks("ggsl")[0]!);
  outputOf(process.execPath, [resolve("runtime/dist/cli/main.js"), "compile", "story.ggsl", "-o", "story.json"], {
    cwd: folder,
  });
  // llama.h is no C99
  const options = ["-std=gnu11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", `-I${PREFIX}/include`];
  const headers = LLAMA_HEADERS.flatMap((path) => ["-isystem", path]);
  const linked = [
    join(PREFIX, "lib", "libggsl.so"),
    ...Object.values(linkedHere()).map((name) => join(libraries, name)),
  ];
  const paths = [`-Wl,-rpath,${PREFIX}/lib`, `-Wl,-rpath,${libraries}`];
  outputOf("gcc", [...options, ...headers, inside("story.c"), ...linked, ...paths, "-o", inside("story")]);
  mkdirSync(inside("variant"));
  if (existsSync(VARIANT)) symlinkSync(VARIANT, inside("variant/libggml-cpu-x64.so"));
  return outputOf(inside("story"), [
    resolve(DEMO_MODEL),
    inside("story.json"),
    existsSync(VARIANT) ? inside("variant") : libraries,
  ]);
}

test.each(PROGRAMS)("$title: prints what is shown", ({ title, before }) => {
  const own = blocks("c", section(title));
  const [shown] = blocks("text", section(title));
  expect(own.length).toBeGreaterThan(0);
  const printed = inFolder((folder) => compileAndRun(folder, [...before, ...own].join("\n")));
  expect(printed).not.toBe("");
  if (process.env["GGSL_BLESS"] === "1") {
    const text = readFileSync(PAGE, "utf8");
    writeFileSync(
      PAGE,
      text.replace(section(title), (part) => part.replace(`\`\`\`text\n${shown}`, () => `\`\`\`text\n${printed}`)),
    );
  } else if (existsSync(VARIANT)) expect(printed).toBe(shown);
  else expect(printed.slice(0, 10)).toBe(shown!.slice(0, 10));
});

test("the page names every function that it calls as the header does", () => {
  const header = readFileSync(join(PREFIX, "include", "ggsl.h"), "utf8");
  const named = [...page.matchAll(/\bggsl_(?:chain|sampler|loop|error|version|abi)\w*/g)].map(([name]) => name);
  expect(named.length).toBeGreaterThan(20);
  const types = [
    "ggsl_chain",
    "ggsl_loop",
    ...[...header.matchAll(/^(?:struct|enum) (\w+)/gm)].map(([, name]) => name),
  ];
  expect(named.filter((name) => !header.includes(`${name}(`) && !types.includes(name))).toEqual([]);
});

test("the codes that it names are the header's", () => {
  const header = readFileSync(join(PREFIX, "include", "ggsl.h"), "utf8");
  const codes = [...page.matchAll(/`([A-Z]+_[A-Z]+)`/g)]
    .map(([, code]) => code!)
    .filter((code) => !code.startsWith("RTLD"));
  expect(codes.length).toBeGreaterThan(1);
  expect(codes.filter((code) => code !== "CMAKE_PREFIX_PATH" && !header.includes(code))).toEqual([]);
});
