/**
 * Builds ggml's CUDA backend from the bundle's source, for machines whose driver or GPU the prebuilt one does not support:
 * `npm run build:native -- --cuda ARCH`, part of tools/build-native.ts. The result, build/cuda/libggml-cuda.so, takes
 * precedence over the prebuilt one.
 */
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt, jobs, run, ToolError } from "./process.js";
import { once } from "./stamp.js";

/** Values of `--cuda`: compute capabilities without the dot, or names that CMake knows. */
const ARCHITECTURES = /^(native|all|all-major|\d{2,3}[af]?(-real|-virtual)?(;\d{2,3}[af]?(-real|-virtual)?)*)$/;

/** Headers that ggml includes, with the toolkit's package of each. ggml's own configuration would not report what is missing. */
const HEADERS = {
  "cuda_runtime.h": "the CUDA runtime (cuda-cudart-dev)",
  "cublas_v2.h": "cuBLAS (libcublas-dev)",
};

export function checkArchitecture(text: string): string {
  if (ARCHITECTURES.test(text)) return text;
  throw new ToolError(
    `build:native: --cuda: expected compute capabilities such as 90 (H100, H200) or "86;89", or native; found "${text}"`,
  );
}

/** Checks nvcc and the headers that ggml needs. Returns nvcc's version. */
export async function checkNvcc(buildFolder: string): Promise<string> {
  const fault = await nvccFault("nvcc", buildFolder);
  if (fault !== undefined)
    throw new ToolError(
      `build:native: --cuda: ${fault}. Install the CUDA toolkit (its package is cuda-toolkit), then:\n` +
        "  PATH=/usr/local/cuda/bin:$PATH npm run build:native -- --cuda ARCH",
    );
  return versionOf("nvcc");
}

/** What a compiler lacks; undefined if it can compile ggml. */
export async function nvccFault(nvcc: string, buildFolder: string): Promise<string | undefined> {
  if ((await attempt(nvcc, ["--version"])).status !== 0) return "there is no nvcc, NVIDIA's compiler, in PATH";
  for (const [header, part] of Object.entries(HEADERS)) {
    if (!(await hasHeader(header, nvcc, buildFolder)))
      return `nvcc ${await versionOf(nvcc)} finds no ${header}, which is part of ${part}`;
  }
  return undefined;
}

/** e.g. "12.4". */
export async function versionOf(nvcc: string): Promise<string> {
  const { output } = await attempt(nvcc, ["--version"]);
  const version = /release ([\d.]+)/.exec(output)?.[1];
  if (version === undefined) throw new ToolError(`${nvcc} --version: expected a release, found:\n${output}`);
  return version;
}

async function hasHeader(header: string, nvcc: string, buildFolder: string): Promise<boolean> {
  const file = join(buildFolder, "header.cu");
  mkdirSync(buildFolder, { recursive: true });
  writeFileSync(file, `#include <${header}>\n`);
  try {
    return (await attempt(nvcc, ["-E", file])).status === 0;
  } finally {
    rmSync(file);
  }
}

interface CudaBuild {
  readonly architecture: string;
  /** The compiler's version. */
  readonly nvcc: string;
  /** The folder of llama.cpp's source, of the release `tag`. */
  readonly source: string;
  readonly tag: string;
  readonly buildFolder: string;
  readonly force: boolean;
}

/** Builds the backend, unless it is up to date for this release, architecture and compiler. */
export async function buildCuda({ architecture, nvcc, source, buildFolder, tag, force }: CudaBuild): Promise<void> {
  const [folder, output] = [join(buildFolder, "cuda-cmake"), join(buildFolder, "cuda")];
  const library = join(output, "libggml-cuda.so");
  const options = {
    CMAKE_BUILD_TYPE: "Release",
    CMAKE_CUDA_ARCHITECTURES: architecture,
    GGML_CUDA: "ON",
    GGML_CUDA_GRAPHS: "ON",
    // takes most of the compile time; samplers do not need it, and models run without it
    GGML_CUDA_FA: "OFF",
    GGML_CPU: "OFF",
    GGML_BACKEND_DL: "ON",
    BUILD_SHARED_LIBS: "ON",
    LLAMA_BUILD_COMMON: "OFF",
    LLAMA_BUILD_TESTS: "OFF",
    LLAMA_BUILD_TOOLS: "OFF",
    LLAMA_BUILD_EXAMPLES: "OFF",
    // it must find the prebuilt libggml-base.so by its plain name, so that the process loads only one
    CMAKE_PLATFORM_NO_VERSIONED_SONAME: "ON",
  };
  const definitions = Object.entries(options).map(([name, value]) => `-D${name}=${value}`);
  const stamp = `${tag} ${architecture} nvcc ${nvcc}`;
  const made = await once({ stampFile: join(output, "stamp"), stamp, outputs: [library], force }, async () => {
    console.log(`build:native: CUDA backend for ${architecture} with nvcc ${nvcc}; this takes long`);
    await run("cmake", ["-S", source, "-B", folder, "-Wno-dev", ...definitions]);
    await run("cmake", ["--build", folder, "--target", "ggml-cuda", "--parallel", `${jobs}`], { stdio: "inherit" });
    mkdirSync(output, { recursive: true });
    copyFileSync(findLibrary(folder), library);
  });
  console.log(`build:native: ${made ? `built ${library}` : "CUDA backend up to date"}`);
}

function findLibrary(folder: string): string {
  const places = ["bin", join("ggml", "src", "ggml-cuda")].map((part) => join(folder, part, "libggml-cuda.so"));
  const found = places.find((path) => existsSync(path));
  if (found === undefined) throw new ToolError(`build:native: expected ${places.join(" or ")}, found neither`);
  return found;
}
