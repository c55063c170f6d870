/**
 * The binary interface of libggsl: its functions, the sizes of its structs, and what it needs of llama.cpp. test/c/abi.txt lists them;
 * GGSL_BLESS=1 rewrites it. What is in the list already stays as it is until GGSL_ABI_VERSION is raised.
 */
import { expect, test } from "@jest/globals";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkLlama } from "../../tools/build-native.js";
import { linkedHere } from "../../tools/lib/platforms.js";
import { HEADER, LIBRARY, LLAMA_HEADERS, outputOf, runC } from "./programs.js";
import { withTool } from "./tools.js";

const LIST = "test/c/abi.txt";
const header = readFileSync(HEADER, "utf8");
const code = header.replace(/\/\*[^]*?\*\//g, "");
const { libraries } = checkLlama();

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

/** The names in a table of symbols, without their versions. */
const symbols = (file: string, ...options: readonly string[]): string[] =>
  sorted(
    outputOf("nm", ["-D", ...options, file])
      .split("\n")
      .flatMap((line) => line.trim().split(" ").at(-1)!.split("@")[0] || []),
  );

const exported = symbols(LIBRARY, "--defined-only");
const llamaSymbols = sorted(
  Object.values(linkedHere()).flatMap((name) => symbols(join(libraries, name), "--defined-only")),
);
const undefinedSymbols = sorted(
  outputOf("nm", ["-D", "--undefined-only", LIBRARY])
    .split("\n")
    .flatMap((line) => (/^\s+U (\S+?)(?:@|$)/.exec(line) ?? []).slice(1)),
);
const needed = [...outputOf("readelf", ["-d", LIBRARY]).matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name]) => name!);

/** `struct ggsl_part`: its members. */
const structs = [...code.matchAll(/^struct (\w+) \{([^}]*)\}/gm)].map(([, name, body]) => ({
  name: name!,
  members: [...body!.matchAll(/(\w+);/g)].map(([, member]) => member!),
}));
const enums = [...code.matchAll(/^enum \w+ \{([^}]*)\}/gm)].flatMap(([, body]) =>
  [...body!.matchAll(/\b(GGSL_\w+)/g)].map(([, name]) => name!),
);

/** Sizes of structs, places of their members, values of enumerators. */
function layout(): string[] {
  const prints = structs.flatMap(({ name, members }) => [
    `printf("sizeof struct ${name} %zu\\n", sizeof(struct ${name}));`,
    ...members.map((m) => `printf("offsetof ${name}.${m} %zu\\n", offsetof(struct ${name}, ${m}));`),
  ]);
  const values = enums.map((name) => `printf("${name} %d\\n", ${name});`);
  const body = [...prints, ...values, 'printf("GGSL_ABI_VERSION %d\\n", GGSL_ABI_VERSION);'].join("\n");
  const source = `#include <ggsl.h>\n#include <stdio.h>\nint main(void) {\n${body}\nreturn 0;\n}\n`;
  return runC(source, `-I${dirname(HEADER)}`)
    .trim()
    .split("\n");
}

test("the header has what the list names", () => {
  expect(structs.map(({ name }) => name)).toEqual(expect.arrayContaining(["ggsl_part", "ggsl_cost"]));
  expect(structs.every(({ members }) => members[0] === "size" && members.length > 3)).toBe(true);
  expect(enums.length).toBeGreaterThan(10);
});

test("functions and layouts are those of the list", () => {
  const ofLlama = undefinedSymbols.filter((name) => llamaSymbols.includes(name)).map((name) => `needs ${name}`);
  const found = [...exported.map((name) => `exports ${name}`), ...ofLlama, ...layout()].join("\n") + "\n";
  if (process.env["GGSL_BLESS"] === "1") writeFileSync(LIST, found);
  expect(found).toBe(readFileSync(LIST, "utf8"));
});

test("every function of the header is exported, and nothing else", () => {
  const declared = [...code.matchAll(/^GGSL_API [^;]*?\b(ggsl_\w+)\(/gm)].map(([, name]) => name!);
  expect(declared.length).toBeGreaterThan(20);
  expect(exported).toEqual(sorted(declared));
});

test("the program brings llama.cpp: no library of it is named", () => {
  expect(needed).toContain("libc.so.6");
  expect(needed.filter((name) => /llama|ggml/.test(name))).toEqual([]);
  expect(outputOf("readelf", ["-d", LIBRARY])).toMatch(/SONAME.*\[libggsl\.so\.1\]/);
  expect(outputOf("readelf", ["-d", LIBRARY])).not.toMatch(/RUNPATH|RPATH/);
});

test("what is undefined is llama.cpp's or the system's", () => {
  // the linker does not tell, since it ignores what is not resolved
  const folders = [
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
    `/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu`,
  ];
  const system = needed.flatMap((name) => {
    const folder = folders.find((f) => existsSync(join(f, name)));
    if (folder === undefined) throw new Error(`expected ${name} in ${folders.join(", ")}, found none`);
    return symbols(join(folder, name), "--defined-only");
  });
  const known = new Set([...system, ...llamaSymbols]);
  expect(undefinedSymbols.filter((name) => !known.has(name))).toEqual([]);
});

withTool("python3", () => {
  test("the structs of examples/embed/python are those of the headers", () => {
    const pairs = { ModelParams: "llama_model_params", ContextParams: "llama_context_params", Batch: "llama_batch" };
    const others = { SamplerSeqConfig: "llama_sampler_seq_config", SamplerChainParams: "llama_sampler_chain_params" };
    const all = Object.entries({ ...pairs, ...others });
    const script = (module: string, names: readonly string[]): string =>
      `import ctypes, ${module}\nfor n in ${JSON.stringify(names)}:\n  s = getattr(${module}, n)\n` +
      `  print(ctypes.sizeof(s), *[f"{f[0]}@{getattr(s, f[0]).offset}" for f in s._fields_])`;
    const python = (module: string, names: readonly string[]): string =>
      outputOf("python3", ["-c", script(module, names)], { env: { PYTHONPATH: "examples/embed/python" } });
    const found = python("llama", Object.keys({ ...pairs, ...others })) + python("ggsl", ["Part"]);
    const expected = [...all.map(([, name]) => name), "ggsl_part"].map((name, i) => {
      const members = [...found.split("\n")[i]!.matchAll(/ (\w+)@/g)].map(([, member]) => member!);
      const offsets = members.map((m) => `printf(" ${m}@%zu", offsetof(struct ${name}, ${m}));`).join("\n");
      return `printf("%zu", sizeof(struct ${name}));\n${offsets}\nputs("");`;
    });
    // llama.h is no C99
    const include = "#include <llama.h>\n#include <ggsl.h>\n#include <stdio.h>\n#include <stddef.h>\n";
    const options = ["-std=gnu11", `-I${dirname(HEADER)}`, ...LLAMA_HEADERS.flatMap((path) => ["-isystem", path])];
    expect(runC(`${include}int main(void) {\n${expected.join("\n")}\nreturn 0;\n}\n`, ...options)).toBe(found);
  });
});
