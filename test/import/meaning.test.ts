/** Imported settings against the other tools' definitions of them, computed plainly from the text and the logits. */
import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { compile } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { importFile, type ImportOptions } from "../../settings/from/import.js";
import { loadModel } from "../../runtime/models/model.js";
import { DEMO_MODEL } from "../model/demo.js";
import { textSource } from "./gguf.js";

const V = 12;
const BACKENDS = ["reference", "cpu", "wasm"] as const;
const EOS = 2;

type Logits = number[];
/** `prompt` and `generated` are the tokens so far; banned tokens get minus infinity. */
type Meaning = (logits: Logits, prompt: readonly number[], generated: readonly number[]) => Logits;

/** A generator of numbers below `limit`. */
function generator(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 48271) % 2147483647;
    return state % limit;
  };
}

const programOf = (kind: string, settings: object, options: ImportOptions = {}): string =>
  importFile(textSource(JSON.stringify(settings)), "settings.json", kind, options).text;

/** Follows a random text, and compares the rows of each step with the definition. */
function expectMeaning(program: string, meaning: Meaning, prompt: readonly number[], vocabulary?: string[]): void {
  const { rowsGraph } = compile(program);
  for (const backend of BACKENDS) {
    const random = generator(7);
    const feed = vocabulary ? { vocabulary } : {};
    using evaluator = createEvaluator(rowsGraph, V, { backend, history: prompt, feed });
    const generated: number[] = [];
    for (let i = 0; i < 40; i++) {
      const logits = Array.from({ length: V }, () => (random(2001) - 1000) / 250);
      const expected = meaning([...logits], prompt, generated);
      const found = new Array<number>(V).fill(-Infinity);
      for (const { token, logit } of evaluator.evaluate(logits).candidates) found[token] = logit;
      const told = { backend, text: [...prompt, ...generated] };
      expect({ ...told, kept: kept(found) }).toEqual({ ...told, kept: kept(expected) });
      for (const token of kept(expected)) {
        const off = Math.abs(found[token]! - expected[token]!);
        expect({ ...told, token, off: off < 1e-5 * Math.max(1, Math.abs(expected[token]!)) }).toMatchObject({
          off: true,
        });
      }
      const token = random(5);
      generated.push(token);
      evaluator.accept(token);
    }
  }
}

const kept = (logits: Logits): number[] => [...logits.keys()].filter((token) => logits[token] !== -Infinity);

const mapped = (logits: Logits, change: (logit: number, token: number) => number): Logits => logits.map(change);
const banned = (logits: Logits, isBanned: (token: number) => boolean): Logits =>
  mapped(logits, (logit, token) => (isBanned(token) ? -Infinity : logit));

const endsWith = (text: readonly number[], end: readonly number[]): boolean =>
  text.length >= end.length && end.every((token, i) => text[text.length - end.length + i] === token);

