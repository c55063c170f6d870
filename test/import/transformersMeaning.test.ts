/** Settings of Hugging Face transformers against its definitions of them, computed plainly from the text and the logits. */
import { describe, expect, test } from "@jest/globals";
import { compile } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { importFile } from "../../settings/from/import.js";
import { textSource } from "./gguf.js";
import {
  BACKENDS,
  EOS,
  V,
  banned,
  endsWith,
  expectMeaning,
  generator,
  mapped,
  programOf,
  type Logits,
  type Meaning,
} from "./meaningOf.js";

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
