/** The package's own folder. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder with package.json above this file: sources and dist/ lie at different depths. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!isPackage(folder)) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("the package's root was not found: run npm run setup in its folder");
    folder = parent;
  }
  return folder;
}

function isPackage(folder: string): boolean {
  const path = join(folder, "package.json");
  return existsSync(path) && (JSON.parse(readFileSync(path, "utf8")) as { name?: string }).name === "ggsl";
}

/** The native addon, whether it was built or not. */
export const addonPath = (): string => join(packageRoot(), "build", "Release", "ggsl.node");
