/** Locates ggml's backend libraries: built here, or in the platform packages of node-llama-cpp. */
import { installLlama, llamaPackage } from "../../core/fixes.js";
import { nodeModule } from "../../core/node.js";
import { loadBinding } from "../native/loader.js";
import { backendFile, platformHere, platformName } from "../../core/platforms.js";
import { buildFolder, installedFolder } from "../../core/root.js";

const fs = nodeModule("node:fs")!;
const path = nodeModule("node:path")!;

/** Backends with devices of their own. */
export const DEVICE_BACKENDS = ["cpu", "vulkan", "cuda"] as const;
/** A backend with devices of its own. */
export type DeviceBackend = (typeof DEVICE_BACKENDS)[number];
/** A backend of GPUs. */
export type GpuBackend = Exclude<DeviceBackend, "cpu">;

/** In the order in which `auto` prefers them. */
export const GPU_BACKENDS: readonly GpuBackend[] = ["cuda", "vulkan"];

type Package = readonly [name: string, folder: string];

/** Packages that contain a backend's library, with the folder inside, in order of preference. */
function packagesOf(backend: DeviceBackend): readonly [Package, ...Package[]] {
  const base = platformHere()?.llama ?? platformName();
  if (backend === "cpu") return [[base, base]];
  const name = `${base}-${backend}`;
  return backend === "vulkan"
    ? [[name, name]]
    : [
        [name, name],
        [`${name}-ext`, `${name}/fallback`],
      ];
}

/** The folder of the CPU's libraries, from which the addon was loaded. Throws as `loadBinding` does. */
export const cpuLibraries = (): string => loadBinding().libraries;

/** Installed libraries of a GPU backend in order of preference: a local build comes before the packages. */
export function librariesOf(backend: GpuBackend): string[] {
  const file = backendFile(backend);
  const build = buildFolder();
  const folders = [...(build === undefined ? [] : [path.join(build, backend)]), ...foldersOf(backend)];
  return folders.map((folder) => path.join(folder, file)).filter((library) => fs.existsSync(library));
}

/** The command that installs a backend's package; undefined if it is installed, or if there is none for this platform. */
export function installCommand(backend: GpuBackend): string | undefined {
  const [[name]] = packagesOf(backend);
  const isMissing = platformHere()?.gpus === true && installedFolder(llamaPackage(name)) === undefined;
  return isMissing ? installLlama(name) : undefined;
}

/** Packages of this platform's backends, and whether they are installed. */
export const installedPackages = (): { name: string; isInstalled: boolean }[] =>
  DEVICE_BACKENDS.flatMap((backend) => packagesOf(backend)).map(([name, folder]) => ({
    name: llamaPackage(name),
    isInstalled: folderOf(name, folder) !== undefined,
  }));

const foldersOf = (backend: DeviceBackend): string[] =>
  packagesOf(backend).flatMap(([name, folder]) => folderOf(name, folder) ?? []);

/** The folder of a package's libraries, if they are installed. */
function folderOf(name: string, folder: string): string | undefined {
  const installed = installedFolder(llamaPackage(name));
  const libraries = installed && path.join(installed, "bins", folder);
  return libraries !== undefined && fs.existsSync(libraries) ? libraries : undefined;
}
