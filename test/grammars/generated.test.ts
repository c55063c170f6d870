/** Texts of the demo model under JSON schemas. GGSL_GRAMMAR_SCHEMAS=200 is the long form: four texts of up to 240 tokens for each. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { DEMO_MODEL } from "../model/demo.js";
import { generate, schemas } from "./generated.js";

const { GGSL_GRAMMAR_SCHEMAS: SCHEMAS } = process.env;
const COUNT = Number(SCHEMAS ?? 20);

let model: Model;
beforeAll(async () => {
  model = await loadModel(DEMO_MODEL, { backend: "cpu", contextSize: 256 });
});
afterAll(() => model.dispose());

test("generated texts are valid", async () => {
  const all = schemas();
  // spread over all of them
  const some = all.filter(
    (_, i) => Math.floor((i * COUNT) / all.length) !== Math.floor(((i - 1) * COUNT) / all.length),
  );
  const outcomes = await generate(
    model,
    some,
    SCHEMAS === undefined ? { seeds: 1, maxTokens: 60 } : { seeds: 4, maxTokens: 240 },
  );
  if (SCHEMAS !== undefined)
    console.log(`${all.length} schemas, ${some.length} used: ${JSON.stringify(outcomes, undefined, 1)}`);
  expect(outcomes.faults).toEqual([]);
  expect(some.length).toBe(Math.min(COUNT, all.length));
  expect(outcomes.whole).toBeGreaterThanOrEqual(COUNT / 3);
});
