/** What it costs to read a source is bounded, and counted: the same source is refused on every machine. */
import { expect, test } from "@jest/globals";
import { GRAMMAR_LIMITS } from "../../runtime/grammars/limits.js";
import { tableOfSource } from "../../runtime/grammars/rulesOf.js";
import type { GrammarSource } from "../../runtime/grammars/types.js";
import { counted, ENDLESS, TOO_MANY_STEPS } from "./hostile.js";

test.each(Object.entries(TOO_MANY_STEPS))("%s", (_, source) => {
  expect(() => tableOfSource(source)).toThrow(
    expect.objectContaining({
      code: "LIMIT_EXCEEDED",
      message: expect.stringContaining(`takes more than ${GRAMMAR_LIMITS.steps} steps to write: use fewer`) as unknown,
    }),
  );
});

test("a schema whose values are compared without end has none", () => {
  expect(() => tableOfSource(ENDLESS)).toThrow(
    expect.objectContaining({ message: expect.stringContaining("no value is valid") as unknown }),
  );
});

test.each<[string, GrammarSource]>([
  ["40 properties, of which 20 must be there", { jsonSchema: counted(40) }],
  ["5000 values", { jsonSchema: { enum: Array.from({ length: 5000 }, (_, i) => `value ${(i * 7919) % 19_000}`) } }],
  ["19 000 choices", { choices: Array.from({ length: 19_000 }, (_, i) => `choice ${(i * 7919) % 19_000}`) }],
  ["a text of 256 KiB", { gbnf: `root ::= "${"x".repeat(260_000)}"` }],
  ["3900 rules that each name the next", chain(3900)],
])("within the budget: %s", (_, source) => {
  expect(tableOfSource(source).words.length).toBeGreaterThan(0);
});

function chain(length: number): GrammarSource {
  const rule = (i: number): string => `${i > 0 ? `r${i}` : "root"} ::= ${i < length - 1 ? `r${i + 1}` : '"a"'}`;
  return { gbnf: Array.from({ length }, (_, i) => rule(i)).join("\n") };
}
