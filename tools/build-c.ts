/**
 * `npm run build:c`: the C library as other programs install it, in build/c: headers, libggsl.so and libggsl.a, a pkg-config file and a
 * CMake package. The folder can be moved.
 */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { buildLibrary } from "./build-native.js";
import { manifestOf } from "./lib/packages.js";
import { root, run } from "./lib/process.js";
import { fingerprint, once } from "./lib/stamp.js";

export const C_PREFIX = join(root, "build", "c");

export async function main(): Promise<void> {
  console.log(`build:c: ${(await buildC()) ? "built build/c" : "up to date"}`);
}

/** Builds build/c unless it is up to date. Returns whether it was built. */
export const buildC = (): Promise<boolean> =>
  once(
    {
      stampFile: `${C_PREFIX}.stamp`,
      stamp: fingerprint(["native", "runtime/package.json", "tools/build-native.ts", "tools/build-c.ts"]),
      outputs: [join(C_PREFIX, "lib", "libggsl.so")],
    },
    async () => {
      await buildLibrary();
      rmSync(C_PREFIX, { recursive: true, force: true });
      const options = ["--component", "c", "--prefix", C_PREFIX, "--strip"];
      await run("cmake", ["--install", join(root, "build", "cmake"), ...options]);
    },
  );

/** Writes a tarball of build/c, which is built, into a folder. Returns its path. */
export function packC(to: string): string {
  const name = `libggsl-${manifestOf("runtime").version}-linux-${process.arch}`;
  const path = join(to, `${name}.tar.gz`);
  const owner = ["--owner=0", "--group=0", "--numeric-owner", "--sort=name"];
  execFileSync("tar", ["-czf", path, ...owner, `--transform=s,^\\.,${name},`, "-C", C_PREFIX, "."]);
  return path;
}
