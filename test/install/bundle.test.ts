/** A bundle for Node.js that is copied elsewhere, without any package: its files are next to it. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { PLATFORM } from "./consumer.js";

const ENTRY = `import { compilePipeline } from "./runtime/dist/index.js";
compilePipeline("greedy()").evaluate([1, 3, 2], {}).then(({ token, backend }) => console.log(token, backend));`;

let folder: string;
beforeAll(async () => {
  execFileSync(process.execPath, ["tools/run.mjs", "build-platforms", PLATFORM], { stdio: "pipe" });
  folder = mkdtempSync(join(tmpdir(), "ggsl-bundle-"));
  for (const [format, name] of [
    ["esm", "bundle.mjs"],
    ["cjs", "bundle.cjs"],
  ] as const)
    await build({
      stdin: { contents: ENTRY, resolveDir: resolve(".") },
      outfile: join(folder, name),
      format,
      bundle: true,
      platform: "node",
      logLevel: "silent",
    });
});
afterAll(() => rmSync(folder, { recursive: true }));

function printed(name: string): { stdout: string; stderr: string } {
  const { stdout, stderr } = spawnSync(process.execPath, [name], { cwd: folder, encoding: "utf8" });
  return { stdout, stderr };
}

const BUNDLES = ["bundle.mjs", "bundle.cjs"];

test.each(BUNDLES)("%s alone runs in the reference interpreter, and says so", (name) => {
  const { stdout, stderr } = printed(name);
  expect(stdout).toBe("1 reference\n");
  expect(stderr).toMatch(/^ggsl: no native addon: .* is not installed; chains run in the reference interpreter, .*\n$/);
});

test("with the module it runs in WebAssembly, with the addon and its libraries on the CPU", () => {
  copyFileSync("runtime/wasm/ggsl.wasm", join(folder, "ggsl.wasm"));
  for (const name of BUNDLES) expect(printed(name).stdout).toBe("1 wasm\n");
  copyFileSync(join("build/platforms", PLATFORM, "ggsl.node"), join(folder, "ggsl.node"));
  const libraries = join("node_modules/@node-llama-cpp", PLATFORM, "bins", PLATFORM);
  for (const file of readdirSync(libraries)) cpSync(join(libraries, file), join(folder, file));
  for (const name of BUNDLES) expect(printed(name)).toEqual({ stdout: "1 cpu\n", stderr: "" });
});
