/** What each published package contains, and where it can run. */
import { describe, expect, test } from "@jest/globals";
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";

interface Package {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
}

const manifestOf = (folder: string): Package =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Package;
const { workspaces } = JSON.parse(readFileSync("package.json", "utf8")) as { workspaces: readonly string[] };
const manifests = new Map(workspaces.map((folder) => [folder, manifestOf(folder)]));

/** Size limit of the compiler including its dependencies. */
const MOST_COMPILER_BYTES = 4.5e6;

function sizeOf(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

/** Total bytes of the files in a package's `npm pack` tarball. */
function packedBytes(folder: string): number {
  const { stdout, stderr } = spawnSync("npm", ["pack", "--dry-run", "--json"], { cwd: folder, encoding: "utf8" });
  const [tarball] = JSON.parse(stdout || stderr) as { unpackedSize: number }[];
  return tarball!.unpackedSize;
}

describe("@ggsl/compiler", () => {
  test("depends on ohm-js alone, and has at most 4.5 MB with it", () => {
    expect(Object.keys(manifests.get("compiler")!.dependencies!)).toEqual(["ohm-js"]);
    expect(packedBytes("compiler") + sizeOf("node_modules/ohm-js")).toBeLessThanOrEqual(MOST_COMPILER_BYTES);
  });

  test("bundles for a browser and compiles without Node.js", async () => {
    const { outputFiles } = await build({
      entryPoints: ["@ggsl/compiler"],
      conditions: ["@ggsl/source"],
      ...{ bundle: true, write: false, platform: "browser", format: "iife", globalName: "compiler", target: "es2022" },
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
