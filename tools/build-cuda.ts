/**
 * ggml's CUDA backend from the bundle's source, for machines whose driver or GPU the prebuilt one is not for:
 * `npm run build:native -- --cuda ARCH`, part of tools/build-native.ts. The result, build/cuda/libggml-cuda.so, goes before
 * the prebuilt one.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jobs } from "./setup.js";

/** What `--cuda` may be given: compute capabilities without their dot, or what CMake knows by name. */
const ARCHITECTURES = /^(native|all|all-major|\d{2,3}[af]?(-real|-virtual)?(;\d{2,3}[af]?(-real|-virtual)?)*)$/;

/** What ggml includes, and the toolkit's part that brings it. Its own configuration would fail without saying so. */
const HEADERS = {
  "cuda_runtime.h": "the CUDA runtime (cuda-cudart-dev)",
  "cublas_v2.h": "cuBLAS (libcublas-dev)",
};

export function checkArchitecture(text, stop) {
  if (text !== undefined && ARCHITECTURES.test(text)) return text;
  const found = text === undefined ? "nothing" : `"${text}"`;
  return stop(`--cuda: expected compute capabilities such as 90 (H100, H200) or "86;89", or native; found ${found}`);
}

/** The version of nvcc, after checking that it is there with what ggml needs. */
export function checkNvcc(buildFolder, stop) {
  const { status, stdout } = spawnSync("nvcc", ["--version"], { encoding: "utf8" });
  const version = /release ([\d.]+)/.exec(stdout ?? "")?.[1];
  if (status !== 0 || version === undefined)
    return stop(
      "--cuda needs nvcc, NVIDIA's compiler, and found none in PATH. Install the CUDA toolkit (its package is cuda-toolkit), then:\n" +
        "  PATH=/usr/local/cuda/bin:$PATH npm run build:native -- --cuda ARCH",
    );
  for (const [header, part] of Object.entries(HEADERS)) {
    if (!hasHeader(header, buildFolder))
      return stop(`--cuda: nvcc ${version} finds no ${header}. Install ${part}, a part of the CUDA toolkit`);
  }
  return version;
}

function hasHeader(header, buildFolder) {
  const file = join(buildFolder, "header.cu");
  mkdirSync(buildFolder, { recursive: true });
  writeFileSync(file, `#include <${header}>\n`);
  try {
    return spawnSync("nvcc", ["-E", file], { maxBuffer: 1 << 28 }).status === 0;
  } finally {
    rmSync(file);
  }
}

/** Builds, unless that was done for the same release, architecture and compiler. */
export function buildCuda({ architecture, nvcc, source, buildFolder, tag, force, run }) {
  const [folder, output] = [join(buildFolder, "cuda-cmake"), join(buildFolder, "cuda")];
  const [library, stampFile] = [join(output, "libggml-cuda.so"), join(output, "stamp")];
  const stamp = `${tag} ${architecture} nvcc ${nvcc}`;
  if (!force && existsSync(library) && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) {
    console.log("build:native: CUDA backend up to date");
    return;
  }
  const options = {
    CMAKE_BUILD_TYPE: "Release",
    CMAKE_CUDA_ARCHITECTURES: architecture,
    GGML_CUDA: "ON",
    GGML_CUDA_GRAPHS: "ON",
    // most of the compile time, and no part of a sampler; models run without it
    GGML_CUDA_FA: "OFF",
    GGML_CPU: "OFF",
    GGML_BACKEND_DL: "ON",
    BUILD_SHARED_LIBS: "ON",
    LLAMA_BUILD_COMMON: "OFF",
    LLAMA_BUILD_TESTS: "OFF",
    LLAMA_BUILD_TOOLS: "OFF",
    LLAMA_BUILD_EXAMPLES: "OFF",
    // it has to find the prebuilt libggml-base.so by its plain name, so that there is one of it in the process
    CMAKE_PLATFORM_NO_VERSIONED_SONAME: "ON",
  };
  const definitions = Object.entries(options).map(([name, value]) => `-D${name}=${value}`);
  console.log(`build:native: CUDA backend for ${architecture} with nvcc ${nvcc}; this takes long`);
  run("cmake", ["-S", source, "-B", folder, "-Wno-dev", ...definitions]);
  run("cmake", ["--build", folder, "--target", "ggml-cuda", "--parallel", jobs], { show: true });
  mkdirSync(output, { recursive: true });
  copyFileSync(findLibrary(folder), library);
  writeFileSync(stampFile, stamp);
  console.log(`build:native: built ${library}`);
}

const findLibrary = (folder) =>
  ["bin", join("ggml", "src", "ggml-cuda")].map((part) => join(folder, part, "libggml-cuda.so")).find(existsSync);
