/** ggml's RPC backend, which is built in a checkout. */
import { InputError } from "../errors.js";
import { nodeModule } from "../node.js";
import { loadBinding } from "../native/loader.js";
import { backendFile } from "../platforms.js";
import { buildFolder } from "../root.js";

/** Its path: the one that GGSL_RPC names, or the checkout's. Throws `InputError` (NO_DEVICE, NATIVE_UNAVAILABLE). */
export function rpcLibrary(): string {
  loadBinding();
  const [fs, path] = [nodeModule("node:fs")!, nodeModule("node:path")!];
  const given = process.env["GGSL_RPC"];
  const folder = buildFolder();
  const library = given ? path.resolve(given) : folder && path.join(folder, "rpc", backendFile("rpc"));
  if (library !== undefined && fs.existsSync(library)) return library;
  throw new InputError(
    `ggml's RPC backend is not there: ${library ?? "it is in no package"}\nTo fix it:\n  1. in a checkout of the project: npm run build:native -- --rpc   # writes build/rpc/${backendFile("rpc")}\n  2. elsewhere: GGSL_RPC=PATH, the path of that file`,
    { code: "NO_DEVICE" },
  );
}
