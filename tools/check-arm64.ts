/**
 * `npm run check:arm64`: on x64, builds the package for linux-arm64 with Debian's cross compiler, and runs its tests in qemu: what is
 * in it, the command line, and 20 cases beside those of this processor. `npm test` has those of this machine's package.
 */
import { jest } from "./jest.js";

export const main = (): Promise<number> =>
  jest(["test/install/packages", "test/install/arm64"], { env: { GGSL_NEED_QEMU: "1" } });
