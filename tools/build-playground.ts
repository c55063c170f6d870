/** `npm run build:playground`: the playground as a static site in build/playground, unless that is up to date. */
import { generate } from "./generate.js";
import { buildPlayground } from "./lib/playground.js";

export async function main(): Promise<void> {
  await generate();
  console.log(`build:playground: ${await buildPlayground()}`);
}
