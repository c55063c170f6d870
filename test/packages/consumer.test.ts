/**
 * The published packages as a project gets them: `npm run pack`, then `npm install` of the tarballs in an empty folder. With
 * GGSL_PACKAGE_MANAGERS naming a folder in which pnpm, Deno and Bun are installed, these run too (`npm run check:packages`).
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import {
  emptyProject,
  installAll,
  installedPackages,
  installWithNpm,
  installWithPnpm,
  PARTS,
} from "../../tools/lib/consumer.js";
import { node, type Result } from "../codegen/ggsl.js";
import { browserTest, openFolder, patient } from "../playground/site.js";
import { LINUX_X64, needing } from "../needs.js";
import { isBuilt } from "../wasm/llamaTest.js";

const MANAGERS = process.env["GGSL_PACKAGE_MANAGERS"];
/** Limits of what an installation writes, in bytes. */
const MOST = { ggsl: 80e6, compiler: 4e6, server: 20e6 };
const FILES = resolve("test/packages/files");

let folder: string;
const folders: string[] = [];
const project = (): string => {
  folders.push(emptyProject());
  return folders.at(-1)!;
};

const shell = (
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Result => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  return { status, stdout, stderr };
};
/** A file of test/packages/files, in the project. */
const given = (name: string, to = folder): string => {
  copyFileSync(join(FILES, name), join(to, name));
  return join(to, name);
};
const MODEL = { MODEL: "MODEL.gguf" };
/** What evaluate.mjs and evaluate.cjs print. */
const WRITTEN = { token: 0, backend: "cpu", text: expect.stringMatching(/^ \w+ /) as unknown };
const printed = (result: Result): unknown => {
  expect(result).toMatchObject({ status: 0, stderr: "" });
  return JSON.parse(result.stdout);
};

/** Standard output of a command that prints nothing else. */
const outputOf = ({ stdout, stderr }: Result): string => {
  expect(stderr).toBe("");
  return stdout;
};

beforeAll(async () => {
  const packed = node(["tools/run.mjs", "pack", "--here", ...(isBuilt ? [] : ["--no-llama"])]);
  expect(packed).toMatchObject({ status: 0 });
  folder = project();
  expect(await installAll(folder)).toMatchObject({ status: 0 });
  copyFileSync("examples/model/demo-q8_0.gguf", join(folder, "MODEL.gguf"));
});

afterAll(() => folders.forEach((path) => rmSync(path, { recursive: true, force: true })));

