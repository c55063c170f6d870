/** Texts that end leave gaps between those that go on; with a cache for each sequence these move together. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile, type Chain } from "../../runtime/chain/chain.js";
import type { SequenceRequest } from "../../runtime/generation/generate.js";
import type { GenerationBatch } from "../../runtime/models/batch.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { endless, EXACT, writeExactModel } from "../model/demo.js";
import { bansEnd, expectSameText, picksNearOf, textOf } from "../model/ties.js";

const SEQUENCES = 9;
const LONGEST = 90;
const PLACES = Array.from({ length: SEQUENCES }, (_, i) => i);
const PROMPTS = [
  "In the beginning God created the heaven and the earth, and the earth was without form, and void",
  "And it came to pass in those days, that there went out a decree from the king, that all should be told",
  "The LORD is my shepherd; I shall not want. He maketh me to lie down in green pastures, beside the still waters",
];

let folder: string;
let file: string;
let model: Model;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-gaps-"));
  file = writeExactModel(folder);
  model = await loadModel(file, EXACT);
});
afterAll(() => {
  model.dispose();
  rmSync(folder, { recursive: true });
});

const open = (): GenerationBatch => model.batch({ sequences: SEQUENCES, contextSize: 256 });

/** The `i`th of all; only the first and the last are long. */
const promptOf = (i: number): string => `${i} ${PROMPTS[i % PROMPTS.length]!}`;
const lengthOf = (i: number): number => (i === 0 || i === SEQUENCES - 1 ? LONGEST : 4 + 3 * i);

const KINDS = {
  "go on by themselves": "top_k(40) |> temp(0.7) |> dist(seed)",
  "are asked for each token": "top_k(40) |> temp(0.7) |> host dist(seed: seed)",
} as const;
const chainOf = (stages: string): Chain =>
  compile(`import { logit_bias, top_k, temp, dist } from "std"\nchain c(seed: seed = 1) = logit_bias() |> ${stages}\n`);

const requestOf = (chain: Chain, i: number): SequenceRequest => ({
  ...{ chain, uniforms: { seed: 5 + i }, ...endless(model), maxTokens: lengthOf(i) },
});

describe.each(Object.entries(KINDS))("texts that %s", (_, stages) => {
  const chain = chainOf(stages);

  test("are the same where they move", async () => {
    using batch = open();
    const generations = PLACES.map((i) => batch.add(promptOf(i), requestOf(chain, i)));
    const texts = await Promise.all(generations.map((generation) => textOf(model, generation)));
    for (const [i, text] of texts.entries()) {
      expect(text).toHaveLength(lengthOf(i));
      const alone = await textOf(model, model.generate(promptOf(i), requestOf(chain, i)));
      const samplers = [
        bansEnd(model),
        { name: "top_k", k: 40 } as const,
        { name: "temp", t: 0.7 } as const,
        { name: "dist", seed: 5 + i } as const,
      ];
      expectSameText(text, alone, picksNearOf(model, { model: file, isExact: true, prompt: promptOf(i), samplers }));
    }
  });
});

/** How many graphs computed the last 30 tokens of the texts that are left; `place`: where the last of them runs. */
async function graphsAtEnd(batch: GenerationBatch, place?: number): Promise<number> {
  const chain = chainOf(KINDS["go on by themselves"]);
  let before = 0;
  let after = 0;
  const read = async (i: number): Promise<void> => {
    const at = i === SEQUENCES - 1 && place !== undefined ? { place } : {};
    const generation = batch.add(promptOf(i), { ...requestOf(chain, i), ...at });
    let count = 0;
    for await (const _ of generation) if (++count === LONGEST - 30 && i === 0) before = generation.stats().setInputs;
    after = Math.max(after, generation.stats().setInputs);
  };
  await Promise.all(PLACES.map(read));
  return after - before;
}

test("one graph computes those that are left", async () => {
  using batch = open();
  expect(await graphsAtEnd(batch)).toBeLessThan(30 + 17);
});

test("a text stays in the place that it asked for", async () => {
  using batch = open();
  expect(await graphsAtEnd(batch, SEQUENCES - 1)).toBeGreaterThanOrEqual(2 * (30 - 17));
  const again = batch.add(promptOf(SEQUENCES - 1), {
    ...requestOf(chainOf(KINDS["go on by themselves"]), 0),
    place: SEQUENCES - 1,
  });
  for await (const _ of again) break;
  expect(again.stats().computedPromptTokens).toBe(1);
});

test("texts that have ended stay, wherever they are", async () => {
  using batch = open();
  await graphsAtEnd(batch);
  const chain = chainOf(KINDS["go on by themselves"]);
  // the others have grown too long for their beginnings to keep their places
  for (const i of PLACES.slice(1, -1)) {
    const again = batch.add(promptOf(i), { ...requestOf(chain, i), maxTokens: 1 });
    for await (const _ of again);
    expect(again.stats().computedPromptTokens).toBe(1);
  }
});
