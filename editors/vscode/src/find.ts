/** Finds the `ggsl` command: that of the settings, the project's own, or the one that the extension carries. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Ggsl {
  /** How messages name it. */
  readonly from: "settings" | "project" | "extension";
  /** The program that was chosen. */
  readonly path: string;
  readonly command: string;
  /** Before the command's own arguments. */
  readonly args: readonly string[];
  /** Variables to set in addition to the editor's. */
  readonly env: Readonly<Record<string, string>>;
}

interface Places {
  /** The setting `ggsl.server.path`; empty for none. */
  readonly setting: string;
  /** Folders and files of the workspace; their packages are searched upwards. Empty for a workspace that is not trusted. */
  readonly projects: readonly string[];
  /** The package that the extension carries. */
  readonly carried: string;
}

/** The candidates, the best first. A setting has no alternatives. */
export function findGgsl({ setting, projects, carried }: Places): Ggsl[] {
  if (setting !== "") return [commandAt(setting, "settings")];
  const own = projects.map(installedIn).find((path) => path !== undefined);
  return [
    ...(own === undefined ? [] : [commandAt(own, "project")]),
    commandAt(join(carried, "dist", "cli", "main.js"), "extension"),
  ];
}

/** The command of the nearest package `ggsl` in a folder `node_modules`, here or above, as Node.js finds packages. */
export function installedIn(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const home = join(folder, "node_modules", "ggsl");
    const path = existsSync(join(home, "package.json")) ? binOf(home) : undefined;
    if (path !== undefined) return path;
    if (folder === dirname(folder)) return undefined;
  }
}

/** The file behind the command of a package; undefined if it has none, or is damaged. */
function binOf(home: string): string | undefined {
  try {
    const { bin } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as { bin?: { ggsl?: unknown } };
    const path = typeof bin?.ggsl === "string" ? join(home, bin.ggsl) : undefined;
    return path !== undefined && existsSync(path) ? realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** A JavaScript file runs on the editor's own Node.js, so that no other has to be installed. */
function commandAt(path: string, from: Ggsl["from"]): Ggsl {
  if (!/\.[cm]?js$/.test(path)) return { from, path, command: path, args: [], env: {} };
  return { from, path, command: process.execPath, args: [path], env: { ELECTRON_RUN_AS_NODE: "1" } };
}
