/**
 * Every block of code in the documentation. GGSL compiles without a warning, and its tests pass. Commands of `ggsl` and
 * TypeScript are run, in the order of the page, with the same variant of ggml's CPU backend everywhere: what they print is
 * compared with what is shown. TypeScript is type-checked, too. `GGSL_BLESS=1` writes what was printed into the pages.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { transformSync } from "esbuild";
import { checkProgram } from "../compiler/driver.js";
import { formatDiagnostics } from "../compiler/check/format.js";
import { surveyCpuVariants } from "../runtime/backends/devices/survey.js";
import { runTests } from "../runtime/chain/testing.js";
import { importerFor } from "../cli/files.js";
import { warm } from "./cli/warm/warm.js";
import { headingId } from "../tools/lib/headingId.js";
import { tsc } from "./codegen/ggsl.js";
import { DEMO_MODEL } from "./model/file.js";
import { needing, type Need } from "./needs.js";
import { LLAMA_MODULE } from "./wasm/llamaTest.js";

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
  /** The file name of the block, for commands of the same page. */
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
/** The CPU variant whose texts the pages show: every x64 processor can run it. */
const VARIANT = "x64";
const hasVariant = surveyCpuVariants().some(({ name }) => name === VARIANT);
/** The WebAssembly module with llama.cpp, if it has been built. */
const PROGRAMS = BLOCKS.filter(({ language }) => language === "ggsl");

test("there are blocks to check", () => {
  expect(PROGRAMS.length).toBeGreaterThan(5);
});

describe.each(PROGRAMS)("$name", (source) => {
  test("compiles", () => {
    expect(formatDiagnostics(checkProgram(source, { importer: importerFor(source.name) }))).toBe("");
  });
  test("passes its tests", () => {
    const failed = runTests(source, ["reference", "cpu", "wasm"], importerFor(source.name)).filter(
      (r) => r.differences.length > 0,
    );
    expect(failed).toEqual([]);
  });
});

// ---------------------------------------------------------------- execution

const isBlessing = process.env["GGSL_BLESS"] === "1";
/** Inside the package, so that `ggsl` resolves by name. */
const FOLDER = resolve("build/docs-test");
const folderOf = (page: string): string => join(FOLDER, page.replace(/\W/g, "-"));

/** A block to run, or a command in one. */
interface Step {
  readonly page: string;
  readonly title: string;
  readonly run: () => Printed;
  readonly needs: readonly Need[];
  /** The text of the block before the shown output. */
  readonly before: string;
  readonly shown: string;
}

interface Printed {
  readonly text: string;
  /** The error of a script, which should succeed and print none. */
  readonly fault?: string;
}

/** After the language of TypeScript: `browser` is only type-checked, `client` is run beside a server by the tests of the server, `llama` needs the module that emscripten builds. */
const isRun = ({ language }: Block): boolean => language === "ts" || language === "sh";
const EXECUTED = PAGES.filter((page) => BLOCKS.some((b) => b.page === page && isRun(b)));
const scripts = (page: string): Block[] => BLOCKS.filter((b) => b.page === page && b.language === "ts");
const scriptFile = (block: Block): string =>
  join(folderOf(block.page), `block${scripts(block.page).indexOf(block) + 1}.ts`);

beforeAll(() => {
  // of a run that was killed
  rmSync(FOLDER, { recursive: true, force: true });
  for (const page of EXECUTED) {
    const folder = folderOf(page);
    mkdirSync(folder, { recursive: true });
    copyFileSync(DEMO_MODEL, join(folder, "model.gguf"));
    if (page === "README.md") symlinkSync(resolve("examples"), join(folder, "examples"));
    for (const { file, language, text } of BLOCKS.filter((b) => b.page === page && b.file !== undefined))
      if (language !== "ts") writeFileSync(join(folder, file!), text);
    for (const block of scripts(page)) writeFileSync(scriptFile(block), block.text);
  }
});
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

