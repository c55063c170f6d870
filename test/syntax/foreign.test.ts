/** Words of other languages are not words of this one, and what replaces them is. */
import { expect, test } from "@jest/globals";
import { FUNCTIONS as BUILTINS, findName } from "../../compiler/builtins/builtins.js";
import * as tables from "../../compiler/check/diagnostics/foreign.js";
import { STD_NAMES } from "../../compiler/std/library.js";
import { ggsl } from "../../compiler/syntax/ggsl.generated.js";
import { KEYWORDS } from "../../compiler/syntax/keywords.js";

const { FUNCTIONS, NAMES, STAGES, STATEMENTS, TYPES, OPERATORS, MARKS } = tables;
const isKeyword = (word: string): boolean => ggsl.match(word, "keyword").succeeded();

test("no foreign word is one of the language in that place", () => {
  expect(Object.keys(FUNCTIONS).filter((word) => Object.hasOwn(BUILTINS, word))).toEqual([]);
  expect(Object.keys(NAMES).filter((word) => findName(word) !== undefined)).toEqual([]);
  expect(Object.keys(STAGES).filter((word) => STD_NAMES.includes(word))).toEqual([]);
  const begins = ["declaration", "statement"];
  expect(Object.keys(STATEMENTS).filter((word) => begins.includes(KEYWORDS[word]?.group ?? ""))).toEqual([]);
  expect(Object.keys(TYPES).filter((word) => KEYWORDS[word]?.group === "type")).toEqual([]);
  const words = [FUNCTIONS, NAMES, STAGES, STATEMENTS].flatMap((table) => Object.keys(table));
  expect(words.filter(isKeyword)).toEqual([]);
});

test("what replaces a word is one of the language in that place", () => {
  const texts = (table: tables.ForeignTable): string[] => Object.values(table).flatMap(({ text }) => text ?? []);
  expect(texts(FUNCTIONS).filter((word) => !Object.hasOwn(BUILTINS, word))).toEqual([]);
  expect(texts(NAMES).filter((word) => findName(word) === undefined && !isKeyword(word))).toEqual([]);
  expect(texts(STAGES).filter((word) => !STD_NAMES.includes(word))).toEqual([]);
  expect(texts(TYPES).filter((word) => ggsl.match(word, "type").failed())).toEqual([]);
});

test("a longer mark comes before those that it contains", () => {
  const marks = Object.keys(MARKS);
  marks.forEach((mark, i) => expect(marks.slice(0, i).filter((earlier) => mark.includes(earlier))).toEqual([]));
  expect(Object.keys(OPERATORS)).toContain("AND");
});
