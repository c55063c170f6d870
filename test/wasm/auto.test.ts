/** The backend that `auto` selects in a package without the addon, and without the module as well. */
import { afterAll, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "ggsl-auto-"));
afterAll(() => rmSync(folder, { recursive: true }));

const NOTICE = "ggsl: no native addon: it is not built";
const FIX = "To fix it: npm run setup && npm run build:native -- --force";

function evaluate(...options: string[]): { status: number | null; stdout: string; stderr: string } {
  const args = ["eval", "-e", "greedy()", "--probs", "0.1,0.6,0.3", "--json", ...options];
  return spawnSync(process.execPath, [join(folder, "runtime/dist/cli/main.js"), ...args], { encoding: "utf8" });
}

test("the first available of cpu, wasm and reference, and the result names it", () => {
  cpSync("runtime/package.json", join(folder, "runtime/package.json"));
  cpSync("runtime/dist", join(folder, "runtime/dist"), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  symlinkSync(resolve("tools"), join(folder, "tools"));
  mkdirSync(join(folder, "build"));
  symlinkSync(resolve("build/Release"), join(folder, "build/Release"));
  expect(JSON.parse(evaluate().stdout)).toMatchObject({ backend: "cpu", token: 1 });

  rmSync(join(folder, "build"), { recursive: true });
  const inWasm = evaluate();
  expect(JSON.parse(inWasm.stdout)).toMatchObject({ backend: "wasm", token: 1 });
  expect(inWasm.stderr).toBe(`${NOTICE}; chains run in WebAssembly, which is slower. ${FIX}\n`);
  expect(evaluate("--backend", "wasm").stderr).toBe("");

  rmSync(join(folder, "runtime/dist/wasm/ggsl.wasm"));
  const interpreted = evaluate();
  expect(JSON.parse(interpreted.stdout)).toMatchObject({ backend: "reference", token: 1 });
  expect(interpreted.stderr).toBe(`${NOTICE}; chains run in the reference interpreter, which is much slower. ${FIX}\n`);
  const { status, stderr } = evaluate("--backend", "wasm");
  expect(status).toBe(1);
  expect(stderr).toMatch(/^error: The WebAssembly module cannot be used: ENOENT.*\nTo build it: npm run build:wasm\n$/);
});
