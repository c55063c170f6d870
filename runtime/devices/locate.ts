/** Locates ggml's backend libraries: built here, or in the platform packages of node-llama-cpp. */
import { nodeModule } from "../node.js";
import { buildFolder, packageRoot } from "../root.js";

const fs = nodeModule("node:fs")!;
const path = nodeModule("node:path")!;

/** Backends with devices of their own. */
export const DEVICE_BACKENDS = ["cpu", "vulkan", "cuda"] as const;
export type DeviceBackend = (typeof DEVICE_BACKENDS)[number];
export type GpuBackend = Exclude<DeviceBackend, "cpu">;

/** In the order in which `auto` prefers them. */
export const GPU_BACKENDS: readonly GpuBackend[] = ["cuda", "vulkan"];

const platform = `${globalThis.process?.platform}-${globalThis.process?.arch}`;

/** Packages that contain a backend's library, with the folder inside, in order of preference. */
const PACKAGES: Readonly<Record<DeviceBackend, readonly (readonly [name: string, folder: string])[]>> = {
  cpu: [[platform, platform]],
  vulkan: [[`${platform}-vulkan`, `${platform}-vulkan`]],
  cuda: [
    [`${platform}-cuda`, `${platform}-cuda`],
    [`${platform}-cuda-ext`, `${platform}-cuda/fallback`],
  ],
};

/** The folder of the CPU's libraries; undefined if their package is not installed. */
export const cpuLibraries = (): string | undefined => foldersOf("cpu")[0];

/** Installed libraries of a GPU backend in order of preference: a local build comes before the packages. */
export function librariesOf(backend: GpuBackend): string[] {
  const file = `libggml-${backend}.so`;
  const folders = [path.join(buildFolder(), backend), ...foldersOf(backend)];
  return folders.map((folder) => path.join(folder, file)).filter((library) => fs.existsSync(library));
}

/** Packages of this platform's backends, and whether they are installed. */
export const installedPackages = (): { name: string; isInstalled: boolean }[] =>
  DEVICE_BACKENDS.flatMap((backend) => PACKAGES[backend]).map(([name, folder]) => ({
    name: `@node-llama-cpp/${name}`,
    isInstalled: folderOf(name, folder) !== undefined,
  }));

const foldersOf = (backend: DeviceBackend): string[] =>
  PACKAGES[backend].flatMap(([name, folder]) => folderOf(name, folder) ?? []);

/** Finds the package wherever npm installed it. */
function folderOf(name: string, folder: string): string | undefined {
  const id = `@node-llama-cpp/${name}`;
  const require = nodeModule("node:module")!.createRequire(path.join(packageRoot(), "package.json"));
  const folders = (require.resolve.paths(id) ?? []).map((modules) => path.join(modules, id, "bins", folder));
  return folders.find((found) => fs.existsSync(found));
}
