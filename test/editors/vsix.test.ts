/** The extension's package: its contents, and the command that it carries, in a folder without anything else. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { unzipSync } from "fflate";
import type { Location } from "vscode-languageserver";
import type { Answer, Request } from "../../editors/vscode/preview/messages.js";
import { findGgsl, installedIn } from "../../editors/vscode/src/find.js";
import { startClient } from "../lsp/client.js";
import { llamaTest } from "../wasm/llamaTest.js";

interface Manifest {
  readonly main: string;
  readonly version: string;
  readonly contributes: {
    readonly languages: readonly { readonly configuration: string; readonly extensions: readonly string[] }[];
    readonly grammars: readonly { readonly path: string }[];
    readonly commands: readonly { readonly command: string }[];
    readonly configuration: { readonly properties: object };
  };
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), "ggsl-vsix-")));
afterAll(() => rmSync(folder, { recursive: true }));
const extension = join(folder, "extension");
const carried = join(extension, "ggsl");
const MAIN = join(carried, "dist/cli/main.js");

let entries: Readonly<Record<string, Uint8Array>>;
beforeAll(() => {
  const file = join(folder, "ggsl.vsix");
  const { status, stderr } = spawnSync(process.execPath, ["tools/run.mjs", "vsix", file], { encoding: "utf8" });
  expect([status, stderr.replace(/^npm warn.*\n/gm, "")]).toEqual([0, ""]);
  entries = unzipSync(readFileSync(file));
  for (const [name, content] of Object.entries(entries)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
});

const textOf = (name: string): string => new TextDecoder().decode(entries[name]);

test("the package is complete", () => {
  const manifest = JSON.parse(textOf("extension/package.json")) as Manifest;
  const { version } = JSON.parse(readFileSync("runtime/package.json", "utf8")) as Manifest;
  expect(manifest.version).toBe(version);
  expect(textOf("extension.vsixmanifest")).toContain(`Id="ggsl" Version="${version}"`);
  const types = textOf("[Content_Types].xml");
  for (const name of Object.keys(entries).filter((name) => name !== "[Content_Types].xml")) {
    const [, extension] = /[^/](\.\w+)$/.exec(name) ?? [];
    expect([name, types]).toEqual([
      name,
      expect.stringContaining(extension ? `Extension="${extension}"` : `/${name}"`),
    ]);
  }
  const { languages, grammars, commands, configuration } = manifest.contributes;
  for (const path of [manifest.main, languages[0]!.configuration, grammars[0]!.path])
    expect(Object.keys(entries)).toContain(`extension/${path.replace("./", "")}`);
  expect(languages[0]!.extensions).toEqual([".ggsl"]);
  for (const name of Object.keys(entries).filter((n) => n.endsWith(".json")))
    expect(() => JSON.parse(textOf(name)) as unknown).not.toThrow();
  const code = textOf("extension/dist/extension.cjs");
  for (const name of [...Object.keys(configuration.properties), ...commands.map(({ command }) => command)])
    expect(code).toContain(`"${name}"`);
  // it depends only on the editor and Node.js
  const needed = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map((m) => m[1]!);
  const own = ["vscode", ...builtinModules];
  expect(needed.filter((name) => !own.includes(name.replace("node:", "")))).toEqual([]);
});

describe("what the extension carries, in a folder without packages", () => {
  test("is a language server, with the diagnostics of the built command and the sources of the standard library", async () => {
    const text = 'import { top_k } from "std"\nchain c = top_k(4) |> topp(1)\n';
    const [own, built] = await Promise.all([
      startClient({ command: [process.execPath, MAIN, "lsp", "--stdio"] }),
      startClient(),
    ]);
    const found = await own.open("a.ggsl", text);
    expect(found.map(({ code }) => code)).toEqual(["E0202"]);
    expect(found).toEqual(await built.open("a.ggsl", text));
    const definition = await own.request<Location>("textDocument/definition", {
      textDocument: { uri: own.uri("a.ggsl") },
      position: { line: 1, character: 12 },
    });
    expect(definition.uri).toContain("extension/ggsl/node_modules/@ggsl/compiler/std/top_k.ggsl");
    expect(await own.stop()).toBe(0);
    expect(await built.stop()).toBe(0);
  });

  const ggsl = (args: readonly string[]) => {
    const { status, stdout } = spawnSync(process.execPath, [MAIN, ...args], { encoding: "utf8", cwd: folder });
    return { status, stdout };
  };

  test("evaluates chains, and explains them", () => {
    expect(ggsl(["eval", "-e", "top_k(1)", "--probs", "0.2,0.8"])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("on wasm") as unknown,
    });
    expect(ggsl(["explain", "-e", "top_k(1)", "--html"]).stdout).toContain("<svg");
  });

  llamaTest("runs the demo model", () => {
    const { status, stdout } = ggsl(["run", "-e", "greedy()", "-n", "8"]);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^In the beginning .{10}/s)]);
  });

  test("evaluates for the preview, with imports from disk", async () => {
    const [near, main] = [join(folder, "near.ggsl"), join(folder, "main.ggsl")];
    const text =
      'import { near } from "./near.ggsl"\nimport { greedy } from "std"\nchain a = greedy()\nchain b = near() |> greedy()\n';
    const ask = { name: main, text, root: folder, logits: { shape: "zipf", size: 50 } } as const;
    const engine = new Worker(join(carried, "dist/preview/engine.js"));
    const answer = (request: Request): Promise<Answer> => {
      engine.postMessage(request);
      return new Promise((resolve, reject) => engine.once("message", resolve).once("error", reject));
    };
    try {
      for (const [id, share] of [
        [1, 0.15],
        [2, 0.4],
      ] as const) {
        writeFileSync(near, `sampler near() { keep prob >= ${share} * max(prob) }\n`);
        const found = await answer({ id, ...ask, offset: text.indexOf("greedy()\n", 90) });
        // the probability of token i is in proportion to 1 / (i + 1)
        expect(found).toMatchObject({
          id,
          chain: "b",
          reply: { picked: 0, stages: [{ rows: 50 }, { rows: Math.floor(1 / share) }, {}] },
        });
      }
      expect(await answer({ id: 3, ...ask, offset: text.indexOf("chain a") + 8 })).toMatchObject({ chain: "a" });
      const fault = { id: 4, ...ask, text: "chain c = none()\n", offset: 0 };
      expect(await answer(fault)).toEqual({
        id: 4,
        fault: expect.stringContaining("unknown sampler `none`") as unknown,
      });
    } finally {
      await engine.terminate();
    }
  });
});

describe("the command that is found", () => {
  const carriedAlone = [["extension", MAIN]];
  const found = (setting: string, ...projects: string[]) =>
    findGgsl({ setting, projects, carried }).map(({ from, path }) => [from, path]);

  test("is that of the settings, alone", () => {
    expect(findGgsl({ setting: "ggsl", projects: [process.cwd()], carried })).toEqual([
      { from: "settings", path: "ggsl", command: "ggsl", args: [], env: {} },
    ]);
    expect(findGgsl({ setting: "/a/main.js", projects: [], carried })).toEqual([
      ...[{ from: "settings", path: "/a/main.js", command: process.execPath, args: ["/a/main.js"] }].map((one) => ({
        ...one,
        env: { ELECTRON_RUN_AS_NODE: "1" },
      })),
    ]);
  });

  test("is that of the project, here or above, and then the carried one", () => {
    const project = join(folder, "project");
    const home = join(project, "node_modules/ggsl");
    const below = join(project, "packages/a");
    mkdirSync(below, { recursive: true });
    expect(found("", below)).toEqual(carriedAlone);
    mkdirSync(join(home, "dist"), { recursive: true });
    const bin = join(home, "dist/main.js");
    writeFileSync(bin, "");
    for (const damaged of ["{", "null", "{}", '{"bin": {"ggsl": 1}}', '{"bin": {"ggsl": "./missing.js"}}']) {
      writeFileSync(join(home, "package.json"), damaged);
      expect([damaged, installedIn(below)]).toEqual([damaged, undefined]);
    }
    writeFileSync(join(home, "package.json"), JSON.stringify({ name: "ggsl", bin: { ggsl: "./dist/main.js" } }));
    expect(found("", below)).toEqual([["project", bin], ...carriedAlone]);
    // a workspace that is not trusted has no folders
    expect(found("")).toEqual(carriedAlone);
  });
});
