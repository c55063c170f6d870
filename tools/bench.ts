/** `npm run bench`, `npm run bench:compile`, `npm run bench:wasm`, `npm run record`: runs the set-up, then a program of bench/. */
import { attemptNode } from "./lib/process.js";
import { setUp } from "./setup.js";

export async function main([program = "", ...args]: readonly string[]): Promise<number> {
  await setUp();
  return (await attemptNode([`bench/dist/${program}.js`, ...args], { stdio: "inherit" })).status;
}
