/**
 * Builds ggml's RPC backend, which no package has, from the bundle's source: `npm run build:native -- --rpc`, part of
 * tools/build-native.ts. Two files, without instructions of this machine alone; the result links to the prebuilt libggml-base.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "./process.js";
import { once } from "./stamp.js";

export interface RpcBuild {
  /** The folder of llama.cpp's source, of the release `tag`. */
  readonly source: string;
  readonly tag: string;
  /** The folder of the prebuilt libraries. */
  readonly libraries: string;
  readonly buildFolder: string;
  readonly force: boolean;
}

/** Builds the backend, unless it is up to date for this release. `prepare` runs before, for the source. */
export async function buildRpc(
  { source, tag, libraries, buildFolder, force }: RpcBuild,
  prepare: () => Promise<void>,
): Promise<void> {
  const folder = join(buildFolder, "rpc");
  const library = join(folder, "libggml-rpc.so");
  const ggml = join(source, "ggml");
  // as ggml's build defines them for a backend that is loaded at run time
  const defined = ["GGML_BACKEND_DL", "GGML_BACKEND_SHARED", "GGML_BACKEND_BUILD", "GGML_SHARED", "_GNU_SOURCE"];
  const args = [
    ...["-std=c++17", "-O2", "-DNDEBUG", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread"],
    ...defined.map((name) => `-D${name}`),
    ...[join(ggml, "include"), join(ggml, "src")].map((path) => `-I${path}`),
    ...["ggml-rpc.cpp", "transport.cpp"].map((name) => join(ggml, "src", "ggml-rpc", name)),
    ...[`-L${libraries}`, "-l:libggml-base.so", `-Wl,-rpath,${libraries}`, "-o", library],
  ];
  const stamp = `${tag} ${args.join(" ")}`;
  const made = await once({ stampFile: join(folder, "stamp"), stamp, outputs: [library], force }, async () => {
    await prepare();
    mkdirSync(folder, { recursive: true });
    await run("g++", args);
  });
  console.log(`build:native: ${made ? "built build/rpc/libggml-rpc.so" : "RPC backend up to date"}`);
}
