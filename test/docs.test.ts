/**
 * Every block of code in the documentation. GGSL compiles without a warning, and its tests pass. On the pages of the path
 * TypeScript is type-checked and run, and commands of `ggsl` are run: what they print is compared with what is shown.
 * `GGSL_BLESS=1` writes what was printed into the pages.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { checkProgram } from "../compiler/compile.js";
import { formatDiagnostics } from "../compiler/check/format.js";
import { runTests } from "../runtime/testing.js";
import { fileImporter } from "../cli/files.js";

const PAGES = [
  "README.md",
  ...readdirSync("docs")
    .filter((f) => f.endsWith(".md"))
    .map((f) => `docs/${f}`),
];

interface Block {
  readonly page: string;
  readonly name: string;
  readonly language: string;
  /** The file that the block is, for commands of the same page. */
  readonly file: string | undefined;
  readonly text: string;
}

function blocksOf(page: string): Block[] {
  const counts = new Map<string, number>();
  return [...readFileSync(page, "utf8").matchAll(/^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm)].map(
    ([, language, file, text]) => {
      const count = (counts.get(language!) ?? 0) + 1;
      counts.set(language!, count);
      return { page, name: `${page} ${language} block ${count}`, language: language!, file, text: text! };
    },
  );
}

const BLOCKS = PAGES.flatMap(blocksOf);
const PROGRAMS = BLOCKS.filter(({ language }) => language === "ggsl");

test("there are blocks to check", () => {
  expect(PROGRAMS.length).toBeGreaterThan(5);
});

describe.each(PROGRAMS)("$name", (source) => {
  test("compiles", () => {
    expect(formatDiagnostics(checkProgram(source, fileImporter))).toBe("");
  });
  test("passes its tests", () => {
    const failed = runTests(source, ["reference", "cpu", "wasm"], fileImporter).filter((r) => r.differences.length > 0);
    expect(failed).toEqual([]);
  });
});

// ---------------------------------------------------------------- the path

const PATH = [...readFileSync("docs/README.md", "utf8").matchAll(/^\d+\. \[.*?\]\((.*?)\)/gm)].map(
  ([, f]) => `docs/${f}`,
);
const isBlessing = process.env["GGSL_BLESS"] === "1";
/** Inside the package, so that `ggsl` is found by its name. */
const FOLDER = resolve("build/docs-test");
const folderOf = (page: string): string => join(FOLDER, page.replace(/\W/g, "-"));

beforeAll(() => {
  for (const page of PATH) {
    const folder = folderOf(page);
    mkdirSync(folder, { recursive: true });
    copyFileSync("examples/model/demo-q8_0.gguf", join(folder, "model.gguf"));
    for (const { file, text } of BLOCKS.filter((b) => b.page === page && b.file !== undefined))
      writeFileSync(join(folder, file!), text);
    scripts(page).forEach(({ text }, i) => writeFileSync(join(folder, `block${i + 1}.ts`), text));
  }
});
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const scripts = (page: string): Block[] => BLOCKS.filter((b) => b.page === page && b.language === "ts");

test("the path has a page for each step", () => {
  expect(PATH.length).toBeGreaterThanOrEqual(7);
  expect(PATH.filter((page) => !PAGES.includes(page))).toEqual([]);
  expect(PATH.flatMap(scripts).length).toBeGreaterThan(5);
});

test("every link between the pages leads to a page, and to a heading of it", () => {
  const slugs = (page: string): string[] =>
    [...readFileSync(page, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, h]) =>
      h!
        .toLowerCase()
        .replace(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    );
  const broken = PAGES.filter((page) => page.startsWith("docs/")).flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:|\.\.)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(
      ([all, to, at]) => {
        const target = to === "" ? page : `docs/${to}`;
        const isThere = PAGES.includes(target) && (at === undefined || slugs(target).includes(at));
        return isThere ? [] : [`${page}: ${all}`];
      },
    ),
  );
  expect(broken).toEqual([]);
});

const SCRIPTS = PATH.flatMap((page) =>
  scripts(page).map(({ name }, i) => ({ page, name, file: join(folderOf(page), `block${i + 1}.ts`), index: i })),
);

test("TypeScript of the path is well typed", () => {
  const { config } = ts.readConfigFile("tsconfig.json", (f) => readFileSync(f, "utf8")) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, ".");
  const program = ts.createProgram({
    rootNames: SCRIPTS.map(({ file }) => file),
    options: { ...options, noEmit: true, noUnusedLocals: false },
  });
  const found = ts.getPreEmitDiagnostics(program).map((d) => ts.flattenDiagnosticMessageText(d.messageText, "\n"));
  expect(found).toEqual([]);
});

test.each(SCRIPTS)("$name prints what is shown", ({ page, file, index }) => {
  const compiled = file.replace(/\.ts$/, ".mjs");
  const settings = { compilerOptions: { module: ts.ModuleKind.ES2022, target: ts.ScriptTarget.ES2022 } };
  writeFileSync(compiled, ts.transpileModule(readFileSync(file, "utf8"), settings).outputText);
  const { stdout, stderr, status } = spawnSync(process.execPath, [compiled], { cwd: folderOf(page), encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const { text } = scripts(page)[index]!;
  const shown = /^\n```text\n([^]*?)^```$/m.exec(readFileSync(page, "utf8").split(`${text}\`\`\`\n`)[1]!)?.[1];
  expect(shown).toBe(stdout);
});

// ---------------------------------------------------------------- commands

interface Command {
  readonly page: string;
  /** As it is typed, without the prompt. */
  readonly line: string;
  readonly shown: string;
}

const COMMANDS: Command[] = BLOCKS.filter((b) => PATH.includes(b.page) && b.language === "sh").flatMap(
  ({ page, text }) =>
    [...text.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)].map(([, line, shown]) => ({
      page,
      line: line!,
      shown: shown!,
    })),
);

/** A line of three dots stands for whatever follows. */
const isAsShown = (shown: string, printed: string): boolean =>
  shown.endsWith("...\n") ? printed.startsWith(shown.slice(0, -4).trimEnd()) : shown === printed;

test.each(COMMANDS)("$page: $line", ({ page, line, shown }) => {
  const [, rest] = /^ggsl (.*)$/.exec(line) ?? [];
  expect(rest).toBeDefined();
  const words = rest!.match(/'[^']*'|\S+/g)!.map((word) => word.replace(/^'(.*)'$/, "$1"));
  const { stdout, stderr } = spawnSync(process.execPath, [resolve("dist/cli/main.js"), ...words], {
    ...{ cwd: folderOf(page), encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } },
  });
  const printed = `${stdout}${stderr}`.replace(/ +$/gm, "");
  if (isBlessing && !isAsShown(shown, printed))
    writeFileSync(
      page,
      readFileSync(page, "utf8").replace(`$ ${line}\n${shown}`, () => `$ ${line}\n${printed}`),
    );
  else expect(isAsShown(shown, printed) ? shown : printed).toBe(shown);
});
