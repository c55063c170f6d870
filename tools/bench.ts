/** `npm run bench`, `npm run bench:compile` and so on: runs the set-up, then a program of bench/. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { attemptNode, root } from "./lib/process.js";
import { writeRandomModel, type RandomModel } from "./random-model.js";
import { setUp } from "./setup.js";

/** The models of bench/models.ts that it makes, by file. */
const RANDOM_MODELS: Readonly<Record<string, RandomModel>> = {
  "random-128256.gguf": {},
  "random-1024-q8_0.gguf": {
    ...{ columns: 1024, layers: 4, type: "q8_0" },
    vocabulary: join(root, "build", "llama.cpp", "models", "ggml-vocab-llama-spm.gguf"),
  },
};

export async function main([program = "", ...args]: readonly string[]): Promise<number> {
  await setUp();
  if (program === "models")
    for (const [name, shape] of Object.entries(RANDOM_MODELS)) {
      const path = join(root, "build", name);
      if (!existsSync(path)) writeRandomModel(path, shape);
    }
  return (await attemptNode([`bench/dist/${program}.js`, ...args], { stdio: "inherit" })).status;
}
