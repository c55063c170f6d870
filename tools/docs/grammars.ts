/** docs/grammars.md: what of the public test suite of JSON Schema is enforced, by keyword. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rulesOf } from "ggsl/grammars/rulesOf.js";
import { fill, table } from "../lib/markdown.js";
import { root } from "../lib/process.js";

interface Group {
  readonly keyword: string;
  readonly schema: object | boolean;
  readonly tests: readonly unknown[];
}

export function page(): string {
  const suite = JSON.parse(readFileSync(join(root, "test/grammars/suite/draft2020-12.json"), "utf8")) as Group[];
  const counts = new Map<string, { groups: number; values: number; refused: number }>();
  for (const { keyword, schema, tests } of suite) {
    const count = counts.get(keyword) ?? { groups: 0, values: 0, refused: 0 };
    counts.set(keyword, count);
    count.groups++;
    if (isEnforced(schema)) count.values += tests.length;
    else count.refused++;
  }
  const rows = [...counts].map(([keyword, { groups, values, refused }]) => [
    `\`${keyword}\``,
    `${groups}`,
    `${values}`,
    refused === 0 ? "" : `${refused}`,
  ]);
  return fill("grammars.md", { suite: table(["keyword", "schemas", "values", "refused"], rows) });
}

/** Also a schema without values, whose values are all invalid. */
function isEnforced(jsonSchema: object | boolean): boolean {
  try {
    rulesOf({ jsonSchema, others: "any" });
    return true;
  } catch (error) {
    return (error as Error).message.includes("no value is valid");
  }
}
