/** Warnings of code without effect and of unsorted rows are given where they are due, and nowhere else. */
import { describe, expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importerFor } from "../../cli/files.js";
import { check } from "../../compiler/check/check.js";
import { quickFix } from "../../compiler/check/fixes.js";
import { checkProgram } from "../../compiler/driver.js";
import { launches } from "../../compiler/graph/ops.js";
import { compile } from "../../runtime/chain/chain.js";

const codesOf = (text: string, files: Readonly<Record<string, string>> = {}): string[] =>
  checkProgram(
    { name: "main.ggsl", text },
    {
      importer: (path) => {
        const name = path.replace("./", "");
        return files[name] === undefined ? undefined : { name, text: files[name] };
      },
    },
  ).map((d) => d.code);

const PROGRAMS = ["compiler/std", "examples", "bench", "test/import/files"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ggsl"))
    .map((name) => join(folder, name)),
);

test("the programs of this repository give no such warning", () => {
  expect(PROGRAMS.length).toBeGreaterThan(60);
  const found = PROGRAMS.flatMap((name) =>
    checkProgram({ name, text: readFileSync(name, "utf8") }, { importer: importerFor(name, ".") })
      .filter((d) => /^E|^W0109$|^W0301$|^W050[5-8]$/.test(d.code))
      .map((d) => `${name}: ${d.code} ${d.message}`),
  );
  expect(found).toEqual([]);
});

describe("an input that nothing uses", () => {
  const lib = "input green: f32\nsampler other() { keep prob > 0.1 }\n";
  const user = "sampler s() { logit += green }\n";

  test("is reported in the file that is checked", () => {
    expect(codesOf(lib)).toEqual(["W0506"]);
    expect(codesOf(`input green: f32\n${user}`)).toEqual([]);
  });

  test("is not reported in a file of inputs, nor in an imported one", () => {
    expect(codesOf("input green: f32\n")).toEqual([]);
    expect(codesOf('import { other } from "./lib.ggsl"\nchain c = other()\n', { "lib.ggsl": lib })).toEqual([]);
    expect(codesOf(`import { green } from "./lib.ggsl"\n${user}`, { "lib.ggsl": lib })).toEqual([]);
  });

  test("is not reported beside an error, where its use may be", () => {
    expect(codesOf("input green: f32\nsampler s() { logit += gren }\n")).toEqual(["E0201"]);
    expect(codesOf("input green: f32\nsampler s() { logit + green }\nsampler t() { keep prob > 0.1 }\n")).toEqual([
      "E0101",
    ]);
  });
});

test("a `let` that only another one uses is used", () => {
  expect(codesOf("sampler s() { let a = prob  let b = a  keep b > 0.1 }")).toEqual([]);
  expect(codesOf("sampler s() { let a = prob  let b = a  keep prob > 0.1 }")).toEqual(["W0505"]);
});

describe("order", () => {
  const after = (body: string): number => {
    const { graph } = compile(`import { top_k } from "std"\nsampler s() { ${body} }\nchain c = top_k(9) |> s()`);
    return graph.nodes.filter(launches).length;
  };

  test("a sort of rows that a stage before has sorted costs nothing", () => {
    expect(after("sort  keep prob > 0.1")).toBe(after("keep prob > 0.1"));
    expect(after("sort  keep cumsum(prob) < 0.5")).toBe(after("keep cumsum(prob) < 0.5"));
  });

  test.each([
    ["keep rank < 3", ["E0310"]],
    ["let r = rank  sort  keep r < 3", ["E0310"]],
    ["sort  keep rank < 3", []],
    ["top 5  let r = rank  logit = 0 keep r < 3", []],
    ["keep cumsum(prob) < 0.9", ["W0301"]],
    ["keep cumsum(prob > 0.1 ? 1 : 0) < 3", []],
    ["keep cumsum(0.5) < 3", []],
    ["sort by token  keep cumsum(prob) < 0.9", []],
  ])("%s: %j", (body, codes) => {
    expect(codesOf(`sampler s() { ${body} }\nchain c = s()`)).toEqual(codes);
  });
});

describe("a comment that looks like a division", () => {
  const program = (line: string): string =>
    `const size = 64\nsampler s(k: i32 = 8) {\n  let half = k / 2\n  ${line}\n  logit = size * half\n}\nchain c = s()\n`;

  test.each([
    ["let x = k // 2", "let x = floor(k / 2)"],
    ["let x = 1 + k // 2", "let x = 1 + floor(k / 2)"],
    ["let x = k * n // half", "let x = floor(k * n / half)"],
    ["let x = -k // half * 2 // why", "let x = floor(-k / half) * 2 // why"],
    ["let x = (k + 1)  //size", "let x = floor((k + 1) / size)"],
    ["let x = ( (k + 1) ) // (size - 1)", "let x = floor(( (k + 1) ) / (size - 1))"],
    ["let x = max(prob) // max(k, 1)", "let x = floor(max(prob) / max(k, 1))"],
    ["let x = sum i in 1..4: i * k // 1e3", "let x = sum i in 1..4: floor(i * k / 1e3)"],
    ["keep rank < n // 2", "keep rank < floor(n / 2)"],
    ["logit = max(prob // 2\n  , 1)", "logit = max(floor(prob / 2)\n  , 1)"],
  ])("%s: %s", (line, meant) => {
    const source = { name: "main.ggsl", text: program(`sort  ${line}`) };
    const { module, diagnostics } = check(source);
    const found = diagnostics.filter(({ code }) => code === "W0109");
    expect(found).toHaveLength(1);
    const fixed = quickFix(module.file, found[0]!)!.edits.reduce(
      (text, { span, text: by }) => text.slice(0, span.start) + by + text.slice(span.end),
      source.text,
    );
    expect(fixed).toBe(program(`sort  ${meant}`));
    expect(codesOf(fixed).filter((code) => /^E|W0109/.test(code))).toEqual([]);
  });

  test.each([
    "let x = k // half of the rows",
    "let x = k // 2 rows",
    "let x = k // other",
    "let x = 64 / 2 // 32",
    "let x = k // = 2",
    "let x = k // -2",
    "let x = k /// 2",
    "let x = k\n  // 2",
    "sort // 2",
    'let t = token in tokens("a // 2") ? 1 : 0',
    "/* k // 2 */",
    "// k // 2",
  ])("%s: none", (line) => {
    expect(codesOf(program(line))).not.toContain("W0109");
  });

  test("that has taken the closing bracket has its help", () => {
    const text = program("logit = max(prob // 2, 1)");
    const [fault] = checkProgram({ name: "main.ggsl", text });
    expect([fault!.code, fault!.help]).toEqual(["E0101", "`//` begins a comment; write `floor(a / b)`"]);
  });
});