test("the learning path has a page for each step, with blocks that run", () => {
  const path = [...readFileSync("docs/README.md", "utf8").matchAll(/^\d+\. \[.*?\]\((.*?)\)/gm)].map(
    ([, f]) => `docs/${f}`,
  );
  expect(path.length).toBeGreaterThanOrEqual(7);
  expect(path.filter((page) => !EXECUTED.includes(page))).toEqual([]);
});

test("every link between the pages has a target page and heading, or picture", () => {
  const slugs = (page: string): string[] =>
    [...readFileSync(page, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, h]) => headingId(h!));
  const broken = PAGES.filter((page) => page.startsWith("docs/")).flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:|\.\.)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(
      ([all, to, at]) => {
        const target = to === "" ? page : `docs/${to}`;
        const hasHeading = (): boolean => at === undefined || slugs(target).includes(at);
        const isThere = target.endsWith(".md") ? existsSync(target) && hasHeading() : existsSync(target);
        return isThere ? [] : [`${page}: ${all}`];
      },
    ),
  );
  expect(broken).toEqual([]);
});

test("the C of the README is that of the example", () => {
  const linesOf = (text: string): string[] => text.split("\n").map((line) => line.trim().replace(/ +/g, " "));
  const program = linesOf(readFileSync("examples/embed/c/main.c", "utf8"));
  const shown = BLOCKS.filter(({ page, language }) => page === "README.md" && language === "c").flatMap(({ text }) =>
    linesOf(text.trimEnd()),
  );
  expect(shown.length).toBeGreaterThan(5);
  expect(shown.filter((line) => !program.includes(line))).toEqual([]);
});

const STEPS: Step[] = EXECUTED.flatMap((page) =>
  BLOCKS.filter((b) => b.page === page && isRun(b)).flatMap((b) =>
    b.language !== "ts" ? commands(b) : b.file === "browser" || b.file === "client" ? [] : [scriptStep(b)],
  ),
);

