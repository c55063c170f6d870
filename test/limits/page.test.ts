/** The table of limits in docs/security.md. */
import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { LIMIT_PRESETS } from "../../compiler/limits/limits.js";

test("docs/security.md lists the presets", () => {
  const rows = [...readFileSync("docs/security.md", "utf8").matchAll(/^\| `(\w+)` \| (\d+) \| (\d+) \| /gm)];
  const listed = (column: number): Record<string, number> =>
    Object.fromEntries(rows.map((row) => [row[1]!, Number(row[column])]));
  expect(listed(2)).toEqual(LIMIT_PRESETS.default);
  expect(listed(3)).toEqual(LIMIT_PRESETS.strict);
});
