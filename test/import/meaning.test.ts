/** Imported settings against the other tools' definitions of them, computed plainly from the text and the logits. */
import { describe, expect, test } from "@jest/globals";
import { PhraseFinder, preparedPhrases } from "../../runtime/sequence/phrases/finder.js";
import * as fc from "fast-check";
import { compile } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { loadModel } from "../../runtime/models/model.js";
import { DEMO_MODEL } from "../model/demo.js";
import { EOS, banned, endsWith, expectMeaning, mapped, programOf, type Meaning } from "./meaningOf.js";

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
  // the loop that writes takes phrases back, in either case
  expect(kobold).toContain("ban_phrases(phrases(/(?i)ab/, /(?i)e/))");
  expectMeaning(kobold, (logits) => mapped(logits, (x, t) => (t === 9 ? x - 100 : x)), [0], vocabulary);
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
  expect(tavern).toContain("ban_phrases(phrases(/(?i)ab/))");
  expectMeaning(
    tavern,
    (logits) => mapped(logits, (x, t) => (t === 8 ? -Infinity : x + (bias.get(t) ?? 0))),
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
  /** Each text is a phrase, and the whole of it. */
  const phrases = (kind: string, settings: object, wanted: readonly string[]): void => {
    const [list] = compile(programOf(kind, settings)).graph.phrases!;
    const patterns = list!.of.map((item) => ({ regex: (item as { pattern: string }).pattern }));
    expect(patterns).toHaveLength(wanted.length);
    for (const [i, text] of wanted.entries()) {
      const bytes = Buffer.from(text);
      const finder = new PhraseFinder(preparedPhrases([patterns[i]!], kind));
      expect([text, finder.read(bytes)]).toEqual([text, { begin: 0, end: bytes.length }]);
    }
  };
  phrases("koboldcpp", { banned_tokens: texts }, texts);
  const lines = texts.filter((text) => !/[\n]/.test(text) && !/^\[.*\]$|^".*"$/s.test(text));
  all("sillytavern", { banned_tokens: lines.join("\n") }, lines);
  phrases("sillytavern", { banned_tokens: lines.map((line) => `"${line}"`).join("\n") }, lines);
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
