/** Stored trees equal the parser's. */
import { expect, test } from "@jest/globals";
import { STD_NAMES, stdFile, stdSource } from "../../compiler/std/library.js";
import { parse } from "../../compiler/syntax/parse.js";
import { readTree, writeTree } from "../../compiler/syntax/stored.js";
import { readSource } from "./corpus.js";

test.each([...STD_NAMES])("the stored tree of %s equals that of its source", (name) => {
  const source = stdSource(name)!;
  const { file, diagnostics } = parse(source);
  expect(diagnostics).toEqual([]);
  expect(stdFile(source)).toEqual(file);
  expect(file.declarations.length).toBeGreaterThan(0);
});

test("a copy of a library source has no stored tree", () => {
  expect(stdFile({ ...stdSource("top_k")! })).toBeUndefined();
  expect(stdSource("constructor")).toBeUndefined();
});

test("every kind of node round-trips, with infinities, strings and spans", () => {
  const files = [
    "examples/creative.ggsl",
    "compiler/std/adaptive_p.ggsl",
    "compiler/std/dry.ggsl",
    "test/vulkan/functions.ggsl",
  ];
  const own = { name: "own.ggsl", text: 'sampler a(x: f32 in [0, inf] = inf, t: text = "inf") { keep p > -inf }\n' };
  for (const source of [...files.map(readSource), own]) {
    const { declarations } = parse(source).file;
    expect(readTree(writeTree(declarations), source)).toEqual(declarations);
  }
});
