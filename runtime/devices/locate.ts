/** Where ggml's backend libraries lie: built here, or in the platform packages of node-llama-cpp. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { packageRoot } from "../root.js";

/** Backends that a model or a chain can be put on by name. */
export const DEVICE_BACKENDS = ["cpu", "vulkan", "cuda"] as const;
export type DeviceBackend = (typeof DEVICE_BACKENDS)[number];
export type GpuBackend = Exclude<DeviceBackend, "cpu">;

/** In the order in which `auto` prefers them. */
export const GPU_BACKENDS: readonly GpuBackend[] = ["cuda", "vulkan"];

const platform = `${process.platform}-${process.arch}`;

/** Packages that bring a backend's library, with the folder inside, the first one preferred. */
const PACKAGES: Readonly<Record<DeviceBackend, readonly (readonly [name: string, folder: string])[]>> = {
  cpu: [[platform, platform]],
  vulkan: [[`${platform}-vulkan`, `${platform}-vulkan`]],
  cuda: [
    [`${platform}-cuda`, `${platform}-cuda`],
    [`${platform}-cuda-ext`, join(`${platform}-cuda`, "fallback")],
  ],
};

/** The folder of the CPU's libraries; undefined if their package is not installed. */
export const cpuLibraries = (): string | undefined => foldersOf("cpu")[0];

/** Libraries of a GPU backend that are there, the preferred one first: what was built here goes before what was not. */
export function librariesOf(backend: GpuBackend): string[] {
  const file = `libggml-${backend}.so`;
  const folders = [join(packageRoot(), "build", backend), ...foldersOf(backend)];
  return folders.map((folder) => join(folder, file)).filter((path) => existsSync(path));
}

/** Packages of this platform's backends, and whether they are installed. */
export const installedPackages = (): { name: string; isInstalled: boolean }[] =>
  DEVICE_BACKENDS.flatMap((backend) => PACKAGES[backend]).map(([name, folder]) => ({
    name: `@node-llama-cpp/${name}`,
    isInstalled: folderOf(name, folder) !== undefined,
  }));

const foldersOf = (backend: DeviceBackend): string[] =>
  PACKAGES[backend].flatMap(([name, folder]) => folderOf(name, folder) ?? []);

/** Wherever npm has put the package. */
function folderOf(name: string, folder: string): string | undefined {
  const id = `@node-llama-cpp/${name}`;
  const require = createRequire(join(packageRoot(), "package.json"));
  const folders = (require.resolve.paths(id) ?? []).map((path) => join(path, id, "bins", folder));
  return folders.find((path) => existsSync(path));
}
