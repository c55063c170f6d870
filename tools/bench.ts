/** `npm run bench`, `npm run bench:compile` and so on: runs the set-up, then a program of bench/. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { attemptNode, root } from "./lib/process.js";
import { writeRandomModel } from "./random-model.js";
import { setUp } from "./setup.js";

const RANDOM_MODEL = join(root, "build", "random-128256.gguf");

export async function main([program = "", ...args]: readonly string[]): Promise<number> {
  await setUp();
  if (program === "models" && !existsSync(RANDOM_MODEL)) writeRandomModel(RANDOM_MODEL);
  return (await attemptNode([`bench/dist/${program}.js`, ...args], { stdio: "inherit" })).status;
}
