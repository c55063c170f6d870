/** The list at the end of `npm test`: each thing that was missing once, with how to get it. */
import { expect, test } from "@jest/globals";
import { skippedLine, skippedParts, skippedTests, skippedTitle } from "../../tools/lib/skipped.js";

const [BROWSER, MODULE] = ["Chromium: apt-get install chromium", "a module: npm run build:wasm -- --llama"];

test("tests are counted by what they need, with those in a group that needs it", () => {
  const group = skippedTitle("the page", [BROWSER]);
  const of = (titles: readonly string[], title: string, status = "pending") => ({
    ancestorTitles: titles,
    title,
    status,
  });
  const files = [
    {
      name: "/x/test/a.test.ts",
      assertionResults: [of([group], "opens"), of([group], skippedTitle("writes", [MODULE]))],
    },
    {
      name: "/x/test/b.test.ts",
      assertionResults: [
        of([], skippedTitle("both", [BROWSER, MODULE])),
        of([], "passes", "passed"),
        of(["here"], "by hand"),
        of([], skippedTitle("ran", [MODULE]), "failed"),
      ],
    },
  ];
  expect(skippedTests(files, "/x")).toEqual([
    `3 tests, which need ${BROWSER}`,
    `2 tests, which need ${MODULE}`,
    "test/b.test.ts: here > by hand",
  ]);
  expect(skippedTests([{ name: "a", assertionResults: [of([group], "opens")] }], "/x")).toEqual([
    `1 test, which needs ${BROWSER}`,
  ]);
  expect(skippedTests([], "/x")).toEqual([]);
});

test("checks say it in a line", () => {
  const line = skippedLine("the format of C++", "clang-format 19: apt-get install clang-format-19");
  expect(skippedParts(`first\n${line}\nnot skipped: this\n`)).toEqual([
    "the format of C++, which needs clang-format 19: apt-get install clang-format-19",
  ]);
});
