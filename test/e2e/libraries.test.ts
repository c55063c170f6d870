/** Samplers of npm packages, as npm packs and installs them. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { compileProgram } from "../../compiler/driver.js";
import ggslPlugin from "../../vite/plugin.js";
import { warm } from "../cli/warm/warm.js";
import { startClient } from "../lsp/client.js";

mkdirSync("build", { recursive: true });
// inside the checkout, so that scripts of packages find the command
const folder = resolve(mkdtempSync("build/libraries-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = (...parts: string[]): string => join(folder, ...parts);
const app = (...parts: string[]): string => path("app", ...parts);

const run = warm();
const ggsl = (...args: readonly string[]) => run(args, { cwd: path("app") });

function npm(within: string, ...args: readonly string[]): string {
  const options = { cwd: path(within), encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync("npm", [...args, "--no-audit", "--no-fund", "--offline"], options);
  expect([args, status, status === 0 ? "" : stderr]).toEqual([args, 0, ""]);
  return stdout;
}

function write(files: Readonly<Record<string, string | object>>, ...within: string[]): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path(...within, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  }
}

const MAIN = `import { near } from "@someone/samplers"
import { soft, half as halved } from "more"
import { half } from "more/half"
chain both = near(0.1) |> halved() |> half()
chain softened = soft()
`;

beforeAll(() => {
  expect(run(["init", "--library", "--name", "@someone/samplers", "samplers"], { cwd: folder })).toMatchObject({
    status: 0,
    stderr: "",
  });
  const manifest = {
    name: "more",
    version: "2.0.1",
    dependencies: { "@someone/samplers": "^0.1.0" },
    ggsl: { ".": "./main.ggsl", "./half": "parts/half.ggsl" },
  };
  const main = `import { near } from "@someone/samplers"
import { twice } from "./parts/twice.ggsl"
chain soft = near(0.2) |> half()
sampler half() { logit /= twice }
`;
  const files = {
    "package.json": manifest,
    "main.ggsl": main,
    "parts/half.ggsl": 'import { twice } from "./twice.ggsl"\nsampler half() { logit *= twice / 4 }\n',
    "parts/twice.ggsl": "const twice = 2\n",
  };
  write(files, "more");
  write({ "package.json": { private: true }, "main.ggsl": MAIN }, "app");
  npm("samplers", "pack", "--pack-destination", "..");
  npm("more", "pack", "--pack-destination", "..");
  npm("app", "install", "../someone-samplers-0.1.0.tgz", "../more-2.0.1.tgz");
}, 120_000);

describe("a package that `ggsl init --library` writes", () => {
  test("passes its tests, and carries its page", () => {
    const installed = app("node_modules", "@someone", "samplers");
    expect(readFileSync(join(installed, "page.html"), "utf8").includes("near()")).toBe(true);
    expect(readFileSync(join(installed, "README.md"), "utf8")).toContain('import { near } from "@someone/samplers"');
    expect(ggsl("test", "@someone/samplers").stdout).toMatch(/^3 passed, 0 failed/);
    expect(ggsl("check", "@someone/samplers", "more").stdout).toBe("4 files checked: 0 errors, 0 warnings\n");
    expect(run(["fmt", "--check", "samplers.ggsl"], { cwd: path("samplers") })).toMatchObject({
      status: 0,
      stdout: "",
    });
  });

  test("nothing is overwritten, and names are those of npm", () => {
    const again = run(["init", "--library", "samplers"], { cwd: folder });
    expect(again).toMatchObject({
      status: 1,
      stderr:
        'error: "samplers/package.json" exists, and is not overwritten: name another folder, as in ggsl init NAME\n',
    });
    for (const name of ["Upper", "a b", "@a/b/c", ".hidden"]) {
      const { status, stderr } = run(["init", "--library", "--name", name, "other"], { cwd: folder });
      expect([status, stderr]).toEqual([2, expect.stringContaining(`found "${name}"`)]);
    }
    expect(existsSync(path("other"))).toBe(false);
    expect(run(["init", "--name", "x"], { cwd: folder }).stderr).toContain("--name is for a package");
  });
});

describe("imports of installed packages", () => {
  const probs = [0.5, 0.3, 0.15, 0.04, 0.01];
  /** Of the probabilities that are kept, raised to a power. */
  const expected = (kept: number, power: number): number[] => {
    const raised = probs.slice(0, kept).map((p) => p ** power);
    const sum = raised.reduce((a, b) => a + b);
    return raised.map((p) => p / sum);
  };

  test.each([
    ["both", 3, 1 / 4],
    ["softened", 3, 1 / 2],
  ])("the chain %s", (chain, kept, power) => {
    const { status, stdout, stderr } = ggsl("eval", "main.ggsl", chain, "--probs", probs.join(), "--json");
    expect([status, stderr]).toEqual([0, ""]);
    const { candidates } = JSON.parse(stdout) as { candidates: { token: number; prob: number }[] };
    const found = candidates.toSorted((a, b) => a.token - b.token).map(({ prob }) => prob);
    expect(found).toHaveLength(kept);
    expected(kept, power).forEach((prob, i) => expect(found[i]).toBeCloseTo(prob, 5));
  });

  test("a file of a package can name its own package", () => {
    write({ "test/own.ggsl": 'import { near } from "@someone/samplers"\nchain c = near()\n' }, "samplers");
    expect(run(["check", "test/own.ggsl"], { cwd: path("samplers") })).toMatchObject({ status: 0, stderr: "" });
  });

  test("a link is followed, and what the package needs is found from where it is", () => {
    write({ "package.json": { name: "linked", version: "1.0.0", ggsl: "a.ggsl" } }, "store", "linked");
    write({ "a.ggsl": 'import { b } from "below"\nsampler a() { logit *= b }\n' }, "store", "linked");
    write(
      { "package.json": { version: "1.0.0", ggsl: "b.ggsl" }, "b.ggsl": "const b = 3\n" },
      "store",
      "node_modules",
      "below",
    );
    symlinkSync(path("store", "linked"), app("node_modules", "linked"));
    write({ "linked.ggsl": 'import { a } from "linked"\nchain c = a()\n' }, "app");
    expect(ggsl("check", "linked.ggsl")).toMatchObject({ status: 0, stderr: "" });
    // the package below is not the program's
    write({ "linked.ggsl": 'import { b } from "below"\nchain c = b()\n' }, "app");
    expect(ggsl("check", "linked.ggsl").stderr).toContain('error[E0227]: the package "below" cannot be found');
  });
});

