/** Whether what a published package installs runs on the versions of Node.js that the package promises. */
import semver from "semver";
import { ToolError } from "./process.js";

/** The used part of an entry of package-lock.json. */
interface Entry {
  readonly version?: string;
  readonly engines?: { readonly node?: string };
  /** The folder of a workspace. */
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** The entries of package-lock.json, by their place: a workspace's folder, or `node_modules/NAME`, also inside another place. */
export type LockedPackages = Readonly<Record<string, Entry>>;

/**
 * Checks all that these workspaces install, whatever needs it: each package must allow every version of Node.js that the workspace does.
 * Throws a `ToolError` that names those that do not.
 */
export function checkEngines(packages: LockedPackages, folders: readonly string[]): void {
  const faults = folders.flatMap((folder) => faultsOf(packages, folder));
  if (faults.length === 0) return;
  throw new ToolError(
    `pack: packages with other engines are installed, so npm warns, or refuses with engine-strict:\n${faults.join("\n")}\nTake another version, also as a dependency of the workspace if another package brings it.`,
  );
}

function faultsOf(packages: LockedPackages, folder: string): string[] {
  const promised = packages[folder]?.engines?.node ?? "*";
  return [...installedBy(packages, folder)].flatMap(([place, by]) => {
    const { version, engines: { node: needed = "*" } = {} } = packages[place]!;
    if (semver.subset(promised, needed)) return [];
    return `  ${nameOf(folder)} promises Node.js ${promised}, but ${nameOf(place)} ${version} needs ${needed}; ${nameOf(by)} brings it`;
  });
}

/** The places of all that a workspace installs, and what brings each. What a package may have, if the user installs it, is not part. */
function installedBy(packages: LockedPackages, folder: string): Map<string, string> {
  const found = new Map<string, string>();
  const todo = [folder];
  for (let place = todo.pop(); place !== undefined; place = todo.pop()) {
    const {
      dependencies,
      optionalDependencies,
      peerDependencies = {},
      peerDependenciesMeta: meta = {},
    } = packages[place]!;
    const peers = Object.keys(peerDependencies).filter((name) => meta[name]?.optional !== true);
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const at = placeOf(packages, place, name);
      if (at === undefined) {
        // those of other platforms are not all in the file
        if (optionalDependencies?.[name] !== undefined) continue;
        throw new ToolError(`pack: package-lock.json has no ${name}, which ${nameOf(place)} needs: npm install`);
      }
      if (at === folder || found.has(at)) continue;
      found.set(at, place);
      todo.push(at);
    }
  }
  return found;
}

/** Where Node.js finds a package: in the nearest `node_modules`, from the inside out. */
function placeOf(packages: LockedPackages, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = outer(folder)) {
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    const entry = packages[place];
    if (entry) return entry.link ? entry.resolved : place;
    if (folder === "") return undefined;
  }
}

const outer = (place: string): string => place.slice(0, Math.max(0, place.lastIndexOf("/node_modules/")));

const nameOf = (place: string): string =>
  place.includes("node_modules/")
    ? place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length)
    : `the workspace ${place}`;
