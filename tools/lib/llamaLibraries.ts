/** llama.cpp's shared libraries, built from its source for a platform for which node-llama-cpp has none. */
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { RELEASE } from "@ggsl/compiler/llama/release.js";
import { jobs, root, run } from "./process.js";
import { once } from "./stamp.js";

/** As node-llama-cpp builds its own: one library of the CPU backend for each instruction set, loaded when the process runs. */
const OPTIONS = {
  CMAKE_BUILD_TYPE: "Release",
  BUILD_SHARED_LIBS: "ON",
  GGML_BACKEND_DL: "ON",
  GGML_CPU_ALL_VARIANTS: "ON",
  GGML_NATIVE: "OFF",
  GGML_OPENMP: "OFF",
  LLAMA_BUILD_APP: "OFF",
  LLAMA_BUILD_COMMON: "OFF",
  LLAMA_BUILD_TESTS: "OFF",
  LLAMA_BUILD_TOOLS: "OFF",
  LLAMA_BUILD_EXAMPLES: "OFF",
  LLAMA_BUILD_SERVER: "OFF",
  // npm packages have no links from libllama.so to libllama.so.0
  CMAKE_PLATFORM_NO_VERSIONED_SONAME: "ON",
  CMAKE_BUILD_WITH_INSTALL_RPATH: "ON",
  CMAKE_INSTALL_RPATH: "$ORIGIN",
};

const configureLlama = (build: string): Promise<void> =>
  run("cmake", [
    ...["-G", "Unix Makefiles", "-S", join(root, "build", "llama.cpp"), "-B", build],
    ...Object.entries(OPTIONS).map(([key, value]) => `-D${key}=${value}`),
  ]);

/** Fills a folder with the stripped libraries; does nothing if it has them. The source must be unpacked. */
export async function buildLlama(folder: string): Promise<void> {
  const stamp = `${RELEASE.tag} ${JSON.stringify(OPTIONS)}`;
  await once({ stampFile: `${folder}.stamp`, stamp, outputs: [join(folder, "libllama.so")] }, async () => {
    const build = `${folder}-cmake`;
    await configureLlama(build);
    await run("cmake", ["--build", build, "--parallel", `${jobs}`]);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const file of readdirSync(join(build, "bin")).filter((name) => name.endsWith(".so"))) {
      copyFileSync(join(build, "bin", file), join(folder, file));
      await run("strip", ["--strip-unneeded", join(folder, file)]);
    }
  });
}
