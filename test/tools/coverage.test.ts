/** The tables of `npm run coverage`. */
import { expect, test } from "@jest/globals";
import { coverageOf, markdown } from "../../tools/lib/coverageTable.js";

const FILES = new Map([
  ["server/a.ts", { s: { 0: 2, 1: 0, 2: 1, 3: 1, 4: 9 }, b: { 0: [1, 0], 1: [3] } }],
  ["compiler/graph/c.ts", { s: { 0: 0 }, b: {} }],
  ["compiler/b.ts", { s: { 0: 1, 1: 1, 2: 1 }, b: { 0: [1, 2, 1, 4, 0] } }],
]);

test("packages, and the folders with less than 80 % of lines or branches", () => {
  expect(markdown(coverageOf(FILES)).split("\n")).toEqual([
    "| package | files | lines | branches |",
    "| --- | --- | --- | --- |",
    "| `compiler/` | 2 | 75.0 % | 80.0 % |",
    "| `server/` | 1 | 80.0 % | 66.7 % |",
    "",
    "| folder | files | lines | branches |",
    "| --- | --- | --- | --- |",
    "| `compiler/graph/` | 1 | 0.0 % | 100.0 % |",
    "| `server/` | 1 | 80.0 % | 66.7 % |",
  ]);
});

test("there is no second table where all have that", () => {
  expect(markdown(coverageOf(new Map([["a/b.ts", { s: { 0: 1 }, b: {} }]])))).not.toContain("folder");
});
