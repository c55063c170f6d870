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
const SHAPING = [
  "typical_p",
  "top_n_sigma",
  "min_keep",
  "xtc_probability",
  "dry_multiplier",
  "dynatemp_range",
  "mirostat",
];

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

describe("fields that llama-server has not", () => {
  test.each([
    [{ bad_words: [" the", "and"] }, "vllm"],
    [{ allowed_token_ids: [10, 20, 30, 40, 50, 60, 261, 262, 263] }, "vllm"],
    [{ allowed_token_ids: [10, 20, 30, 40, 261, 262], bad_words: ["a"], min_p: 0.02 }, "vllm"],
  ])("%j, as %s has them", async (given, kind) => {
    const answer = await ask({ ...given, seed: 9 });
    expect(answer.body.error).toBeUndefined();
    const same = await ask({ sampler: program(given, kind), seed: 9 });
    expect(textOf(answer)).toBe(textOf(same));
  });

  test.each([
    [{ top_a: 0.3 }, "top_a(0.3) |> dist()"],
    [{ top_a: 0.1, top_k: 20, temperature: 0.7 }, "top_k(20) |> top_a(0.1) |> temp(0.7) |> dist()"],
    [
      { smoothing_factor: 0.3, smoothing_curve: 1.5, temperature: 1.2, typical_p: 0.9 },
      "typical(0.9) |> temp(1.2) |> quadratic(0.3, 1.5) |> dist()",
    ],
    [{ adaptive_target: 0.3, min_p: 0.01 }, "min_p(0.01) |> adaptive_p(0.3)"],
    [
      { samplers: ["temperature", "adaptive_p", "top_k"], adaptive_target: 0.2, top_k: 9 },
      "top_k(9) |> adaptive_p(0.2)",
    ],
  ])("%j is %s", async (given, sampler) => {
    const answer = await ask({ ...given, seed: 4 });
    expect([answer.body.error, ignoredBy(answer)]).toEqual([undefined, null]);
    expect(textOf(answer)).toBe(textOf(await ask({ sampler, seed: 4 })));
  });

  test("tail-free sampling at 0 is the best token", async () => {
    const best = textOf(await ask({ temperature: 0 }));
    expect(textOf(await ask({ tfs: 0, seed: 1 }))).toBe(best);
    expect(textOf(await ask({ tfs: 0.99, seed: 1 }))).not.toBe(best);
  });
});

