/** The packages with addons: what is in them, and that the addons run wherever llama.cpp's prebuilt libraries do. */
import { beforeAll, expect, test } from "@jest/globals";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RELEASE } from "@ggsl/compiler/llama/release.js";
import {
  buildPlatform,
  canBuild,
  isCrossBuilt,
  isHere,
  neededFor,
  PLATFORM_NAMES,
  type PlatformName,
} from "../../tools/lib/platforms.js";
import { isSet, needing, type Need } from "../needs.js";

const readelf = (...args: string[]): string => execFileSync("readelf", ["-W", ...args], { encoding: "utf8" });

/** The newest version of each family of symbols that a library needs, such as GLIBC 2.34. */
function needs(file: string): Map<string, number[]> {
  const newest = new Map<string, number[]>();
  const [, needed = ""] = readelf("-V", file).split("Version needs section");
  for (const [, family, text] of needed.matchAll(/Name: ([A-Z]+)_([\d.]+)/g)) {
    const version = text!.split(".").map(Number);
    if (isNewer(version, newest.get(family!) ?? [])) newest.set(family!, version);
  }
  return newest;
}

function isNewer(a: readonly number[], b: readonly number[]): boolean {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    if (x !== y) return x > y;
  }
  return false;
}

const here = await Promise.all(PLATFORM_NAMES.map(canBuild));
const NAMES = PLATFORM_NAMES.filter((name, i) => here[i] || isCrossBuilt(name));

/** Compiling for another processor takes long. */
const CROSS = ["a cross compiler", "npm run check:arm64"];

for (const name of NAMES) {
  const isAsked = isSet("GGSL_NEED_QEMU");
  const [what, fix] = isHere(name) || isAsked ? neededFor(name).split(": ") : CROSS;
  const isThere = here[PLATFORM_NAMES.indexOf(name)]! && (isHere(name) || isAsked);
  const compiler: Need = { what: what!, isThere, fix: fix!, isRequired: isAsked };
  needing(compiler).describe(name, () => testPackage(name));
}

function testPackage(name: PlatformName): void {
  let folder: string;
  beforeAll(async () => void (folder = await buildPlatform(name)), 600_000);

  test("names its platform and the pinned llama.cpp", () => {
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as object;
    const { version } = JSON.parse(readFileSync("runtime/package.json", "utf8")) as { version: string };
    expect(manifest).toMatchObject({
      name: `@ggsl/${name}`,
      version,
      license: "MIT",
      main: "ggsl.node",
      files: ["ggsl.node", "libggml-rpc.so"],
      os: ["linux"],
      cpu: [name.split("-")[1]],
      libc: ["glibc"],
      dependencies: { [`@node-llama-cpp/${name}`]: RELEASE.package },
    });
    expect(readdirSync(folder).sort()).toEqual(["LICENSE", "README.md", "ggsl.node", "libggml-rpc.so", "package.json"]);
  });

  test.each(["ggsl.node", "libggml-rpc.so"])("%s needs no newer symbols than libllama, and is stripped", (file) => {
    const addon = join(folder, file);
    const libraries = join("node_modules", "@node-llama-cpp", name, "bins", name);
    const allowed = needs(join(libraries, `libllama.${RELEASE.tag}.so`));
    expect(allowed.get("GLIBC")).toBeDefined();
    for (const [family, version] of needs(addon)) {
      // of 2007: libgcc beside any glibc that is new enough has it
      const most = family === "GCC" ? [4, 2, 0] : (allowed.get(family) ?? []);
      expect({ family, version, isNewer: isNewer(version, most) }).toEqual({ family, version, isNewer: false });
    }
    expect(readelf("-S", addon)).not.toMatch(/\.symtab|\.debug/);
  });

  test("its libraries are looked for relative to it", () => {
    const [, paths] = /\(RUNPATH\)\s+Library runpath: \[(.*)\]/.exec(readelf("-d", join(folder, "ggsl.node")))!;
    for (const path of paths!.split(":")) expect(path).toMatch(/^\$ORIGIN(\/|$)/);
    // npm, pnpm and Yarn put both packages into one folder
    expect(paths!.split(":")).toContain(`$ORIGIN/../../@node-llama-cpp/${name}/bins/${name}`);
  });
}