describe("Hugging Face transformers", () => {
  const SEQUENCES: [number[], number][] = [
    [[3], 1.5],
    [[1, 3], 1.5],
    [[0, 1, 3], 1.5],
    [[4, 4], -2],
    [[1, 0], 0.5],
  ];
  /** The first one of these is replaced by a later one. */
  const GIVEN = [[[1, 3], 9], ...SEQUENCES] as const;
  const biased: Meaning = (logits, prompt, generated) =>
    mapped(logits, (logit, token) => {
      const text = [...prompt, ...generated, token];
      return SEQUENCES.reduce((sum, [s, bias]) => sum + (s.at(-1) === token && endsWith(text, s) ? bias : 0), logit);
    });
  const WORDS = [[5], [EOS], [1, 3], [2, 1, 0], [EOS, EOS], [4, 4, 4]];
  const all = (prompt: readonly number[], generated: readonly number[]): number[] => [...prompt, ...generated];
  const only = (logits: Logits, token: number): Logits => banned(logits, (t) => t !== token);

  test.each<[string, object, Meaning, number[]]>([
    ["sequence_bias", { sequence_bias: GIVEN }, biased, [0, 1]],
    [
      "sequence_bias by tokens",
      { sequence_bias: { "(1, 3)": 1.5, "[4, 4]": -2, "0": 1, "(1,)": -1 } },
      (logits, p, g) =>
        mapped(logits, (logit, token) => {
          const text = [...p, ...g, token];
          if (endsWith(text, [1, 3])) return logit + 1.5;
          if (endsWith(text, [4, 4])) return logit - 2;
          return token === 0 ? logit + 1 : token === 1 ? logit - 1 : logit;
        }),
      [4],
    ],
    [
      "bad_words_ids",
      { eos_token_id: EOS, bad_words_ids: WORDS },
      (logits, p, g) =>
        banned(logits, (token) =>
          WORDS.some((w) => !(w.length === 1 && w[0] === EOS) && endsWith([...p, ...g, token], w)),
        ),
      [4, 4],
    ],
    [
      "suppressed tokens",
      { suppress_tokens: [7, 1, 9, 11], begin_suppress_tokens: [0, 3, 5] },
      (logits, _, g) => banned(logits, (t) => [1, 7, 9, 11].includes(t) || (g.length === 0 && [0, 3, 5].includes(t))),
      [],
    ],
    [
      "no end of a short text",
      { eos_token_id: [EOS, 8, 9], min_length: 10, min_new_tokens: 3 },
      (logits, p, g) => banned(logits, (t) => (p.length + g.length < 10 || g.length < 3) && [EOS, 8, 9].includes(t)),
      [0, 1, 1],
    ],
    [
      "the repetition penalties of the text and the prompt",
      { repetition_penalty: 1.3, encoder_repetition_penalty: 1.7 },
      (logits, p, g) => {
        const raised = mapped(logits, (x, t) => (!p.includes(t) ? x : x < 0 ? x / 1.7 : x * 1.7));
        return mapped(raised, (x, t) => (!all(p, g).includes(t) ? x : x < 0 ? x * 1.3 : x / 1.3));
      },
      [1, 6, 1],
    ],
    ...[1, 2, 3].map((size): [string, object, Meaning, number[]] => [
      `encoder_no_repeat_ngram_size ${size}`,
      { encoder_no_repeat_ngram_size: size },
      (logits, p, g) => {
        const text = all(p, g);
        const grams = p.slice(0, Math.max(0, p.length - size + 1)).map((_, i) => p.slice(i, i + size));
        return banned(logits, (token) => grams.some((gram) => endsWith([...text, token], gram)));
      },
      [1, 3, 0, 1, 4, 4, 2, 1, 3, 3],
    ]),
    [
      "no_repeat_ngram_size",
      { no_repeat_ngram_size: 3 },
      (logits, p, g) => {
        const text = all(p, g);
        const grams = text.slice(0, Math.max(0, text.length - 2)).map((_, i) => text.slice(i, i + 3));
        return banned(logits, (token) => grams.some((gram) => endsWith([...text, token], gram)));
      },
      [1, 3, 0],
    ],
    [
      "forced tokens after a text of one token",
      {
        forced_bos_token_id: 6,
        forced_decoder_ids: [
          [1, null],
          [3, 4],
          [5, 9],
        ],
      },
      (logits, p, g) => {
        const token = new Map([
          [1, 6],
          [3, 4],
          [5, 9],
        ]).get(p.length + g.length);
        return token === undefined ? logits : only(logits, token);
      },
      [0],
    ],
    [
      "forced_eos_token_id at max_new_tokens",
      { forced_eos_token_id: EOS, max_new_tokens: 6, max_length: 3 },
      (logits, _, g) => (g.length === 5 ? only(logits, EOS) : logits),
      [0, 1],
    ],
    [
      "several of forced_eos_token_id at max_length",
      { forced_eos_token_id: [EOS, 9, 7], max_length: 6 },
      (logits, p, g) =>
        p.length + g.length === 5 ? mapped(logits, (_, t) => ([EOS, 9, 7].includes(t) ? 0 : -Infinity)) : logits,
      [0, 1],
    ],
    [
      "exponential_decay_length_penalty",
      { eos_token_id: [EOS, 5], exponential_decay_length_penalty: [4, 1.1] },
      (logits, _, g) =>
        mapped(logits, (x, t) =>
          g.length > 4 && [EOS, 5].includes(t) ? x + Math.abs(x) * (1.1 ** (g.length - 4) - 1) : x,
        ),
      [0, 1],
    ],
  ])("%s", (_, settings, meaning, prompt) => {
    expectMeaning(programOf("huggingface", settings), meaning, prompt);
  });

  test("top_h", () => {
    const { rowsGraph } = compile(programOf("huggingface", { do_sample: true, top_k: 0, top_h: 0.6 }));
    const random = generator(3);
    for (const backend of BACKENDS) {
      using evaluator = createEvaluator(rowsGraph, V, { backend });
      for (let i = 0; i < 20; i++) {
        const logits = Array.from({ length: V }, () => random(1000) / 200);
        const weights = logits.map(Math.exp);
        const total = weights.reduce((a, b) => a + b, 0);
        const rows = [...weights.keys()].sort((a, b) => weights[b]! - weights[a]!);
        const terms = rows.map((t) => -(weights[t]! / total) * Math.log(weights[t]! / total));
        const entropy = terms.reduce((a, b) => a + b, 0);
        let sum = 0;
        const expected = rows.filter((_, j) => (sum += terms[j]!) <= 0.6 * entropy || j === 0);
        const found = evaluator.evaluate(logits).candidates.map(({ token }) => token);
        expect([backend, new Set(found)]).toEqual([backend, new Set(expected)]);
      }
    }
  });

  test("guidance_scale", () => {
    const imported = importFile(
      textSource('{ "do_sample": true, "top_k": 0, "guidance_scale": 2.5 }'),
      "settings.json",
      "huggingface",
    );
    expect(imported.notes).toMatchObject([{ kind: "caller", key: "guidance_scale" }]);
    const [logits, negative] = [
      [2, 1, -1, 0.5],
      [0, 3, 1, 0.25],
    ];
    const logSoftmax = (x: number[]): number[] => {
      const sum = Math.log(x.reduce((s, v) => s + Math.exp(v), 0));
      return x.map((v) => v - sum);
    };
    const [own, other] = [logSoftmax(logits), logSoftmax(negative)];
    for (const backend of BACKENDS) {
      using evaluator = createEvaluator(compile(imported.text).rowsGraph, 4, {
        backend,
        feed: { inputs: { negative } },
      });
      for (const { token, logit } of evaluator.evaluate(logits).candidates)
        expect(logit).toBeCloseTo(other[token]! + 2.5 * (own[token]! - other[token]!), 4);
    }
  });

  test("watermarking_config raises a part of the tokens", () => {
    const config = { greenlist_ratio: 0.5, bias: 3, hashing_key: 99, seeding_scheme: "lefthash", context_width: 1 };
    const program = programOf("huggingface", { watermarking_config: config });
    using evaluator = createEvaluator(compile(program).rowsGraph, 1000, { backend: "reference", history: [1, 5] });
    const { candidates } = evaluator.evaluate(new Array<number>(1000).fill(0));
    const green = candidates.filter(({ logit }) => logit === 3).length;
    expect(candidates.every(({ logit }) => logit === 0 || logit === 3)).toBe(true);
    expect(Math.abs(green - 500)).toBeLessThan(60);
  });
});

