/** Compiles ggml's RPC backend, which node-llama-cpp has in no package, from the source of the release. */
import { join } from "node:path";
import { root, run } from "./process.js";

interface RpcBuild {
  /** The folder of llama.cpp's source. */
  readonly source: string;
  /** The folder of the prebuilt libraries, for the same platform as the compiler. */
  readonly libraries: string;
  readonly compiler: string;
  /** The file that is written. */
  readonly output: string;
}

/** Two files, without instructions of this machine alone. The result needs libggml-base, which the addon has loaded before. */
export async function compileRpc({ source, libraries, compiler, output }: RpcBuild): Promise<void> {
  const ggml = join(source, "ggml");
  // as ggml's build defines them for a backend that is loaded at run time
  const defined = ["GGML_BACKEND_DL", "GGML_BACKEND_SHARED", "GGML_BACKEND_BUILD", "GGML_SHARED", "_GNU_SOURCE"];
  await run(compiler, [
    ...["-std=c++17", "-O2", "-DNDEBUG", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread", "-s"],
    ...defined.map((name) => `-D${name}`),
    ...[join(ggml, "include"), join(ggml, "src")].map((path) => `-I${path}`),
    ...["ggml-rpc.cpp", "transport.cpp"].map((name) => join(ggml, "src", "ggml-rpc", name)),
    ...["-include", join(root, "native", "rpc", "libstdcxx.h")],
    ...[`-L${libraries}`, "-l:libggml-base.so", "-o", output],
  ]);
}