describe("what is installed", () => {
  test("is small, and runs no script", () => {
    const packages = installedPackages(folder);
    expect(packages.filter(({ scripts }) => scripts.length > 0)).toEqual([]);
    expect(packages.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(MOST.ggsl);
    expect(packages.map(({ name }) => name)).not.toContain("node-llama-cpp");
  });

  test("contains what it should, and nothing of the project's own tests", () => {
    for (const name of ["ggsl", ...PARTS]) {
      const at = join(folder, "node_modules", name);
      const files = readdirSync(at, { recursive: true, encoding: "utf8" });
      expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
      const odd = files.filter((file) =>
        /\.map$|(?<!\.d)\.ts$|\.test\.|\.log$|(^|\/)(bench|test|native\/test)\//.test(file),
      );
      expect([name, odd]).toEqual([name, []]);
      const manifest = JSON.parse(readFileSync(join(at, "package.json"), "utf8")) as Record<string, unknown>;
      expect(Object.keys(manifest)).toEqual(expect.arrayContaining(["keywords", "license", "exports", "types"]));
      expect(JSON.stringify(manifest)).not.toMatch(/@ggsl\/source|devDependencies|scripts/);
    }
  });

  test("links of a README lead to files of the package", () => {
    for (const name of ["ggsl", ...PARTS]) {
      const at = join(folder, "node_modules", name);
      const links = [...readFileSync(join(at, "README.md"), "utf8").matchAll(/\]\(([^)#]+)/g)].map(([, link]) => link!);
      expect(links.filter((link) => !/^https?:/.test(link) && !existsSync(join(at, link)))).toEqual([]);
    }
  });

  test("of the compiler alone has at most 4 MB", async () => {
    const alone = project();
    expect(await installWithNpm(alone, ["@ggsl/compiler"])).toMatchObject({ status: 0 });
    const packages = installedPackages(alone);
    expect(packages.map(({ name }) => name)).toEqual(["@ggsl/compiler"]);
    expect(packages[0]!.bytes).toBeLessThan(MOST.compiler);
    expect(node([given("compile.mjs", alone)], alone).stdout).toContain("top_k(logits) k=3");
  });
});

/** The blocks of a package's README: language, file name and text. */
const blocksOf = (workspace: string): RegExpMatchArray[] => [
  ...readFileSync(join(workspace, "README.npm.md"), "utf8").matchAll(/^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm),
];

/** Programs are files, each line of a `sh` block is a command. */
describe.each(["runtime", "compiler", "format"])("README of %s", (workspace) => {
  const blocks = blocksOf(workspace);
  test("its programs and commands run in the order of the page", () => {
    for (const [, language, file, code] of blocks) {
      if (file !== undefined) writeFileSync(join(folder, file), code!);
      const commands = language === "sh" ? code!.trimEnd().split("\n") : language === "js" ? [`node ${file}`] : [];
      for (const command of commands) {
        const { status, stdout, stderr } = shell("bash", ["-c", command], folder);
        expect([command, status, stderr.replace(/^npm warn .*\n/gm, "")]).toEqual([command, 0, ""]);
        // `gen` writes a file instead
        if (!command.includes(" gen ")) expect(stdout.length).toBeGreaterThan(5);
      }
    }
    expect(blocks.length).toBeGreaterThan(0);
  });
});

describe("Node.js", () => {
  test("ECMAScript modules, CommonJS and threads", () => {
    expect(printed(shell("node", [given("evaluate.mjs")], folder, MODEL))).toEqual(WRITTEN);
    // Node.js 20 warns that `require` of ECMAScript modules is new
    const quiet = ["--disable-warning=ExperimentalWarning"];
    expect(printed(shell("node", [...quiet, given("evaluate.cjs")], folder, MODEL))).toEqual(WRITTEN);
    const { text, tokens } = printed(shell("node", [given("worker.mjs")], folder)) as {
      text: string;
      tokens: number[];
    };
    expect([text, tokens]).toEqual([expect.stringContaining("top_k(logits) k=3"), [2, 1]]);
  });

  test.each([
    ["esm", "evaluate.mjs", "bundle.mjs"],
    ["cjs", "evaluate.cjs", "bundle.cjs"],
  ] as const)("a bundle by esbuild, as %s", async (format, entry, output) => {
    await build({
      entryPoints: [given(entry)],
      outfile: join(folder, "out", output),
      absWorkingDir: folder,
      bundle: true,
      platform: "node",
      format,
      logLevel: "silent",
    });
    expect(printed(shell("node", [join("out", output)], folder, MODEL))).toEqual(WRITTEN);
  });

  test("without the addon, models run in WebAssembly", async () => {
    if (!isBuilt) return;
    const alone = project();
    expect(await installAll(alone, ["--omit=optional"])).toMatchObject({ status: 0 });
    const cli = join("node_modules", "ggsl", "dist", "cli", "main.js");
    const { status, stdout, stderr } = node([cli, "run", "-e", "top_k(40) |> dist(1)", "--tokens", "8"], alone);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^In the beginning \w+/)]);
    expect(stderr).toMatch(/WebAssembly|wasm/);
  });
});

describe("the server", () => {
  test("is a package of its own", async () => {
    const own = project();
    expect(await installAll(own)).toMatchObject({ status: 0 });
    copyFileSync("examples/model/demo-q8_0.gguf", join(own, "MODEL.gguf"));
    writeFileSync(join(own, "own.ggsl"), 'import { greedy } from "std"\nchain c() = greedy()\n');
    const cli = join("node_modules", "ggsl", "dist", "cli", "main.js");
    const check = (): Result =>
      node(
        [cli, "serve", "MODEL.gguf", "--check", "--sequences", "1", "--ctx-size", "256", "--sampler", "own=own.ggsl"],
        own,
      );
    expect(check()).toMatchObject({
      status: 1,
      stderr: "error: `ggsl serve` needs the package @ggsl/server: npm install @ggsl/server\n",
    });
    expect(await installWithNpm(own, ["@ggsl/server"])).toMatchObject({ status: 0 });
    expect(existsSync(join(own, "node_modules", "@ggsl", "server", "site", "index.html"))).toBe(true);
    expect(check()).toMatchObject({ status: 0, stderr: "the configuration is right\n" });
    const bytes = installedPackages(own).reduce((sum, one) => sum + one.bytes, 0);
    expect(bytes).toBeLessThan(MOST.ggsl + MOST.server);
  });
});

describe("the commands that errors and notices print", () => {
  const cli = join("node_modules", "ggsl", "dist", "cli", "main.js");
  const platform = `${process.platform}-${process.arch}`;
  const evaluated = (at: string): Result => node([cli, "eval", "-e", "greedy()", "--probs", "0.2,0.8", "--json"], at);
  let own: string;
  beforeAll(async () => {
    own = project();
    expect(await installAll(own)).toMatchObject({ status: 0 });
  });

  test.each([
    [
      "llama.cpp's package is not installed",
      (at: string) => rmSync(at, { recursive: true }),
      /^npm install @node-llama/,
    ],
    [
      "libllama is damaged",
      (at: string) => {
        const libraries = join(at, "bins", platform);
        const name = readdirSync(libraries).find((file) => file.startsWith("libllama.v"))!;
        rmSync(join(libraries, name));
        writeFileSync(join(libraries, name), "");
      },
      /^rm -rf .* && npm install$/,
    ],
  ] as const)("%s", (_, damage, command) => {
    damage(join(own, "node_modules", "@node-llama-cpp", platform));
    const broken = evaluated(own);
    expect(JSON.parse(broken.stdout)).toMatchObject({ backend: "wasm", token: 1 });
    const fix = /^ggsl: no native addon: .* To fix it: (.*)\n$/.exec(broken.stderr)?.[1] ?? "";
    expect(fix).toMatch(command);
    expect(shell("sh", ["-c", fix], own)).toMatchObject({ status: 0 });
    expect(JSON.parse(outputOf(evaluated(own)))).toMatchObject({ backend: "cpu", token: 1 });
  });

  needing(LINUX_X64).test("the library for GPUs is not installed", () => {
    const before = node([cli, "devices"], own).stdout;
    const fix = /^no vulkan: no library is installed: (npm install .*)$/m.exec(before)?.[1] ?? "";
    expect(shell("sh", ["-c", fix], own)).toMatchObject({ status: 0 });
    const after = JSON.parse(node([cli, "devices", "--json"], own).stdout) as {
      backends: { name: string; reason?: string }[];
    };
    // whether there is a GPU depends on the machine
    expect(after.backends.find(({ name }) => name === "vulkan")?.reason).not.toBe("no library is installed");
  });
});

describe("TypeScript, strict, with all declarations checked", () => {
  const VERSIONS = { 6: "node_modules/typescript/bin/tsc", 7: "node_modules/typescript-7/bin/tsc" };
  // `node10` is of TypeScript 6 alone; the other ways to find modules are the same in 7, which takes a tenth of the time
  test.each([
    [6, "es2022", "node10", "module"],
    [6, "nodenext", "nodenext", "commonjs"],
    [7, "node16", "node16", "module"],
    [7, "es2022", "bundler", "module"],
    [7, "nodenext", "nodenext", "module"],
  ] as const)(
    "TypeScript %i, module %s, moduleResolution %s in a package of type %s",
    (version, module, moduleResolution, type) => {
      const at = join(folder, `types-${version}-${moduleResolution}-${type}`);
      mkdirSync(at, { recursive: true });
      given("types.ts", at);
      writeFileSync(join(at, "package.json"), JSON.stringify({ type }));
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noEmit: true,
        target: "es2022",
        lib: ["es2022", "dom"],
        types: [],
        module,
        moduleResolution,
        ...(moduleResolution === "node10" && { ignoreDeprecations: "6.0" }),
      };
      writeFileSync(join(at, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["types.ts"] }));
      expect(node([VERSIONS[version], "-p", at])).toMatchObject({ stdout: "", status: 0 });
    },
  );
});

