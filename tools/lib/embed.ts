/** The examples of examples/embed: how each is built and started, with the demo model and the prebuilt llama.cpp. */
import { join } from "node:path";
import { C_PREFIX } from "../build-c.js";
import { checkLlama } from "../build-native.js";
import { jobs, root, run } from "./process.js";

const PROJECT = join(root, "examples", "embed");
const BUILD = join(root, "build", "embed");

/** The examples by name: a command and its first arguments. */
export const EMBEDDED: Readonly<Record<string, () => readonly [command: string, ...args: string[]]>> = {
  c: () => [join(BUILD, "embed-c")],
  cpp: () => [join(BUILD, "embed-cpp")],
  loop: () => [join(BUILD, "embed-loop")],
  python: () => [
    ...(["python3", join(PROJECT, "python", "embed.py")] as const),
    ...["--llama", checkLlama().libraries, "--ggsl", join(C_PREFIX, "lib", "libggsl.so")],
  ],
};

/** Where CMake finds headers and libraries of the prebuilt llama.cpp, and libggsl in a folder. */
function cmakePaths(prefix: string): string[] {
  const source = join(root, "build", "llama.cpp");
  const paths = {
    CMAKE_PREFIX_PATH: prefix,
    CMAKE_INCLUDE_PATH: `${join(source, "include")};${join(source, "ggml", "include")}`,
    CMAKE_LIBRARY_PATH: checkLlama().libraries,
  };
  return Object.entries(paths).map(([name, value]) => `-D${name}=${value}`);
}

/** Builds the programs in C and C++ against build/c. */
export async function buildEmbedded(): Promise<void> {
  await run("cmake", ["-S", PROJECT, "-B", BUILD, "-DCMAKE_BUILD_TYPE=Release", ...cmakePaths(C_PREFIX)]);
  await run("cmake", ["--build", BUILD, "--parallel", `${jobs}`]);
}
