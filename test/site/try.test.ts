/** What can be tried on the site: each link is one of the playground, and its program runs on the link's numbers. */
import { describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { checkProgram } from "../../compiler/driver.js";
import { formatDiagnostics } from "../../compiler/check/format.js";
import { STD_SAMPLERS } from "../../compiler/std/samplers.js";
import { readLink, type Shared } from "../../playground/state/link.js";
import { logitsOf } from "../../playground/state/source.js";
import { readVocabulary } from "../../playground/state/tokenList.js";
import { compile } from "../../runtime/chain/chain.js";
import { mapLinks } from "../../site/links.js";
import { tryProgram, trySampler } from "../../site/try.js";

/** The chain's result for the link's numbers; undefined if only a model has them. */
async function evaluate({ program, source, vocabulary }: Shared) {
  if (source.kind === "model") return undefined;
  const texts = readVocabulary(vocabulary ?? "");
  const options = { backend: "reference", ...(texts && { feed: { vocabulary: texts } }) } as const;
  return compile(program).evaluate(logitsOf(source), options);
}

describe.each(STD_SAMPLERS)("$name", ({ name, guides, takesGrammar, declaration }) => {
  const shared = readLink(trySampler(name));

  test("has a link whose program picks a token", async () => {
    const diagnostics = checkProgram({ name: "try.ggsl", text: shared.program });
    expect(formatDiagnostics(diagnostics)).toBe("");
    const isOfTexts = takesGrammar || declaration.params.some(({ type }) => type === "phrases");
    expect(shared.source.kind === "model").toBe(isOfTexts);
    // the playground gives other prompts' logits to texts only
    if (guides.length === 0) expect((await evaluate(shared))?.token ?? 0).toBeGreaterThanOrEqual(0);
  });
});

const blocksOf = (page: string): string[] =>
  [...readFileSync(page, "utf8").matchAll(/^```ggsl(?: \S+)?\n([^]*?)^```$/gm)].map(([, text]) => text!);

test("the constructs of the language can be tried, but those whose columns a caller gives", async () => {
  const blocks = blocksOf("docs/language.md");
  const links = blocks.map(tryProgram);
  const without = blocks.filter((_, i) => links[i] === undefined);
  expect(without.length).toBeLessThanOrEqual(1);
  for (const text of without) expect(text).toMatch(/^input \w+: (?!logits)/m);
  for (const link of links.filter((l) => l !== undefined)) {
    const shared = readLink(link);
    if (!/: logits$/m.test(shared.program)) expect(await evaluate(shared)).toBeDefined();
  }
});

test("a test's numbers are the input, and no column that it feeds is needed", async () => {
  const program = `sampler half() { logit = logit / 2 }
input green: f32
sampler plus() { logit += green }
test "a" { logits [1, 2] input green [0, 1] run plus() expect order [0, 1] }
test "b" { logits [[4, 2], [1, 1]] vocab ["x", "y"] run half() |> half() expect logits [[1, 0.5], [0.25, 0.25]] }`;
  const shared = readLink(tryProgram(program)!);
  expect(shared.source).toEqual({ kind: "list", text: "4, 2", are: "logits" });
  expect(shared.vocabulary).toBe('["x","y"]');
  expect(Array.from((await evaluate(shared))!.candidates, ({ logit }) => logit)).toEqual([1, 0.5]);
});

test("links in text change, those in code and to other sites stay", () => {
  const text =
    "[a](a.md#x) `[b](b.md)` ``[c](c.md)`` [d](https://d.md) [e](#e) `-` [f](../f)\n```md\n[g](g.md)\n```\n![h](h.png)";
  expect(mapLinks(text, (path) => `<${path}>`)).toBe(
    "[a](<a.md>#x) `[b](b.md)` ``[c](c.md)`` [d](https://d.md) [e](#e) `-` [f](<../f>)\n```md\n[g](g.md)\n```\n![h](<h.png>)",
  );
});