describe("vLLM and OpenAI", () => {
  const words = ["ab", " c"];
  const vocabulary = ["a", "b", "c", " a", " b", " c", " ab", "d", "e", "f", "g", "h"];
  /** The forms of the words with and without a blank. */
  const sequences = [[0, 1], [6], [2], [5]];

  test.each<[string, object, Meaning, number[], string[] | undefined]>([
    [
      "presence and frequency penalties of the generated tokens",
      { presence_penalty: 0.5, frequency_penalty: 0.25, repetition_penalty: 1.2 },
      (logits, p, g) =>
        mapped(logits, (x, t) => {
          const count = g.filter((token) => token === t).length;
          const repeated = ![...p, ...g].includes(t) ? x : x < 0 ? x * 1.2 : x / 1.2;
          return repeated - 0.25 * count - (count > 0 ? 0.5 : 0);
        }),
      [0, 3, 3, 9],
      undefined,
    ],
    [
      "allowed tokens, and biases that add up",
      { allowed_token_ids: [0, 3, 4, 7, 9], logit_bias: { 3: 1, 4: 1, 7: 1, 9: 2, 1: 5 } },
      (logits) =>
        banned(
          mapped(logits, (x, t) => x + (t === 9 ? 2 : [3, 4, 7].includes(t) ? 1 : 0)),
          (t) => ![0, 3, 4, 7, 9].includes(t),
        ),
      [],
      undefined,
    ],
    [
      "min_tokens",
      { min_tokens: 4, stop_token_ids: [5, 6] },
      (logits, _, g) => banned(logits, (t) => g.length < 4 && [EOS, 5, 6].includes(t)),
      [1],
      undefined,
    ],
    [
      "bad_words",
      { bad_words: words },
      (logits, p, g) => banned(logits, (token) => sequences.some((s) => endsWith([...p, ...g, token], s))),
      [0],
      vocabulary,
    ],
    [
      "thinking_token_budget",
      { thinking_token_budget: 2 },
      (logits, p, g) => {
        const text = [...p, ...g];
        const opened = text.lastIndexOf(0);
        const isOpen = opened > text.lastIndexOf(1);
        return isOpen && text.length - 1 - opened >= 2 ? banned(logits, (t) => t !== 1) : logits;
      },
      [5, 0],
      ["<think>", "</think>", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j"],
    ],
  ])("%s", (_, settings, meaning, prompt, texts) => {
    expectMeaning(programOf("vllm", settings, { eos: [EOS] }), meaning, prompt, texts);
  });
});

test("the reasoning budget of a request to llama-server", () => {
  const tags = { reasoning_budget_start_tag: "<a>", reasoning_budget_end_tags: ["</a>"] };
  const off = { temperature: 1, top_k: 0, top_p: 1, min_p: 0 };
  const program = programOf("llama.cpp", { ...off, ...tags, reasoning_budget_tokens: 1 });
  expectMeaning(
    program,
    (logits, p, g) => {
      const text = [...p, ...g];
      const opened = text.lastIndexOf(3);
      const isOpen = opened > text.lastIndexOf(1);
      return isOpen && text.length - 1 - opened >= 1 ? banned(logits, (t) => t !== 1) : logits;
    },
    [3],
    ["x", "</a>", "<b>", "<a>", "c", "d", "e", "f", "g", "h", "i", "j"],
  );
});

test("KoboldCpp's and SillyTavern's bans and biases of texts", () => {
  const vocabulary = ["a", "b", "c", " a", " b", " c", " ab", "d", "e", "f", "g", "h"];
  const off = { temperature: 1, top_k: 0, top_p: 1 };
  const kobold = programOf("koboldcpp", { ...off, banned_tokens: ["ab", "e"], custom_token_bans: "9" });
  const isWord = (text: readonly number[], token: number): boolean => token === 8 || (token === 1 && text.at(-1) === 0);
  expectMeaning(
    kobold,
    (logits, p, g) => mapped(logits, (x, t) => (isWord([...p, ...g], t) ? -Infinity : t === 9 ? x - 100 : x)),
    [0],
    vocabulary,
  );
  const tavern = programOf("sillytavern", {
    temp: 1,
    banned_tokens: '"ab"\n[8]\n',
    logit_bias: [
      { id: "1", text: "{c}", value: 2 },
      { id: "2", text: "a", value: -1 },
      { id: "3", text: "[10, 11]", value: 3 },
    ],
  });
  const bias = new Map<number, number>([
    ...([
      [2, 2],
      [3, -1],
      [10, 3],
      [11, 3],
    ] as const),
  ]);
  expectMeaning(
    tavern,
    (logits, p, g) => mapped(logits, (x, t) => (isWord([...p, ...g], t) ? -Infinity : x + (bias.get(t) ?? 0))),
    [0],
    vocabulary,
  );
});

test.each<[object, readonly number[]]>([
  [{ do_sample: true, top_k: null }, [0, 1, 2, 3, 4, 5]],
  [{ do_sample: true, top_k: 0 }, [0, 1, 2, 3, 4, 5]],
  [{ do_sample: true, top_k: 2, temperature: null, top_p: null, min_p: null, typical_p: null }, [0, 1]],
])("transformers takes null as off: %j", (settings, expected) => {
  const { rowsGraph } = compile(programOf("huggingface", { ...settings }));
  using evaluator = createEvaluator(rowsGraph, 100, { backend: "reference" });
  const logits = Array.from({ length: 100 }, (_, token) => -token / 100);
  const found = evaluator.evaluate(logits).candidates.map(({ token }) => token);
  if (expected.length > 2) expect(found).toHaveLength(100);
  else expect(new Set(found)).toEqual(new Set(expected));
});

test("without top_k transformers has 50, and llama.cpp, vLLM and KoboldCpp take null as absent", () => {
  expect(programOf("huggingface", { do_sample: true })).toContain("static top_k: i32 = 50");
  for (const kind of ["llama.cpp", "vllm", "koboldcpp", "ollama", "sillytavern"]) {
    const given = { top_k: null, top_p: null, min_p: null };
    expect(programOf(kind, given)).toBe(programOf(kind, {}));
  }
});

test("KoboldCpp takes the largest of its names of the repetition penalty, and 1", () => {
  const repeat = (settings: object): string | undefined =>
    /rep_pen: f32 > 0 = ([\d.]+)/.exec(programOf("koboldcpp", settings))?.[1];
  expect(repeat({ rep_pen: 1.1, repeat_penalty: 1.3, repetition_penalty: 1.2 })).toBe("1.3");
  expect(repeat({ repetition_penalty: 1.2 })).toBe("1.2");
  expect(repeat({ rep_pen: 0.8 })).toBeUndefined();
});

test("texts of biases, bans and breakers are carried byte for byte", () => {
  const words = fc.sample(fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }), { seed: 3, numRuns: 60 });
  const texts = [...new Set([...words, " x", "x ", "  ", "\t", "a\r\nb", '"', "\\n", "\u2028", "{", "é"])].filter(
    (text) => !text.includes("\0"),
  );
  // a list of texts in a program, in the syntax of the language
  const stated = (program: string): string[] =>
    [...program.replace(/^\/\/.*$/gm, "").matchAll(/"(?:[^"\\]|\\.)*"/g)].map(
      ([text]) =>
        JSON.parse(
          text.replace(/[\u0000-\u001f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
        ) as string,
    );
  const found = (kind: string, settings: object): Set<string> => new Set(stated(programOf(kind, settings)));
  const all = (kind: string, settings: object, wanted: readonly string[]): void => {
    const texts = found(kind, settings);
    expect([kind, wanted.filter((text) => !texts.has(text))]).toEqual([kind, []]);
  };
  all("llama.cpp", { logit_bias: texts.map((text) => [text, 1]) }, texts);
  all("llama.cpp", { dry_multiplier: 1, dry_sequence_breakers: texts }, texts);
  all("koboldcpp", { banned_tokens: texts }, texts);
  const lines = texts.filter((text) => !/[\n]/.test(text) && !/^\[.*\]$|^".*"$/s.test(text));
  all("sillytavern", { banned_tokens: lines.join("\n") }, lines);
  all("sillytavern", { banned_tokens: lines.map((line) => `"${line}"`).join("\n") }, lines);
  const entries = (list: readonly string[]): object => ({
    logit_bias: list.map((text) => ({ id: "1", text, value: 1 })),
  });
  all("sillytavern", entries(texts.map((text) => `{${text}}`)), texts);
  const plain = texts.filter((text) => text.trim() !== "" && !/^\s*[[{]/.test(text));
  all(
    "sillytavern",
    entries(plain),
    plain.map((text) => ` ${text.trim()}`),
  );
});

test("with a model: banned words, and the tokens that end a text without --eos", async () => {
  using model = await loadModel(DEMO_MODEL, { backend: "cpu" });
  const written = async (settings: object): Promise<string> => {
    const chain = compile(programOf("vllm", { temperature: 0, ...settings }));
    let text = "";
    for await (const piece of model.generate("In the beginning", { chain, maxTokens: 60 })) text += piece.text;
    return text;
  };
  const plain = await written({});
  const word = / (\w{4,})/.exec(plain)![1]!;
  expect(await written({ bad_words: [word] })).not.toContain(` ${word}`);
  const endless = { logit_bias: { [model.info.eos]: 100 } };
  expect(await written(endless)).toBe("");
  expect((await written({ ...endless, min_tokens: 12 })).length).toBeGreaterThan(12);
});
