/**
 * Builds the packages with a prebuilt addon in build/platforms: `npm run build:platforms`. Needs Debian's g++-aarch64-linux-gnu for
 * linux-arm64 on x64. Addons for musl, macOS and Windows are built on those platforms (.github/workflows/release.yml).
 *
 *     PLATFORM...  only these, e.g. linux-x64
 *     --check      only this machine's, if it is one of them; the others too if GGSL_NEED_QEMU=1
 */
import { readArguments } from "./lib/arguments.js";
import { buildPlatform, canBuild, isCrossBuilt, isHere, isPlatform, PLATFORM_NAMES } from "./lib/platforms.js";
import { ToolError } from "./lib/process.js";
import { skippedLine } from "./lib/skipped.js";

export async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments("npm run build:platforms -- [--check] [PLATFORM...]", {
    args,
    options: { check: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const unknown = positionals.find((name) => !isPlatform(name));
  if (unknown !== undefined)
    throw new ToolError(`build:platforms: expected ${PLATFORM_NAMES.join(" or ")}, found "${unknown}"`);
  const names = positionals.filter(isPlatform);
  for (const name of names.length === 0 ? PLATFORM_NAMES : names) {
    if (names.length === 0 && !isCrossBuilt(name) && !(await canBuild(name)))
      console.log(`build:platforms: ${name} is built on that platform only`);
    else if (values.check && process.env["GGSL_NEED_QEMU"] !== "1" && !isHere(name))
      console.log(skippedLine(`the package for ${name}`, "a cross compiler: npm run check:arm64"));
    else await buildPlatform(name);
  }
}
