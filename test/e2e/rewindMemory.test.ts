/** Taking tokens back where a model's memory cannot give them back: it reads the text again. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compilePipeline } from "../../runtime/chain/chain.js";
import type { Generation } from "../../runtime/generation/generate.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { MAMBA, WINDOW, WINDOWS, writeModel } from "../model/architectures.js";
import { endless } from "../model/file.js";
import { iteratorOf, take as read } from "../model/reading.js";

const PROMPT = "In the beginning God created the heaven and the earth";
const chain = compilePipeline("logit_bias() |> penalties(64, 1.1) |> top_k(8) |> temp(0.7) |> dist(5)");

describe.each(Object.entries({ recurrent: MAMBA, "sliding windows": WINDOWS }))("%s", (_, architecture) => {
  let model: Model;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "ggsl-rewind-"));
    const path = join(folder, "model.gguf");
    writeModel(path, architecture);
    model = await loadModel(path, { backend: "cpu", threads: 1, contextSize: 256 });
    rmSync(folder, { recursive: true });
  });
  afterAll(() => model.dispose());

  const take = async (generation: Generation, count: number): Promise<number[]> => {
    return (await read(generation, count)).map(({ token }) => token);
  };
  const options = () => ({ chain, maxTokens: 2 * WINDOW + 20, ...endless(model) });

  test("by few tokens, by more than a window, and to the prompt: the text goes on as before", async () => {
    const generation = model.generate(PROMPT, options());
    const first = await take(generation, 2 * WINDOW + 10);
    for (const count of [1, 3, WINDOW + 5, first.length]) {
      generation.rewind(count);
      expect(await take(generation, count)).toEqual(first.slice(first.length - count));
    }
    expect(generation.stats().generatedTokens).toBe(first.length);
    await iteratorOf(generation).return!();
  });

  test("beside another text, which does not change", async () => {
    const wanted = await take(model.generate(PROMPT, options()), 20);
    const other = "And God said, Let there be light";
    const alone = await take(model.generate(other, options()), 40);
    using batch = model.batch({ sequences: 2, contextSize: 128 });
    const generation = batch.add(PROMPT, options()) as Generation;
    const rewound = async (): Promise<number[]> => {
      const tokens = await take(generation, 20);
      generation.rewind(7);
      return [...tokens.slice(0, -7), ...(await take(generation, 7))];
    };
    const [found, beside] = await Promise.all([rewound(), take(batch.add(other, options()) as Generation, 40)]);
    expect(found).toEqual(wanted);
    expect(beside).toEqual(alone);
  });
});
