/** build/c in a folder elsewhere, and the tarball that `npm run pack` makes of it: pkg-config and CMake find the library there. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { packC } from "../../tools/build-c.js";
import { checkLlama } from "../../tools/build-native.js";
import { linkedHere } from "../../tools/lib/platforms.js";
import { manifestOf } from "../../tools/lib/packages.js";
import { outputOf, PREFIX, program } from "./programs.js";
import { withTool } from "./tools.js";

const { version } = manifestOf("runtime");
const { libraries } = checkLlama();
/** llama.cpp's libraries, as the program that uses libggsl links them. */
const LLAMA = [...Object.values(linkedHere()).map((name) => join(libraries, name)), `-Wl,-rpath,${libraries}`];

const SOURCE = `#include <ggsl.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    puts(ggsl_version());
    if (ggsl_chain_load("{", 1) != NULL || strlen(ggsl_error()) == 0) return 1;
    puts(ggsl_error_code());
    return ggsl_abi_version() == GGSL_ABI_VERSION ? 0 : 1;
}
`;
const PRINTED = new RegExp(
  `^${version.replaceAll(".", "\\.")}, for llama\\.cpp v?[0-9.]+\n(?:INVALID_SPEC|INTERNAL)\n$`,
);

let folder: string;
const inside = (...names: string[]): string => join(folder, ...names);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-moved-"));
  cpSync(PREFIX, inside("moved"), { recursive: true, verbatimSymlinks: true });
  writeFileSync(inside("main.c"), SOURCE);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

withTool("pkg-config", () => {
  const pkgConfig = (...args: string[]): string[] =>
    outputOf("pkg-config", [...args, "ggsl"], { env: { PKG_CONFIG_PATH: inside("moved/lib/pkgconfig") } })
      .trim()
      .split(/\s+/);

  test("gives the version", () => {
    expect(pkgConfig("--modversion")).toEqual([version]);
  });

  test("gives the options of a program with the shared library", () => {
    const options = [...pkgConfig("--cflags", "--libs"), `-Wl,-rpath,${inside("moved/lib")}`];
    outputOf("gcc", [inside("main.c"), ...options, ...LLAMA, "-o", inside("shared")]);
    expect(outputOf(inside("shared"), [])).toMatch(PRINTED);
    expect(outputOf("ldd", [inside("shared")])).toContain(`libggsl.so.1 => ${inside("moved/lib/libggsl.so.1")}`);
  });

  test("gives the options of a program with the static library", () => {
    const options = pkgConfig("--cflags", "--libs", "--static").map((o) => (o === "-lggsl" ? "-l:libggsl.a" : o));
    outputOf("gcc", [inside("main.c"), ...options, ...LLAMA, "-o", inside("static")]);
    expect(outputOf(inside("static"), [])).toMatch(PRINTED);
    expect(outputOf("ldd", [inside("static")])).not.toContain("libggsl");
  });
});

describe("CMake", () => {
  const project = (...lines: string[]): string => {
    mkdirSync(inside("project"), { recursive: true });
    writeFileSync(
      inside("project/CMakeLists.txt"),
      ["cmake_minimum_required(VERSION 3.18)", "project(user C)", ...lines].join("\n"),
    );
    rmSync(inside("build"), { recursive: true, force: true });
    return inside("project");
  };
  const configure = (from: string): ReturnType<typeof program> =>
    program("cmake", ["-S", from, "-B", inside("build"), `-DCMAKE_PREFIX_PATH=${inside("moved")}`]);

  test("finds the package, with both libraries", () => {
    const link = (name: string, target: string): string =>
      `add_executable(${name} ../main.c)\ntarget_link_libraries(${name} PRIVATE ${target} ${LLAMA.join(" ")})`;
    const from = project(
      "find_package(ggsl 0.2 REQUIRED)",
      link("dynamic", "ggsl::ggsl"),
      link("fixed", "ggsl::static"),
    );
    expect(configure(from)).toMatchObject({ status: 0, stderr: "" });
    outputOf("cmake", ["--build", inside("build")]);
    for (const name of ["dynamic", "fixed"]) expect(outputOf(inside("build", name), [])).toMatch(PRINTED);
  });

  test("refuses another minor version", () => {
    const { status, stderr } = configure(project("find_package(ggsl 0.0 REQUIRED)"));
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/with requested\s+version\s+"0\.0"/);
  });
});

test("the tarball contains a folder of the version and platform", () => {
  const tarball = packC(inside());
  outputOf("tar", ["-xf", tarball, "-C", inside()]);
  const name = `libggsl-${version}-linux-${process.arch}`;
  expect(tarball).toBe(inside(`${name}.tar.gz`));
  expect(readdirSync(inside(name)).sort()).toEqual(["include", "lib", "share"]);
  expect(readdirSync(resolve(inside(name), "lib")).sort()).toEqual(
    ["cmake", "libggsl.a", "libggsl.so", "libggsl.so.1", "pkgconfig"].sort(),
  );
});
