/** What each published package contains, and where it can run. */
import { describe, expect, test } from "@jest/globals";
import { build } from "esbuild";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";

interface Package {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  /** Bundled into the package. */
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
}

const manifestOf = (folder: string): Package =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Package;
const { workspaces } = JSON.parse(readFileSync("package.json", "utf8")) as { workspaces: readonly string[] };
const manifests = new Map(workspaces.map((folder) => [folder, manifestOf(folder)]));

describe("@ggsl/compiler", () => {
  test("depends on nothing: its libraries are bundled", () => {
    const { dependencies, devDependencies } = manifests.get("compiler")!;
    expect([dependencies, Object.keys(devDependencies!)]).toEqual([
      undefined,
      ["@bufbuild/protobuf", "ohm-js", "re2js"],
    ]);
  });

  test("bundles for a browser and compiles without Node.js", async () => {
    const { outputFiles } = await build({
      entryPoints: ["@ggsl/compiler"],
      conditions: ["@ggsl/source"],
      bundle: true,
      write: false,
      platform: "browser",
      format: "iife",
      globalName: "compiler",
      target: "es2022",
    });
    const context = createContext({ TextEncoder, TextDecoder, console: undefined });
    runInContext(outputFiles[0]!.text, context);
    const text = runInContext(
      'compiler.printGraph(compiler.graphOf(compiler.compileStages("top_k(3)")))',
      context,
    ) as string;
    expect(text).toContain("top_k(logits) k=3");
  });
});

test("packages declare what they import, at the version of this checkout", () => {
  const { version } = manifestOf("runtime");
  for (const [folder, { name, version: own, dependencies = {} }] of manifests) {
    expect([name, own]).toEqual([name, version]);
    for (const [dependency, range] of Object.entries(dependencies))
      if (dependency === "ggsl" || dependency.startsWith("@ggsl/"))
        expect([folder, dependency, range]).toEqual([folder, dependency, version]);
  }
});

test("a published package depends on no private one", () => {
  const isPrivate = new Set([...manifests.values()].filter((m) => m.private).map(({ name }) => name));
  for (const { name, private: own, dependencies = {} } of manifests.values())
    if (!own) expect([name, Object.keys(dependencies).filter((d) => isPrivate.has(d))]).toEqual([name, []]);
});

test("each export of a published package was built", () => {
  for (const [folder, { private: own, exports = {} }] of manifests) {
    if (own) continue;
    for (const [key, entry] of Object.entries(exports)) {
      if (key.includes("*") || typeof entry === "string") continue;
      for (const file of Object.values(entry as Record<string, string>))
        expect(statSync(join(folder, file)).isFile()).toBe(true);
    }
  }
});
