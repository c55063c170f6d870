/** The platforms with prebuilt addons, one row for each; tools/lib/platforms.ts adds how they are built. */
import { nodeModule } from "./node.js";

export interface Platform {
  /** As Node.js and npm name them. */
  readonly os: "linux" | "darwin" | "win32";
  readonly cpu: "x64" | "arm64";
  readonly libc?: "glibc" | "musl";
  /**
   * The package of llama.cpp's libraries, in the scope @node-llama-cpp; its folder of libraries has the same name. Absent: there is
   * none, and the libraries are in the addon's own package.
   */
  readonly llama?: string;
  /** What the names of libllama and libggml there have before llama.cpp's tag. */
  readonly flavor?: string;
  /** Whether node-llama-cpp has packages of GPU backends that can be added. */
  readonly gpus?: boolean;
}

/** The platforms by the name of the addon's package, in the scope @ggsl. */
export const PLATFORMS = {
  "linux-x64": { os: "linux", cpu: "x64", libc: "glibc", llama: "linux-x64", gpus: true },
  "linux-arm64": { os: "linux", cpu: "arm64", libc: "glibc", llama: "linux-arm64" },
  "linux-x64-musl": { os: "linux", cpu: "x64", libc: "musl" },
  "darwin-arm64": { os: "darwin", cpu: "arm64", llama: "mac-arm64-metal", flavor: "metal" },
  "win32-x64": { os: "win32", cpu: "x64", llama: "win-x64" },
} as const satisfies Readonly<Record<string, Platform>>;
export type PlatformName = keyof typeof PLATFORMS;

/** How libraries are named: llama.cpp's own, and ggml's backends, which are loaded when the process runs. */
const FORMS = {
  linux: { prefix: "lib", library: ".so", backend: ".so" },
  darwin: { prefix: "lib", library: ".dylib", backend: ".so" },
  win32: { prefix: "", library: ".dll", backend: ".dll" },
} as const;

/** The file of a backend, such as `vulkan`. */
export function backendFile(backend: string, os: string = process.platform): string {
  const { prefix, backend: suffix } = FORMS[os in FORMS ? (os as Platform["os"]) : "linux"];
  return `${prefix}ggml-${backend}${suffix}`;
}

/** What is between the name and the suffix of libllama and libggml; libraries built from source have nothing there. */
export const infixOf = ({ llama, flavor }: Platform, tag: string): string =>
  llama === undefined ? "" : `${flavor === undefined ? "" : `.${flavor}`}.${tag}`;

/** The libraries that the addon is linked with, by their names. */
export function linkedFiles(row: Platform, tag: string): Readonly<Record<"llama" | "ggml" | "ggml-base", string>> {
  const { prefix, library } = FORMS[row.os];
  const infix = infixOf(row, tag);
  const file = (name: string, between: string): string => `${prefix}${name}${between}${library}`;
  return { llama: file("llama", infix), ggml: file("ggml", infix), "ggml-base": file("ggml-base", "") };
}

let name: string | undefined;

/** The platform of this process, as packages are named for it; it may have no row. */
export const platformName = (): string =>
  (name ??= `${globalThis.process?.platform}-${globalThis.process?.arch}${isMusl() ? "-musl" : ""}`);

/** Its row. */
export const platformHere = (): Platform | undefined =>
  platformName() in PLATFORMS ? PLATFORMS[platformName() as PlatformName] : undefined;

/** Musl's loader can also be on a system with glibc, and only glibc reports its version: the report takes longer. */
function isMusl(): boolean {
  const fs = nodeModule("node:fs");
  if (fs === undefined || process.platform !== "linux") return false;
  if (!fs.existsSync("/lib") || !fs.readdirSync("/lib").some((file) => file.startsWith("ld-musl-"))) return false;
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined;
}
