/** The published types: projects of an older target use them, with every declaration checked. Run `npm run build` first. */
import { afterAll, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// below the root, where the packages are found
mkdirSync("build", { recursive: true });
const folder = mkdtempSync(join("build", "types-"));
afterAll(() => rmSync(folder, { recursive: true }));

const SOURCE = `
import { compile, createEvaluator, InputError, loadModel, ModelWorker, type Model } from "ggsl";
import { loadModel as byPath } from "ggsl/models/model.js";
import { openTail } from "ggsl/sequence/tail.js";
import { compileProgram } from "@ggsl/compiler";

export async function use(): Promise<void> {
  const model: Model = await loadModel("model.gguf");
  const evaluator = createEvaluator(compile("chain c = greedy()").graph, 4);
  evaluator.dispose();
  model.dispose();
  void [byPath, compileProgram, InputError, ModelWorker, openTail];
}
`;

test("they need no newer library than ES2020 and the DOM", () => {
  writeFileSync(join(folder, "use.ts"), SOURCE);
  const compilerOptions = {
    target: "es2020",
    lib: ["es2020", "dom"],
    types: [],
    module: "esnext",
    moduleResolution: "bundler",
    strict: true,
    noEmit: true,
    skipLibCheck: false,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts"] }));
  const tsc = ["node_modules/typescript-7/bin/tsc", "-p", folder];
  expect(spawnSync(process.execPath, tsc, { encoding: "utf8" }).stdout).toBe("");
});
