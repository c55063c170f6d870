/** What it costs to read a source is bounded, and counted: the same source is refused on every machine. */
import { expect, test } from "@jest/globals";
import { GRAMMAR_LIMITS } from "../../runtime/grammars/limits.js";
import { route } from "../../runtime/grammars/sources.js";
import type { GrammarSource } from "../../runtime/grammars/types.js";
import { counted, ENDLESS, TOO_MANY_STEPS } from "./hostile.js";

test.each(Object.entries(TOO_MANY_STEPS))("%s", (_, source) => {
  expect(() => route(source)).toThrow(
    expect.objectContaining({
      code: "LIMIT_EXCEEDED",
      message: expect.stringContaining(`takes more than ${GRAMMAR_LIMITS.steps} steps to write: use fewer`) as unknown,
    }),
  );
});

test("a schema that is compared without end", () => {
  expect(() => route(ENDLESS)).toThrow(expect.objectContaining({ code: "LIMIT_EXCEEDED" }));
});

test.each<[string, GrammarSource]>([
  ["40 properties, of which 20 must be there", { jsonSchema: counted(40) }],
  ["5000 values", { jsonSchema: { enum: Array.from({ length: 5000 }, (_, i) => `value ${(i * 7919) % 19_000}`) } }],
  ["19 000 choices", { choices: Array.from({ length: 19_000 }, (_, i) => `choice ${(i * 7919) % 19_000}`) }],
  ["a text of 256 KiB", { gbnf: `root ::= "${"x".repeat(260_000)}"` }],
  ["3900 rules that each name the next", chain(3900)],
])("within the budget: %s", (_, source) => {
  expect(route(source).engine).toBe("xgrammar");
});

function chain(length: number): GrammarSource {
  const rule = (i: number): string => `${i > 0 ? `r${i}` : "root"} ::= ${i < length - 1 ? `r${i + 1}` : '"a"'}`;
  return { gbnf: Array.from({ length }, (_, i) => rule(i)).join("\n") };
}

test("a grammar for llama.cpp's engine is shorter", () => {
  const gbnf = `root ::= <[7]>? ${"[a-z]* ".repeat(20_000)}`;
  expect(() => route({ gbnf })).toThrow(
    expect.objectContaining({
      code: "LIMIT_EXCEEDED",
      message: `the grammar exceeds a limit: it has a token, such as \`<[7]>\`, which only llama.cpp's engine takes, and ${gbnf.length} characters for it, expected at most 32768: shorten it`,
    }),
  );
});