const S = "sampler s() { logit *= 2 }\n";
const REFUSED: readonly (readonly [what: string, files: Readonly<Record<string, string | object>>, reason: string])[] =
  [
    [
      "a file above the package",
      { "s.ggsl": 'import { s } from "../../main.ggsl"\nchain c = s()\n' },
      "it is outside the package bad 1.2.3",
    ],
    [
      "a link out of the package",
      { "s.ggsl": 'import { s } from "./link.ggsl"\nchain c = s()\n' },
      "it is a link to a file that is outside the package bad 1.2.3",
    ],
    [
      "a file above as its own",
      { "package.json": { version: "1.2.3", ggsl: "../../main.ggsl" } },
      '"../../main.ggsl", which the package bad 1.2.3 names in the field "ggsl" of its package.json, is outside the package',
    ],
    [
      "a link as its own",
      { "package.json": { version: "1.2.3", ggsl: "link.ggsl" } },
      "is a link to a file outside the package",
    ],
    ["another file", { "package.json": { version: "1.2.3", ggsl: "package.json" } }, "is not a file *.ggsl"],
    ["no file", { "package.json": { version: "1.2.3", ggsl: "none.ggsl" } }, "does not exist"],
    ["no field", { "package.json": { version: "1.2.3" } }, "the package bad 1.2.3 has no samplers"],
    ["another subpath", { "package.json": { version: "1.2.3", ggsl: { "./s": "s.ggsl" } } }, 'has no file for "."'],
    ["what is no JSON", { "package.json": "{" }, "its package.json is not a JSON object"],
  ];

