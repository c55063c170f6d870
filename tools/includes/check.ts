/** The includes of native/: a check of `npm run lint`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root, type Ended } from "../lib/process.js";
import { missingIncludes, type MissingInclude } from "./includes.js";

/** Where the compilers look for quoted headers, beside the file's own folder (native/CMakeLists.txt). */
const ROOTS = ["native", "native/c", "native/include"];

/** Lists the sources that do not include what they use. */
export function checkIncludes(): Promise<Ended> {
  const missing = missingIncludes(nativeSources(), ROOTS);
  return Promise.resolve({ status: missing.length === 0 ? 0 : 1, output: missing.map(describe).join("") });
}

/** The texts of all C++ files by path. */
export function nativeSources(): Map<string, string> {
  const names = readdirSync(join(root, "native"), { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => /\.(cc|h|inc)$/.test(name))
    .sort();
  return new Map(names.map((name) => [`native/${name}`, readFileSync(join(root, "native", name), "utf8")]));
}

const describe = ({ file, line, name, headers }: MissingInclude): string =>
  `${file}:${line}: uses ${name}, but none of its includes leads to ${headers.join(" or ")}, which declares it. Include that header.\n`;
