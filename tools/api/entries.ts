/** What programs can import by name: the entry points of the published packages, from the `exports` of their package.json. */
import { join, posix } from "node:path";
import { manifestOf, publicFolders } from "../lib/packages.js";
import { root, run } from "../lib/process.js";

export interface EntryPoint {
  /** What a program imports, e.g. `ggsl/onnx`. */
  readonly name: string;
  /** Its source in the checkout. */
  readonly source: string;
}

const SOURCE = "@ggsl/source";

/**
 * The entry points, by name. Paths with `*` are not among them: they are there for this project's own packages (docs/versions.md); nor
 * are files without types, such as JSON schemas.
 */
export function entryPoints(): EntryPoint[] {
  const all = publicFolders().flatMap((folder) => {
    const { name, exports = {} } = manifestOf(folder);
    if (typeof exports === "string") throw new Error(`${folder}/package.json: \`exports\` must be an object`);
    return Object.entries(exports).flatMap(([path, target]) => {
      const source = typeof target === "object" ? target[SOURCE] : undefined;
      if (typeof source !== "string" || path.includes("*")) return [];
      return [{ name: posix.join(name, path), source: posix.join(folder, source) }];
    });
  });
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Where the declarations of a source are. */
export const declarationsOf = (source: string): string => source.replace(/\.ts$/, ".d.ts");

/** The paths of TypeScript by which declarations in a folder find those of other packages. */
export function pathsIn(folder: string): Record<string, string[]> {
  const paths: Record<string, string[]> = {};
  for (const { name, source } of entryPoints()) paths[name] = [join(folder, declarationsOf(source))];
  for (const one of publicFolders()) paths[`${manifestOf(one).name}/*.js`] = [join(folder, one, "*.d.ts")];
  return paths;
}

const TSC = join("node_modules", "typescript-7", "bin", "tsc");

/** Writes the declarations of all packages to a folder as the build does, with the types of what has none in the source. */
export async function writeDeclarations(folder: string): Promise<void> {
  // `npm run types` checks them
  const options = ["--emitDeclarationOnly", "--noCheck", "--outDir", folder];
  await run(process.execPath, [join(root, TSC), "-p", join(root, "tsconfig.build.json"), ...options], {
    what: "api: the declarations of the packages",
  });
}