describe("chains of fields", () => {
  const samplers = async (): Promise<number> => Number(/^ggsl_samplers (\d+)$/m.exec(await server.get("/metrics"))![1]);

  test("requests with other numbers share one, and other stages make another", async () => {
    const first = { top_n_sigma: 1.5, dry_multiplier: 0.8, top_k: 30, repeat_penalty: 1.1, seed: 1, top_a: 0.1 };
    await ask(first);
    const before = await samplers();
    for (const more of [
      { top_n_sigma: 2, seed: 5 },
      { dry_base: 1.3, dry_allowed_length: 3, dry_penalty_last_n: -1, top_a: 0.2 },
      { top_k: 12, repeat_penalty: 1.3, presence_penalty: 0.4, repeat_last_n: -1 },
    ])
      expect((await ask({ ...first, ...more })).status).toBe(200);
    expect(await samplers()).toBe(before);
    await ask({ ...first, typical_p: 0.5 });
    expect(await samplers()).toBe(before + 1);
  });

  test("-1 is the whole text for windows", async () => {
    const given = { dry_multiplier: 2, repeat_penalty: 1.4, temperature: 0, max_tokens: 60 };
    const whole = await ask({ ...given, dry_penalty_last_n: -1, repeat_last_n: -1 });
    expect(textOf(whole)).toBe(textOf(await ask({ ...given, dry_penalty_last_n: 256, repeat_last_n: 256 })));
  });

  test("each text of a request has its own seed", async () => {
    const { body } = await ask({ xtc_probability: 0.5, seed: 3, n: 3 });
    const texts = (body["choices"] as { text: string }[]).map(({ text }) => text);
    for (const [i, text] of texts.entries())
      expect(textOf(await ask({ xtc_probability: 0.5, seed: 3 + i }))).toBe(text);
    expect(new Set(texts).size).toBe(3);
  });

  test("biases and grammars hold in them", async () => {
    const word = textOf(await ask({ temperature: 0, max_tokens: 1, typical_p: 0.9 }));
    const { body } = await server.post("/tokenize", { content: word });
    const [token] = body["tokens"] as number[];
    expect(
      textOf(await ask({ temperature: 0, max_tokens: 1, typical_p: 0.9, logit_bias: { [token!]: -100 } })),
    ).not.toBe(word);
    const constrained = await ask({ typical_p: 0.9, xtc_probability: 0.3, grammar: 'root ::= "yes" | "no"' });
    expect(["yes", "no"]).toContain(textOf(constrained));
  });

  test("what has no effect beside the others is named", async () => {
    expect(ignoredBy(await ask({ mirostat: 2, top_k: 40, typical_p: 0.5 }))).toBe("top_k, typical_p");
    expect(ignoredBy(await ask({ samplers: ["min_p"], top_k: 40, min_p: 0.1, temperature: 0.5 }))).toBe(
      "top_k, temperature",
    );
    expect(ignoredBy(await ask({ samplers: ["top_k", "no such"], top_k: 4 }))).toBe("samplers");
    expect(ignoredBy(await ask({ xtc_threshold: 0.4, dry_base: 3, typical_p: 0.9 }))).toBe(null);
  });

  test("values out of range are refused by name", async () => {
    for (const [given, param] of [
      [{ typical_p: 2 }, "typical_p"],
      [{ xtc_probability: -1 }, "xtc_probability"],
      [{ dry_allowed_length: 0 }, "dry_allowed_length"],
      [{ adaptive_target: 1.5 }, "adaptive_target"],
      [{ adaptive_decay: 1 }, "adaptive_decay"],
      [{ mirostat: 3 }, "mirostat"],
      [{ samplers: 5 }, "samplers"],
      [{ bad_words: "a" }, "bad_words"],
      [{ min_keep: 1.5 }, "min_keep"],
      [{ typical: "x" }, "typical"],
    ] as const) {
      const { status, body } = await ask(given);
      expect([status, body.error]).toEqual([400, expect.objectContaining({ param, code: "invalid_request" })]);
    }
    expect((await ask({ dry_multiplier: 1e300 })).body.error).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining('"dry_multiplier" must be a finite number') as unknown,
    });
  });

  test("a key's limits of costs hold for them", async () => {
    const strict = await open({ sequences: 1, limits: { sorts: 0 } });
    try {
      const { status, body } = await strict.post("/v1/completions", { ...PROMPT, typical_p: 0.5 });
      expect([status, body.error!["code"]]).toEqual([400, "sampler_too_costly"]);
    } finally {
      await strict.close(0);
    }
  });
});

describe("beside a sampler of the request", () => {
  test.each([
    ["typical_p", 0.9],
    ["xtc_probability", 0.5],
    ["mirostat", 2],
    ["samplers", ["top_k"]],
    ["bad_words", ["a"]],
    ["allowed_token_ids", [1]],
    ["top_a", 0.2],
  ])("%s is refused if its chain has nothing for it", async (name, value) => {
    const { status, body } = await ask({ sampler: "greedy()", [name]: value });
    expect([status, body.error]).toEqual([
      400,
      expect.objectContaining({ param: name, code: "parameter_not_in_sampler" }),
    ]);
  });

  test("a uniform of that name is set", async () => {
    const own = 'import { typical, dist } from "std"\nchain c(typical_p: f32 = 1) = typical(typical_p) |> dist()';
    const set = textOf(await ask({ sampler: own, typical_p: 0.3, seed: 2 }));
    expect(set).toBe(textOf(await ask({ sampler: "typical(0.3) |> dist()", seed: 2 })));
  });

  test("what asks for nothing is in no conflict", async () => {
    const neutral = {
      typical_p: 1,
      top_n_sigma: -1,
      xtc_probability: 0,
      xtc_threshold: 0.3,
      dry_multiplier: 0,
      dry_base: 2,
      dry_sequence_breakers: ["a"],
      mirostat: 0,
      mirostat_tau: 4,
      adaptive_target: -1,
      adaptive_decay: 0.5,
      samplers: ["penalties", "dry", "top_n_sigma", "top_k", "typ_p", "top_p", "min_p", "xtc", "temperature"],
      bad_words: [],
      grammar: "",
      json_schema: {},
      stop_token_ids: [],
      cache_prompt: true,
      skip_special_tokens: true,
    };
    const plain = textOf(await ask({ sampler: "greedy()" }));
    for (const samplers of [
      neutral.samplers,
      "edskypmxt",
      ["Penalties", "dry", "top-n-sigma", "topk", "typ", "nucleus", "minp", "xtc", "temp"],
    ]) {
      const answer = await ask({ ...neutral, samplers, sampler: "greedy()" });
      expect([answer.body.error, textOf(answer), ignoredBy(answer)]).toEqual([undefined, plain, null]);
    }
  });
});
