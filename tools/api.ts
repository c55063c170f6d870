/**
 * `npm run api`: writes the public interface of each package to docs/interface, a file for each entry point: what it exports, and every type
 * that it exposes. With --check, which is a part of `npm run lint`, it fails if a file differs, and shows how.
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { differences, FOLDER } from "./api/compare.js";
import { contracts } from "./api/contracts.js";
import { readArguments } from "./lib/arguments.js";
import { readIfThere, writeGenerated } from "./lib/generated.js";
import { root } from "./lib/process.js";

/** Written by hand. */
const ABOUT = "README.md";

export async function main(args: readonly string[]): Promise<number> {
  const { values } = readArguments("npm run api -- [--check]", {
    args,
    options: { check: { type: "boolean", default: false } },
  });
  const files = await contracts();
  const old = present();
  if (values.check) {
    const text = differences(old, files);
    if (text !== undefined) console.error(text);
    return text === undefined ? 0 : 1;
  }
  for (const name of old.keys()) if (!files.has(name)) rmSync(join(root, FOLDER, name));
  for (const [name, text] of files) writeGenerated(`${FOLDER}/${name}`, text);
  return 0;
}

/** The texts of the committed files by name. */
function present(): Map<string, string> {
  const names = readdirSync(join(root, FOLDER), { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".md") && path !== ABOUT);
  return new Map(names.map((name) => [name, readIfThere(`${FOLDER}/${name}`)]));
}
