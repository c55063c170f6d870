/** Names that a module exports and no other one takes. */
import { dirname, join, normalize } from "node:path/posix";
import { ALL, readModule } from "./names.js";

export interface Unused {
  readonly file: string;
  readonly line: number;
  readonly name: string;
}

export interface Project {
  /** The texts of all modules by path. */
  readonly texts: ReadonlyMap<string, string>;
  /** The folder of each package by its name, and the module that programs get by that name. */
  readonly packages: ReadonlyMap<string, { readonly folder: string; readonly entry: string }>;
  /** Whether others than these modules take what a module exports. */
  readonly isPublic: (file: string, name: string) => boolean;
}

/** The exported names that nothing takes, in the order of the files. */
export function unusedExports({ texts, packages, isPublic }: Project): Unused[] {
  const modules = new Map([...texts].map(([path, text]) => [path, readModule(path, text)] as const));
  const taken = new Map<string, Set<string>>();
  for (const [path, { taken: all }] of modules)
    for (const { from, names } of all) {
      const file = resolved(from, path, texts, packages);
      if (file === undefined || file === path) continue;
      const known = taken.get(file) ?? new Set();
      taken.set(file, known);
      for (const name of names) known.add(name);
    }
  return [...modules].flatMap(([file, { exported }]) =>
    [...exported].flatMap(([name, line]) => {
      const names = taken.get(file);
      const isTaken = names !== undefined && (names.has(name) || names.has(ALL));
      return isTaken || isPublic(file, name) ? [] : [{ file, line, name }];
    }),
  );
}

/** The module that a specifier names; undefined for those of others. */
function resolved(
  from: string,
  path: string,
  texts: ReadonlyMap<string, string>,
  packages: Project["packages"],
): string | undefined {
  if (from.startsWith(".")) return present(normalize(join(dirname(path), from)), texts);
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(from)?.[0] ?? "";
  const own = packages.get(name);
  if (!own) return undefined;
  return from === name ? own.entry : present(`${own.folder}${from.slice(name.length)}`, texts);
}

/** The source of what is imported as JavaScript. */
const present = (path: string, texts: ReadonlyMap<string, string>): string | undefined =>
  [path, path.replace(/\.js$/, ".ts"), path.replace(/\.mjs$/, ".mts"), `${path}.ts`, `${path}/index.ts`].find((file) =>
    texts.has(file),
  );
