/** `npm run bench`, `npm run bench:compile` and so on: runs the set-up, then a program of bench/. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildLlamaServer } from "./build-llama-server.js";
import { attemptNode, root } from "./lib/process.js";
import { writeRandomModel, type RandomModel } from "./random-model.js";
import { setUp } from "./setup.js";

/** The models that it makes for programs, by file. */
const RANDOM_MODELS: Readonly<Record<string, RandomModel & { readonly users: readonly string[] }>> = {
  "random-128256.gguf": { users: ["models", "rpc", "batches"] },
  "random-1024-q8_0.gguf": {
    users: ["models"],
    columns: 1024,
    layers: 4,
    type: "q8_0",
    vocabulary: join(root, "build", "llama.cpp", "models", "ggml-vocab-llama-spm.gguf"),
  },
  // 530 MB: reading the weights is most of a decode
  "random-1024-f32.gguf": {
    users: ["models"],
    columns: 1024,
    layers: 4,
    type: "f32",
    vocabulary: join(root, "build", "llama.cpp", "models", "ggml-vocab-llama-spm.gguf"),
  },
  // 640 MB
  "random-qwen3-0.6b-q8_0.gguf": {
    users: ["batches"],
    columns: 1024,
    layers: 28,
    type: "q8_0",
    vocabulary: join(root, "build", "llama.cpp", "models", "ggml-vocab-qwen2.gguf"),
    shape: { hidden: 3072, heads: 16, keyHeads: 8, headSize: 128 },
  },
};

export async function main([program = "", ...args]: readonly string[]): Promise<number> {
  await setUp();
  for (const [name, { users, ...shape }] of Object.entries(RANDOM_MODELS)) {
    const path = join(root, "build", name);
    if (users.includes(program) && !existsSync(path)) writeRandomModel(path, shape);
  }
  if (program === "server") await buildLlamaServer("llama-server");
  return (await attemptNode([`bench/dist/${program}.js`, ...args], { stdio: "inherit" })).status;
}