describe("pages", () => {
  const SITE = "site";
  beforeAll(async () => {
    given("page.js");
    writeFileSync(join(folder, "short.ggsl"), 'import { top_k } from "std"\nchain short = top_k(1)\n');
    writeFileSync(join(folder, "index.html"), '<body><script type="module" src="/page.js"></script></body>');
    const [[, , config, text] = []] = blocksOf("vite");
    writeFileSync(join(folder, config!), text!);
    expect(
      node([resolve("node_modules/vite/bin/vite.js"), "build", "--outDir", SITE, "--logLevel", "error"], folder),
    ).toMatchObject({
      status: 0,
      stderr: "",
    });
    await build({
      entryPoints: [given("browser.js")],
      outfile: join(folder, SITE, "browser.js"),
      absWorkingDir: folder,
      bundle: true,
      platform: "browser",
      format: "esm",
      logLevel: "silent",
    });
    copyFileSync(join(folder, "node_modules/ggsl/dist/wasm/ggsl.wasm"), join(folder, SITE, "ggsl.wasm"));
    writeFileSync(join(folder, SITE, "esbuild.html"), '<body><script type="module" src="/browser.js"></script></body>');
  });

  test("are built by Vite with the WebAssembly module, and by esbuild", () => {
    const assets = readdirSync(join(folder, SITE, "assets"));
    expect(assets).toEqual(expect.arrayContaining([expect.stringMatching(/^ggsl-.*\.wasm$/)]));
  });

  browserTest("run in Chromium", async () => {
    const site = await openFolder(join(folder, SITE));
    try {
      const page = patient(await site.browser.newPage());
      const faults: string[] = [];
      page.on("pageerror", ({ message }) => faults.push(message));
      for (const [path, text] of [
        ["", "2,1 on wasm; 2 on wasm"],
        ["esbuild.html", "2,1 on wasm; true"],
      ] as const) {
        await page.goto(`${site.url}${path}`);
        await page.locator("body").filter({ hasText: text }).waitFor();
      }
      expect(faults).toEqual([]);
    } finally {
      await site.close();
    }
  });
});

