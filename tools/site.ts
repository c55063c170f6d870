/** `npm run site`: the documentation as a static site in build/site, unless that is up to date. */
import { generate } from "./generate.js";
import { buildSite } from "./lib/site.js";

export async function main(): Promise<void> {
  await generate();
  console.log(`site: ${await buildSite()}`);
}
