/** ggml's RPC backend, which is in the package of the addon, for some platforms. */
import { InputError } from "../../core/errors.js";
import { nodeModule } from "../../core/node.js";
import { loadBinding } from "../native/loader.js";
import { backendFile } from "../../core/platforms.js";
import { addonPath, buildFolder } from "../../core/root.js";

/** Its path: the one that GGSL_RPC names, the checkout's, or that next to the addon. Throws `InputError` (NO_DEVICE, NATIVE_UNAVAILABLE). */
export function rpcLibrary(): string {
  loadBinding();
  const [fs, path] = [nodeModule("node:fs")!, nodeModule("node:path")!];
  const given = process.env["GGSL_RPC"];
  const [folder, file] = [buildFolder(), backendFile("rpc")];
  const library = given
    ? path.resolve(given)
    : folder === undefined
      ? path.join(path.dirname(addonPath()!), file)
      : path.join(folder, "rpc", file);
  if (fs.existsSync(library)) return library;
  throw new InputError(
    `ggml's RPC backend is not there: ${library}\nTo fix it:\n  1. in a checkout of the project: npm run build:native -- --rpc   # writes build/rpc/${backendFile("rpc")}\n  2. elsewhere: the packages of the addon for Linux with glibc have it; for another platform GGSL_RPC=PATH, the path of that file`,
    { code: "NO_DEVICE" },
  );
}
