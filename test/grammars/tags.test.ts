/** Structural tags as rules: which texts they allow, and which not. */
import { expect, test } from "@jest/globals";
import { budgeted } from "../../runtime/grammars/budget.js";
import { tagRules } from "../../runtime/grammars/tags/tags.js";
import { matcher } from "./matcher.js";
import { changed, likelyText, randomFormat, reads } from "./randomTags.js";
import { randomIntegers } from "./walk.js";

const CASES = Number(process.env["GGSL_CASES"] ?? 300);

test("random tags are what their documentation says", () => {
  const counts = { tags: 0, refused: 0, accepted: 0, rejected: 0 };
  for (let seed = 0; seed < CASES; seed++) {
    const random = randomIntegers(seed);
    for (let i = 0; i < 5; i++) random(2);
    const format = randomFormat(random, 1 + random(3));
    let rules;
    try {
      rules = budgeted("the structural tag", () => tagRules(format));
    } catch (error) {
      expect((error as Error).message).toContain('/end": expected a text, found "": free text');
      counts.refused++;
      continue;
    }
    counts.tags++;
    const grammar = matcher(rules);
    for (let n = 0; n < 8; n++) {
      const likely = likelyText(random, format);
      for (const text of [likely, changed(random, likely)]) {
        const isRight = reads(format, text);
        counts[isRight ? "accepted" : "rejected"]++;
        expect({ format: JSON.stringify(format), text, is: grammar.matches(text) }).toEqual({
          format: JSON.stringify(format),
          text,
          is: isRight,
        });
      }
    }
  }
  console.log(counts);
  expect(counts.tags).toBeGreaterThan(CASES / 2);
  expect(Math.min(counts.accepted, counts.rejected)).toBeGreaterThan(CASES);
});
