/** The extension: its types, and the contents of its package. */
import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { tsc } from "../codegen/ggsl.js";

interface Manifest {
  readonly main: string;
  readonly version: string;
  readonly contributes: {
    readonly languages: readonly { readonly configuration: string; readonly extensions: readonly string[] }[];
    readonly grammars: readonly { readonly path: string }[];
  };
}

test("the extension's package is complete", () => {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-vsix-"));
  try {
    const file = join(folder, "ggsl.vsix");
    const { status, stderr } = spawnSync(process.execPath, ["tools/run.mjs", "vsix", file], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    const entries = unzipSync(readFileSync(file));
    const textOf = (name: string): string => new TextDecoder().decode(entries[name]);
    const manifest = JSON.parse(textOf("extension/package.json")) as Manifest;
    const { version } = JSON.parse(readFileSync("runtime/package.json", "utf8")) as Manifest;
    expect(manifest.version).toBe(version);
    expect(textOf("extension.vsixmanifest")).toContain(`Id="ggsl" Version="${version}"`);
    expect(textOf("[Content_Types].xml")).toContain('Extension=".js"');
    const { languages, grammars } = manifest.contributes;
    for (const path of [manifest.main, languages[0]!.configuration, grammars[0]!.path])
      expect(Object.keys(entries)).toContain(`extension/${path.replace("./", "")}`);
    expect(languages[0]!.extensions).toEqual([".ggsl"]);
    for (const name of Object.keys(entries).filter((n) => n.endsWith(".json")))
      expect(() => JSON.parse(textOf(name)) as unknown).not.toThrow();
    const code = textOf("extension/dist/extension.js");
    expect(code).toContain('"ggsl.command"');
    // it depends only on the editor and Node.js
    const needed = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map((m) => m[1]!);
    const own = ["vscode", ...builtinModules];
    expect(needed.filter((name) => !own.includes(name.replace("node:", "")))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the extension's types are right", () => {
  expect(tsc("-p", "editors/vscode/tsconfig.json")).toMatchObject({ status: 0, stdout: "" });
}, 60_000);
