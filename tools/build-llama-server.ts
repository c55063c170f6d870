/**
 * Builds llama-server from the source whose libraries are prebuilt, in build/llama-server: `npm run bench:server` compares with it.
 * Does nothing if neither the release nor its CMake file has changed since the last build.
 */
import { join } from "node:path";
import { RELEASE } from "@ggsl/compiler/llama/release.js";
import { checkCompilers, checkLlama, unpackSource } from "./build-native.js";
import { linkedHere } from "./lib/platforms.js";
import { jobs, root, run } from "./lib/process.js";
import { fingerprint, once } from "./lib/stamp.js";

const PROJECT = join("tools", "llama-server");

export async function main(): Promise<void> {
  await buildLlamaServer("llama-server");
}

/** More definitions of CMake; `prepare` is called with llama.cpp's source before CMake is. */
interface ServerVariant {
  readonly definitions: Readonly<Record<string, string>>;
  readonly prepare: (source: string) => void;
}

/** Builds it in a folder of build/. Returns the program. */
export async function buildLlamaServer(name: string, variant?: ServerVariant): Promise<string> {
  const { libraries } = checkLlama();
  const { llama, ggml } = linkedHere();
  const folder = join(root, "build", name);
  const source = join(root, "build", "llama.cpp");
  const program = join(folder, "llama-server");
  const made = await once(
    {
      stampFile: `${folder}.stamp`,
      stamp: `${RELEASE.tag} ${fingerprint([PROJECT])} ${libraries}`,
      outputs: [program],
      // make finds what has changed
      force: variant !== undefined,
    },
    async () => {
      checkCompilers();
      await unpackSource();
      variant?.prepare(source);
      console.log(`build-llama-server: compiling build/${name}; the first time this takes some minutes`);
      const options = {
        CMAKE_BUILD_TYPE: "Release",
        CMAKE_CXX_FLAGS_RELEASE: "-O2 -DNDEBUG",
        LLAMA_SOURCE: source,
        LLAMA_LIBRARIES: libraries,
        LLAMA_NAME: llama,
        GGML_NAME: ggml,
        ...variant?.definitions,
      };
      const definitions = Object.entries(options).map(([key, value]) => `-D${key}=${value}`);
      await run("cmake", ["-S", join(root, PROJECT), "-B", folder, ...definitions]);
      await run("cmake", ["--build", folder, "--parallel", `${jobs}`], { stdio: "inherit" });
    },
  );
  console.log(`build-llama-server: ${made ? `built build/${name}/llama-server` : "up to date"}`);
  return program;
}
