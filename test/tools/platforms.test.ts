/** The table of platforms: its rows, what CMake is given for each, and the definitions of Windows' import libraries. */
import { describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { RELEASE } from "@ggsl/compiler/llama/release.js";
import {
  backendFile,
  infixOf,
  linkedFiles,
  PLATFORMS,
  platformName,
  type Platform,
} from "../../runtime/core/platforms.js";
import { checkLlama } from "../../tools/build-native.js";
import { definitionOf, exportsOf } from "../../tools/lib/dllExports.js";
import { cacheOf, isCrossBuilt, PLATFORM_NAMES } from "../../tools/lib/platforms.js";

const rows: Readonly<Record<string, Platform>> = PLATFORMS;
const { tag } = RELEASE;

// as the files in node-llama-cpp's packages are named
test.each([
  ["linux-x64", [`libllama.${tag}.so`, `libggml.${tag}.so`, "libggml-base.so"], "libggml-cpu-haswell.so"],
  ["linux-arm64", [`libllama.${tag}.so`, `libggml.${tag}.so`, "libggml-base.so"], "libggml-cpu-haswell.so"],
  ["linux-x64-musl", ["libllama.so", "libggml.so", "libggml-base.so"], "libggml-cpu-haswell.so"],
  [
    "darwin-arm64",
    [`libllama.metal.${tag}.dylib`, `libggml.metal.${tag}.dylib`, "libggml-base.dylib"],
    "libggml-cpu-haswell.so",
  ],
  ["win32-x64", [`llama.${tag}.dll`, `ggml.${tag}.dll`, "ggml-base.dll"], "ggml-cpu-haswell.dll"],
])("%s: names of libraries", (name, files, backend) => {
  const row = rows[name]!;
  expect(Object.values(linkedFiles(row, tag))).toEqual(files);
  expect(backendFile("cpu-haswell", row.os)).toBe(backend);
});

test("this platform has a row, and the rows are named as the platforms are", () => {
  expect(PLATFORM_NAMES).toContain(platformName());
  for (const [name, { os, cpu, libc }] of Object.entries(rows))
    expect(name).toBe(`${os}-${cpu}${libc === "musl" ? "-musl" : ""}`);
});

test.each(PLATFORM_NAMES)("%s: every definition for CMake is one of native/CMakeLists.txt, or of CMake", (name) => {
  const { libraries } = isCrossBuilt(name) ? checkLlama(name) : { libraries: "libraries" };
  const cache = cacheOf(name, libraries, "build");
  expect(cache).toMatchObject({
    LLAMA_INFIX: infixOf(rows[name]!, tag),
    GGSL_LLAMA_PACKAGE: rows[name]!.llama ?? "",
    LLAMA_LIBRARIES: libraries,
  });
  const text = readFileSync("native/CMakeLists.txt", "utf8");
  for (const key of Object.keys(cache).filter((each) => !each.startsWith("CMAKE_") || each === "CMAKE_JS_INC"))
    expect([key, text.includes(`\${${key}}`) || text.includes(` ${key})`)]).toEqual([key, true]);
  expect("LLAMA_DEFINITIONS" in cache).toBe(rows[name]!.os === "win32");
});

/** A DLL with these exports, in one section, as a linker writes it. */
function dll(names: readonly string[]): Buffer {
  const [header, raw, address] = [0x80, 0x200, 0x1000];
  const file = Buffer.alloc(0x1000);
  file.write("MZ", 0, "latin1");
  file.writeUInt32LE(header, 0x3c);
  file.write("PE\0\0", header, "latin1");
  file.writeUInt16LE(1, header + 6); // sections
  file.writeUInt16LE(240, header + 20); // size of the optional header
  file.writeUInt16LE(0x20b, header + 24); // 64-bit
  file.writeUInt32LE(address, header + 24 + 112); // the export table
  const section = header + 24 + 240;
  [0x800, address, 0x800, raw].forEach((value, i) => file.writeUInt32LE(value, section + 8 + 4 * i));
  file.writeUInt32LE(names.length, raw + 24);
  file.writeUInt32LE(address + 0x40, raw + 32);
  let at = 0x100;
  names.forEach((name, i) => {
    file.writeUInt32LE(address + at, raw + 0x40 + 4 * i);
    file.write(`${name}\0`, raw + at, "latin1");
    at += name.length + 1;
  });
  return file;
}

describe("exports of a DLL", () => {
  const names = ["??0llama_grammar_parser@@QEAA@PEBUllama_vocab@@@Z", "ggml_abs", "llama_decode"];

  test("are read by their names", () => {
    expect(exportsOf(dll(names))).toEqual(names);
    expect(exportsOf(dll([]))).toEqual([]);
  });

  test("are what a definition file lists", () => {
    expect(definitionOf("llama.dll", names.slice(1))).toBe(
      'LIBRARY "llama.dll"\nEXPORTS\n  ggml_abs\n  llama_decode\n',
    );
  });

  test.each([
    ["a text", Buffer.from("no DLL")],
    ["an ELF file", Buffer.from("\x7fELF".padEnd(100, "\0"), "latin1")],
    ["a cut one", dll(["a"]).subarray(0, 0x82)],
  ])("%s is refused", (_, file) => expect(() => exportsOf(file)).toThrow("expected a PE file"));
});