needing({ what: "pnpm, Deno and Bun", isThere: MANAGERS !== undefined, fix: "npm run check:packages" }).describe(
  "other package managers and runtimes",
  () => {
    const binary = (path: string): string => join(MANAGERS!, "node_modules", path);
    const platform = `${process.platform}-${process.arch}`;

    test("pnpm", async () => {
      const own = project();
      expect(await installWithPnpm(own, binary(`@pnpm/exe.${platform}/pnpm`))).toMatchObject({ status: 0 });
      copyFileSync(join(folder, "MODEL.gguf"), join(own, "MODEL.gguf"));
      expect(printed(shell("node", [given("evaluate.mjs", own)], own, MODEL))).toEqual(WRITTEN);
      const run = shell(
        join(own, "node_modules/.bin/ggsl"),
        ["run", "-e", "top_k(40) |> dist(1)", "--tokens", "8"],
        own,
      );
      expect(run).toMatchObject({ status: 0, stdout: expect.stringMatching(/^In the beginning \w+/) as unknown });
    });

    test.each([
      ["Deno", `@deno/${platform}-glibc/deno`, ["run", "--quiet", "-A"]],
      ["Bun", `@oven/bun-${platform}/bin/bun`, []],
    ] as const)("%s", (_, path, args) => {
      expect(shell(binary(path), [...args, given("compile.mjs")], folder).stdout).toContain("top_k(logits) k=3");
      expect(printed(shell(binary(path), [...args, given("evaluate.mjs")], folder, MODEL))).toEqual(WRITTEN);
    });
  },
);