describe("what a package cannot do", () => {
  const bad = (files: Readonly<Record<string, string | object>>): string => {
    const own = { "package.json": { version: "1.2.3", ggsl: "s.ggsl" }, "s.ggsl": S };
    rmSync(app("node_modules", "bad"), { recursive: true, force: true });
    write({ ...own, ...files }, "app", "node_modules", "bad");
    symlinkSync(app("main.ggsl"), app("node_modules", "bad", "link.ggsl"));
    write({ "bad.ggsl": 'import { s } from "bad"\nchain c = s()\n' }, "app");
    return ggsl("check", "bad.ggsl").stderr;
  };

  test.each(REFUSED)("import %s", (_, files, reason) => {
    const stderr = bad(files);
    expect(stderr).toContain("error[E0225]");
    expect(stderr).toContain(reason);
  });

  test("a fault in it is shown with its version", () => {
    expect(bad({ "s.ggsl": "sampler s() { logit *= two }\n" })).toContain(
      "--> node_modules/bad/s.ggsl:1:24, of bad 1.2.3\n",
    );
  });

  test("a cycle of packages", () => {
    write(
      { "package.json": { version: "1.0.0", ggsl: "t.ggsl" }, "t.ggsl": 'import { s } from "bad"\nchain t = s()\n' },
      "app",
      "node_modules",
      "worse",
    );
    expect(bad({ "s.ggsl": 'import { t } from "worse"\nchain s = t()\n' })).toContain(
      "circular import: node_modules/bad/s.ggsl -> node_modules/worse/t.ggsl -> node_modules/bad/s.ggsl",
    );
  });

  test("what is not installed", () => {
    const { status, stderr } = ggsl("test", "@nobody/none");
    expect([status, stderr]).toEqual([1, expect.stringContaining("npm install @nobody/none")]);
    const { diagnostics } = compileProgram(MAIN);
    expect(diagnostics[0]).toMatchObject({ code: "E0225", help: expect.stringContaining("`importer`") });
  });
});

test("editors and bundlers find packages, too", async () => {
  const client = await startClient();
  const uri = `file://${app("main.ggsl")}`;
  expect(await client.open(uri, MAIN)).toEqual([]);
  const position = { line: 3, character: MAIN.split("\n")[3]!.indexOf("half()") + 1 };
  const found = await client.request("textDocument/definition", { textDocument: { uri }, position });
  expect(JSON.stringify(found)).toContain("app/node_modules/more/parts/half.ggsl");
  expect(await client.stop()).toBe(0);
  const plugin = ggslPlugin({ dts: false });
  plugin.configResolved({ root: app() });
  const watched: string[] = [];
  const fail = (log: { readonly message: string }): never => {
    throw new Error(log.message);
  };
  const context = { addWatchFile: (file: string) => void watched.push(file), warn: fail as never, error: fail };
  expect(plugin.transform.call(context, MAIN, app("main.ggsl"))?.code).toContain("export const softened");
  expect(watched).toContain(app("node_modules", "@someone", "samplers", "samplers.ggsl"));
});

test("a version that has changed is said of a module", () => {
  expect(ggsl("gen", "main.ggsl")).toMatchObject({ status: 0, stderr: "" });
  const [, command, ...packages] = readFileSync(app("main.ts"), "utf8").split("\n");
  expect(command).toContain("ggsl gen main.ggsl");
  expect(packages.slice(0, 2)).toEqual([
    "// With samplers of @someone/samplers 0.1.0.",
    "// With samplers of more 2.0.1.",
  ]);
  expect(ggsl("gen", "main.ggsl", "--check")).toMatchObject({ status: 0, stderr: "" });
  npm("samplers", "version", "0.1.1", "--no-git-tag-version");
  npm("samplers", "pack", "--pack-destination", "..", "--ignore-scripts");
  npm("app", "install", "../someone-samplers-0.1.1.tgz");
  const checked = ggsl("gen", "main.ggsl", "--check");
  expect(checked.status).toBe(1);
  expect(checked.stderr).toContain(
    '"main.ts" is out of date; @someone/samplers is 0.1.1 and was 0.1.0. To generate it',
  );
  expect(ggsl("gen", "main.ggsl")).toMatchObject({
    status: 0,
    stderr: "note: @someone/samplers is 0.1.1 and was 0.1.0\n",
  });
}, 60_000);