function scriptStep(block: Block): Step {
  const { page, name, text } = block;
  const before = `${text}\`\`\`\n\n\`\`\`text\n`;
  const rest = readFileSync(page, "utf8").split(before)[1];
  // a block without output only has to run
  const shown = rest?.slice(0, rest.search(/^```$/m)) ?? "";
  const needs = block.file === "llama" ? [LLAMA_MODULE] : [];
  return { page, title: name, before, shown, needs, run: () => runScript(block) };
}

const ENVIRONMENT = { ...process.env, NO_COLOR: "1", ...(hasVariant && { GGSL_CPU_VARIANT: VARIANT }) };

/** Whether a reader can run it without a compiler. */
function isJavaScript(text: string): boolean {
  try {
    return Boolean(transformSync(text, { loader: "js", target: "esnext", logLevel: "silent" }));
  } catch {
    return false;
  }
}

/** Nothing else is changed: what the oldest Node.js lacks fails there. */
const withoutTypes = (text: string): string => transformSync(text, { loader: "ts", target: "esnext" }).code;

test("programs are what Node.js 20 runs, and those of README need no compiler", () => {
  const all = EXECUTED.flatMap(scripts);
  // a declaration that it lacks, whichever version runs the tests
  expect(all.filter(({ text }) => /^\s*(await )?using /m.test(text)).map(({ name }) => name)).toEqual([]);
  const ofReadme = all.filter(({ page }) => page === "README.md");
  expect(ofReadme.length).toBeGreaterThan(0);
  expect(ofReadme.filter(({ text }) => !isJavaScript(text))).toEqual([]);
});

/** A command that the pages tell a reader to begin with, and that works only once packages are published. */
const EARLY = /^ *(?:\$ )?npm install (?:--global )?(?:ggsl|@ggsl\/)/m;

test("no page begins with packages that nobody has published", () => {
  const shown = PAGES.filter((page) => EARLY.test(readFileSync(page, "utf8")));
  expect(shown).toEqual([]);
});

test("README begins with commands that a checkout has, one in each block", () => {
  const [first, second] = BLOCKS.filter(({ page, language }) => page === "README.md" && language === "sh");
  expect([first!.text, second!.text]).toEqual(["npm run demo\n", "npm test\n"]);
  const { scripts: known } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: object };
  expect(known).toMatchObject({ demo: "node tools/run.mjs demo", test: "node tools/run.mjs test" });
});

function runScript(block: Block): Printed {
  const folder = folderOf(block.page);
  // includes modules generated by a command
  for (const name of readdirSync(folder).filter((f) => /(?<!\.d)\.ts$/.test(f))) {
    const text = readFileSync(join(folder, name), "utf8");
    writeFileSync(join(folder, name.replace(/ts$/, "js")), isJavaScript(text) ? text : withoutTypes(text));
  }
  const compiled = scriptFile(block).replace(/ts$/, "js");
  const options = { cwd: folder, encoding: "utf8", env: ENVIRONMENT } as const;
  const { stdout, stderr, status } = spawnSync(process.execPath, [compiled], options);
  return { text: stdout, ...((status !== 0 || stderr !== "") && { fault: `status ${status}\n${stderr}` }) };
}

function commands({ page, text }: Block): Step[] {
  return [...text.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)].map(([, line, shown]) => ({
    page,
    title: `${page}: ${line}`,
    before: `$ ${line}\n`,
    shown: shown!,
    needs: [],
    run: () => runCommand(page, line!),
  }));
}

const ggsl = warm(ENVIRONMENT);

function runCommand(page: string, line: string): Printed {
  const [, rest] = new RegExp(`^(?:GGSL_CPU_VARIANT=${VARIANT} )?(?:npx )?ggsl (.*)$`).exec(line) ?? [];
  if (rest === undefined) throw new Error(`${page}: \`${line}\` is not a ggsl command`);
  const words = rest.match(/'[^']*'|\S+/g)!.map((word) => word.replace(/^'(.*)'$/, "$1"));
  const { stdout, stderr } = ggsl(words, { cwd: folderOf(page) });
  return { text: `${stdout}${stderr}`.replace(/ +$/gm, "") };
}

/** The start of a text of the model. */
const PROMPT = "In the beginning";

/**
 * A line of three dots matches any rest, and a speed any other. A text of the model is that of the variant; where that does not
 * exist, a text with the same start.
 */
function isAsShown(shown: string, printed: string): boolean {
  const [expected, found] = [shown, printed].map((text) => text.replace(/\d+ tokens\/s/g, "0 tokens/s")) as [
    string,
    string,
  ];
  if (!hasVariant && expected.startsWith(PROMPT)) return found.startsWith(PROMPT);
  return expected.endsWith("...\n") ? found.startsWith(expected.slice(0, -4).trimEnd()) : expected === found;
}

for (const { page, title, run, before, shown, needs } of STEPS) {
  needing(...needs).test(`${title} prints the shown output`, () => {
    const { text, fault } = run();
    expect(fault).toBeUndefined();
    if (isBlessing && !isAsShown(shown, text))
      writeFileSync(
        page,
        readFileSync(page, "utf8").replace(`${before}${shown}`, () => `${before}${text}`),
      );
    else expect(isAsShown(shown, text) ? shown : text).toBe(shown);
  });
}

test("TypeScript is well typed", () => {
  const files = EXECUTED.flatMap(scripts).map((block) => resolve(scriptFile(block)));
  expect(files.length).toBeGreaterThan(10);
  const config = join(FOLDER, "tsconfig.json");
  const compilerOptions = { noEmit: true, noUnusedLocals: false };
  writeFileSync(config, JSON.stringify({ extends: resolve("tsconfig.json"), compilerOptions, include: [], files }));
  expect(tsc("-p", config)).toMatchObject({ status: 0, stdout: "" });
});
