/** The list at the end of `npm test` of tests that failed. */
import { expect, test } from "@jest/globals";
import { failedTests } from "../../tools/lib/failed.js";

test("each failed test is a line, and so is a file that could not run", () => {
  const of = (title: string, status: string, ...ancestorTitles: string[]) => ({ ancestorTitles, title, status });
  const files = [
    { name: "/x/test/a.test.ts", status: "passed", message: "", assertionResults: [of("passes", "passed")] },
    {
      name: "/x/test/b.test.ts",
      status: "failed",
      message: "long",
      assertionResults: [of("fails", "failed", "a group", "in it"), of("passes", "passed"), of("alone", "failed")],
    },
    { name: "/x/test/c.test.ts", status: "failed", message: "\nno module\nmore", assertionResults: [] },
  ];
  expect(failedTests(files, "/x")).toEqual([
    "test/b.test.ts: a group > in it > fails",
    "test/b.test.ts: alone",
    "test/c.test.ts: no module",
  ]);
});
