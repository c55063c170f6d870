/**
 * Texts with drafts are those without, token by token. The logits of several rows differ in their last digits from those of one, so
 * that a text may part at a tie; GGSL_SPECULATION_TEXTS and GGSL_SPECULATION_TOKENS ask for more and longer texts
 * (`npm run speculation`), of which nearly all must be equal.
 */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Model } from "../../runtime/index.js";
import type { Speculate } from "../../runtime/decode/speculation/options.js";
import { loadExactModel } from "../model/demo.js";
import { CHAINS, PROMPT, textOf, WAYS } from "./chains.js";

const TEXTS = Number(process.env["GGSL_SPECULATION_TEXTS"] ?? 1);
const TOKENS = Number(process.env["GGSL_SPECULATION_TOKENS"] ?? 40);

let model: Model;
beforeAll(async () => {
  model = await loadExactModel({ backend: "cpu", contextSize: 512 });
});
afterAll(() => model.dispose());

/** Beginnings that differ: the verses of the prompt from another token on. */
const promptOf = (index: number): Int32Array => {
  const tokens = model.tokenize(PROMPT);
  return index === 0 ? tokens : Int32Array.from([...tokens, (37 * index) % model.info.vocabSize]);
};

/** A third of the texts of a chain is written in each way; of a single one it depends on the chain. */
const optionsOf = (name: string, index: number) => ({
  prompt: promptOf(index),
  maxTokens: TOKENS,
  way: WAYS[(Object.keys(CHAINS).indexOf(name) + index) % WAYS.length]!,
});

/** The text of a chain without drafts: each drafter's is compared with it. */
const wantedTexts = new Map<string, ReturnType<typeof textOf>>();
function wantedOf(name: string, index: number): ReturnType<typeof textOf> {
  const key = `${name} ${index}`;
  const known = wantedTexts.get(key) ?? textOf(model, CHAINS[name]!, optionsOf(name, index));
  wantedTexts.set(key, known);
  return known;
}

const drafters: Readonly<Record<string, () => Speculate>> = {
  lookup: () => ({ ngram: { min: 1, tokens: 7, adapt: false } }),
  // it goes on by itself where no draft pays
  "lookup that adapts": () => ({ ngram: { min: 1 } }),
  "draft model": () => ({ draft: model, tokens: 4, adapt: false }),
};

test.each(Object.keys(CHAINS).flatMap((name) => Object.keys(drafters).map((drafter) => [name, drafter] as const)))(
  "%s writes the same text with the drafts of a %s",
  async (name, drafter) => {
    const chain = CHAINS[name]!;
    let [drafted, parted] = [0, 0];
    for (let index = 0; index < TEXTS; index++) {
      const options = optionsOf(name, index);
      const wanted = await wantedOf(name, index);
      const found = await textOf(model, chain, { ...options, speculate: drafters[drafter]!() });
      drafted += found.stats.drafted!;
      if (options.way === "straight" && chain.request?.bannedPhrases === undefined)
        expect(found.stats.decodes! + found.stats.accepted!).toBeGreaterThanOrEqual(found.tokens.length);
      if (found.tokens.join() !== wanted.tokens.join()) parted++;
      else found.measures.forEach((measures, i) => expect(measures ?? {}).toMatchObject(closeTo(wanted.measures[i])));
    }
    if (TEXTS > 1)
      console.log(`${name}, ${drafter}: ${TEXTS - parted} of ${TEXTS} texts are equal, ${drafted} tokens drafted`);
    // whether a draft pays depends on the machine
    if (drafter !== "lookup that adapts") expect(drafted).toBeGreaterThan(0);
    expect(parted).toBeLessThanOrEqual(TEXTS / 50);
  },
);

/** Measures are computed from logits that differ in their last digits. */
const closeTo = (measures: Readonly<Record<string, number>> | undefined): object =>
  Object.fromEntries(Object.entries(measures ?? {}).map(([name, x]) => [name, expect.closeTo(x, 2) as unknown]));
