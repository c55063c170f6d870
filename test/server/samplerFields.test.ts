/** Sampler fields of other tools in a request: the chain is the one that `ggsl import` makes of the same settings. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { DEFAULT_ORDER } from "../../compiler/llama/order.js";
import { importFile } from "../../settings/from/import.js";
import { textSource } from "../import/gguf.js";
import { open, type Opened } from "./open.js";

let server: Opened;
let lenient: Opened;
beforeAll(async () => {
  server = await open({ sequences: 8 });
  lenient = await open({ sequences: 2, lenient: true });
});
afterAll(async () => {
  await server.close(0);
  await lenient.close(0);
});

const PROMPT = { prompt: "In the beginning God created the heaven and the earth. And the earth", max_tokens: 16 };
type Answer = Awaited<ReturnType<Opened["post"]>>;
const ask = (fields: object, to = server): Promise<Answer> => to.post("/v1/completions", { ...PROMPT, ...fields });
const textOf = ({ body }: Answer): string => (body["choices"] as { text: string }[])[0]!.text;
const ignoredBy = ({ headers }: Answer): string | null => headers.get("x-ggsl-ignored");

/** What requests without a field have, where llama-server has other values. */
const STANDARD = { temperature: 1, top_p: 1, top_k: 0, min_p: 0 };
const program = (settings: object, kind = "llama.cpp"): string =>
  importFile(textSource(JSON.stringify({ ...STANDARD, ...settings })), "s.json", kind).text;

/** The same fields as a program that `ggsl import` writes, in a request that names no field. */
async function importedText(settings: object, seed: number): Promise<string> {
  const answer = await ask({ sampler: program({ ...settings, seed: 1 }), sampler_params: { seed } });
  expect(answer.body.error).toBeUndefined();
  return textOf(answer);
}

const unit = (min: number, max: number): fc.Arbitrary<number> => fc.double({ min, max, noNaN: true });
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  temperature: unit(0.3, 1.8),
  top_k: fc.constantFrom(1, 7, 40, 64, 65, 300),
  top_p: unit(0.3, 0.99),
  min_p: unit(0.001, 0.3),
  typical_p: unit(0.2, 0.99),
  top_n_sigma: unit(0.5, 3),
  min_keep: fc.integer({ min: 1, max: 4 }),
  xtc_probability: unit(0.1, 1),
  xtc_threshold: unit(0.05, 0.4),
  dry_multiplier: unit(0.2, 2),
  dry_base: unit(1.1, 2),
  dry_allowed_length: fc.integer({ min: 1, max: 4 }),
  dry_penalty_last_n: fc.integer({ min: 0, max: 100 }),
  dry_sequence_breakers: fc.constantFrom(["."], ["\n", "the"], [",", "a"]),
  repeat_penalty: unit(1.05, 1.6),
  frequency_penalty: unit(-0.5, 1),
  presence_penalty: unit(-0.5, 1),
  repeat_last_n: fc.integer({ min: 0, max: 100 }),
  dynatemp_range: unit(0.1, 0.8),
  dynatemp_exponent: unit(0.5, 2),
  mirostat: fc.constantFrom(1, 2),
  mirostat_tau: unit(2, 6),
  mirostat_eta: unit(0.05, 0.3),
  samplers: fc.oneof(
    fc.shuffledSubarray([...DEFAULT_ORDER], { minLength: 1 }),
    fc.constantFrom("kpt", "edskypmxt", "tmk", "kmta"),
  ),
};
const NAMES = Object.keys(VALUES);
/** Without one of these it is the default chain, whose rows are sorted also where nothing is cut: draws differ. */
const SHAPING = ["typical_p", "top_n_sigma", "min_keep", "xtc_probability", "dry_multiplier", "dynatemp_range", "mirostat"];

/** Some fields, in any order; Mirostat in few of them, since it leaves out the others. */
const fields = fc
  .shuffledSubarray(NAMES, { minLength: 1, maxLength: 9 })
  .chain((names) => fc.tuple(fc.constant(names), fc.integer({ min: 0, max: 5 })))
  .chain(([names, keep]) => {
    const some = names.filter((name) => name !== "mirostat" || keep === 0);
    return fc.tuple(...some.map((name) => VALUES[name]!.map((value) => [name, value] as const)));
  })
  .map((entries): Readonly<Record<string, unknown>> => Object.fromEntries(entries))
  .filter((given) => SHAPING.some((name) => name in given));

describe("the same text as with the program of `ggsl import`", () => {
  test("random subsets of llama-server's fields, in random order", async () => {
    await fc.assert(
      fc.asyncProperty(fields, fc.integer({ min: 0, max: 2 ** 31 }), async (given, seed) => {
        const answer = await ask({ ...given, seed });
        expect({ given, error: answer.body.error }).toEqual({ given, error: undefined });
        expect({ given, seed, text: textOf(answer) }).toEqual({ given, seed, text: await importedText(given, seed) });
      }),
      { numRuns: 60, seed: 5 },
    );
  });
});
