/** Prompts that end inside a token: what is written begins as the prompt does, by the tokens that a plain loop over logits picks. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { drawF64, mt19937 } from "../../runtime/core/mt19937.js";
import { healingOf } from "../../runtime/generation/healing/healing.js";
import { compile, type Generation, type Model, type SequenceRequest } from "../../runtime/index.js";
import { randomIntegers } from "../grammars/walk.js";
import { loadExactModel } from "../model/file.js";

const TEXT = `In the beginning God created the heaven and the earth. And the earth was without form, and void; and darkness was upon the face of the deep. "Internationalisation", 12345 https://example.org/übermäßig 中文字 function(x) {  return x }`;
/** 20 beginnings of the text, most of which end inside a word. */
const PROMPTS = Array.from({ length: 20 }, (_, i) => TEXT.slice(0, 7 + Math.floor((i * (TEXT.length - 8)) / 19)));

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

describe.each(["gpt-2", "llama-spm", "deepseek-coder"])("the vocabulary of %s", (name) => {
  test("has tokens that write the end of a prompt again, whichever are picked", async () => {
    const path = `build/llama.cpp/models/ggml-vocab-${name}.gguf`;
    const model = await loadBinding().loadModel(path, { gpuLayers: 0, vocabOnly: true });
    const { vocabSize } = model.info;
    const pieces = Array.from({ length: vocabSize }, (_, token) => latin1(model.piece(token, false)));
    const random = randomIntegers(3);
    let healed = 0;
    for (const text of PROMPTS) {
      const prompt = model.tokenize(text, true, false);
      const last = pieces[prompt.at(-1)!]!;
      const healing = healingOf(model, prompt);
      expect(healing !== undefined).toBe(pieces.some((piece) => piece.length > last.length && piece.startsWith(last)));
      if (!healing) continue;
      healed++;
      let written = "";
      for (let place = 0; healing.isAt(place); place++) {
        const left = last.slice(written.length);
        const expected: number[] = [];
        for (const [token, piece] of pieces.entries())
          if (piece !== "" && (piece.startsWith(left) || left.startsWith(piece))) expected.push(token);
        const tokens = [...healing.tokensAt(place)].sort((a, b) => a - b);
        expect(tokens.join()).toBe(expected.join());
        const token = tokens[random(tokens.length)]!;
        expect(healing.cutAt(place, token)).toBe(Math.min(left.length, pieces[token]!.length));
        healing.accept(token);
        written += pieces[token]!;
      }
      expect(written.startsWith(last)).toBe(true);
    }
    expect(healed).toBeGreaterThan(10);
    model.dispose();
  });
});

const SAMPLED = compile(`
import { temp, dist } from "std"
chain sampled(t: f32 > 0 = 0.8, seed: seed = 7) = temp(t) |> dist(seed)
`);
const CONSTRAINED = compile(`
import { constrain, temp, dist } from "std"
chain obeying(g: grammar, t: f32 > 0 = 0.8, seed: seed = 7) = constrain(g) |> temp(t) |> dist(seed)
`);

let model: Model;
/** The bytes of each token. */
let pieces: string[];
beforeAll(async () => {
  model = await loadExactModel();
  pieces = Array.from({ length: model.info.vocabSize }, (_, token) => latin1(model.bytesOf(token)));
});
afterAll(() => model.dispose());

const bytesOf = (tokens: Iterable<number>): Buffer =>
  Buffer.concat(Array.from(tokens, (token) => Buffer.from(model.bytesOf(token))));
const promptOf = (text: string): number[] => [...model.tokenize(text)];

interface Plain {
  readonly prompt: string;
  readonly seed: number;
  readonly maxTokens: number;
  /** What the text after the prompt must match, up to any of its characters. */
  readonly pattern?: RegExp;
}

/** By the model's logits alone: at the first places the tokens are left out that do not write the end of the prompt. */
async function plain({ prompt, seed, maxTokens, pattern }: Plain): Promise<number[]> {
  const whole = promptOf(prompt);
  const last = latin1(bytesOf(whole.slice(-1)));
  const begun = whole.slice(0, -1);
  const rng = mt19937(seed);
  const tokens: number[] = [];
  let before = "";
  const mayCome = (token: number): boolean => {
    const after = before + pieces[token]!;
    if (before.length < last.length) {
      if (token === model.info.eos || after.length === before.length) return false;
      if (!after.startsWith(last) && !last.startsWith(after)) return false;
    }
    return !pattern || pattern.test(after.slice(last.length));
  };
  while (tokens.length < maxTokens) {
    const row = await model.logits(Int32Array.from([...begun, ...tokens]));
    const draw = Math.fround(drawF64(rng));
    const weights = Array.from(row, (logit, token) => (mayCome(token) ? Math.exp(logit / 0.8) : 0));
    const total = weights.reduce((sum, one) => sum + one, 0);
    let sum = 0;
    const token = weights.findIndex((weight) => (sum += weight / total) >= draw);
    if (token === model.info.eos) break;
    tokens.push(token);
    before += pieces[token]!;
  }
  return tokens;
}

interface Text {
  readonly tokens: number[];
  readonly text: string;
  readonly stats: ReturnType<Generation["stats"]>;
}

async function read(generation: Generation): Promise<Text> {
  const tokens: number[] = [];
  let text = "";
  for await (const piece of generation) {
    tokens.push(piece.token);
    text += piece.text;
  }
  return { tokens, text, stats: generation.stats() };
}

type Options = Partial<SequenceRequest>;
const heal = (prompt: string, options: Options = {}): Promise<Text> =>
  read(model.generate(prompt, { chain: SAMPLED, maxTokens: 6, heal: true, ...options }));

/** They end inside a word of the model's vocabulary. */
const CUT = [
  "In the beg", "And the Lo", "and it came to pa", "the childr", "And he sai", "the king of Isr", "the hou", "unto the peop",
  "And God sa", "all the da", "out of the lan", "And they we", "the wor", "in the mid", "upon the ear", "and the prie", "for ev",
  "And Mos", "my fath", "the commandm",
]; // prettier-ignore

describe("a text after a prompt that ends inside a word", () => {
  test("is that of a plain loop, and the whole begins as the prompt does", async () => {
    let healed = 0;
    for (const [seed, prompt] of CUT.entries()) {
      const expected = await plain({ prompt, seed, maxTokens: 3 });
      const { tokens, text, stats } = await heal(prompt, { uniforms: { seed }, maxTokens: 3 });
      if (stats.healed === undefined) continue;
      healed++;
      expect(tokens).toEqual(expected);
      const last = promptOf(prompt).slice(-1);
      const whole = bytesOf([...promptOf(prompt).slice(0, -1), ...tokens]);
      expect(whole.subarray(0, bytesOf(promptOf(prompt)).length).equals(bytesOf(promptOf(prompt)))).toBe(true);
      expect(text).toBe(bytesOf(tokens).subarray(bytesOf(last).length).toString());
      expect(stats).toMatchObject({ healed: bytesOf(last).toString(), promptTokens: promptOf(prompt).length - 1 });
    }
    expect(healed).toBeGreaterThan(15);
  });

  test("is the same alone, in a batch, token by token, on the CPU, with drafts, with a host tail, and with what pieces list", async () => {
    const prompt = "And the Lo";
    const uniforms = { seed: 3 };
    const { tokens, text } = await heal(prompt, { uniforms, maxTokens: 12 });
    for (const more of [
      { ahead: 0 },
      { logprobs: 3 },
      { alternatives: 2 },
      { placement: "host" as const },
      { speculate: { ngram: {} } },
      { stop: ["qqq"] },
      { bannedPhrases: ["qqq"] },
    ])
      expect(await heal(prompt, { uniforms, maxTokens: 12, ...more })).toMatchObject({ tokens, text });
    const tailed = compile(`import { temp } from "std"\nchain tailed() = temp(0.8) |> host dist(seed: 3)`);
    expect(await heal(prompt, { chain: tailed, maxTokens: 12 })).toMatchObject({ tokens, text });
    const batch = model.batch({ sequences: 8 });
    const together = await Promise.all(
      Array.from({ length: 8 }, (_, seed) =>
        read(batch.add(prompt, { chain: SAMPLED, maxTokens: 12, heal: seed % 4 === 3, uniforms: { seed } })),
      ),
    );
    batch.dispose();
    expect(together[3]).toMatchObject({ tokens, text });
    expect(together[2]!.stats.healed).toBeUndefined();
  });

  test("is the same after pieces were taken back, and after it was saved at any place", async () => {
    // a word whose beginning is written in several tokens, too
    const prompt = "the commandm";
    const uniforms = { seed: 5 };
    const whole = await heal(prompt, { uniforms, maxTokens: 8 });
    for (const turns of [1, 2, 5]) {
      const generation = model.generate(prompt, { chain: SAMPLED, heal: true, uniforms, maxTokens: 8 });
      const before: string[] = [];
      for await (const piece of generation) if (before.push(piece.text) === turns) break;
      const back = turns % 2;
      generation.rewind(back);
      before.length -= back;
      const { tokens, sequence } = generation.save();
      const resume = JSON.parse(JSON.stringify(sequence)) as typeof sequence;
      const chain = SAMPLED;
      const after = await read(model.generate(tokens, { chain, resume, maxTokens: 8 - before.length }));
      expect([...tokens.slice(promptOf(prompt).length - 1), ...after.tokens]).toEqual(whole.tokens);
      expect(before.join("") + after.text).toBe(whole.text);
      // a phrase is looked for in the text alone
      const banned = { bannedPhrases: [prompt.slice(-4)] };
      expect((await read(model.generate(tokens, { chain, resume, maxTokens: 2, ...banned }))).stats.rewinds).toBe(0);
    }
    const generation = model.generate(prompt, { chain: SAMPLED, heal: true, uniforms, maxTokens: 8 });
    const tokens: number[] = [];
    let acts = 4;
    for await (const { token } of generation) {
      tokens.push(token);
      if (acts-- > 0) {
        generation.rewind(tokens.length);
        tokens.length = 0;
      }
    }
    expect(tokens).toEqual(whole.tokens);
  });

  test("what is saved of another text, or damaged, ends as any other", async () => {
    const generation = model.generate("the commandm", { chain: SAMPLED, heal: true, maxTokens: 1 });
    for await (const _ of generation) break;
    const { tokens, sequence } = generation.save();
    for (const healed of [[255, 254], [], [104, 101, 255], [...Array(1024).keys()].map((i) => 97 + (i % 26))]) {
      const resume = { ...sequence, step: 0, healed };
      expect((await read(model.generate(tokens, { chain: SAMPLED, resume, maxTokens: 3 }))).tokens).toHaveLength(3);
    }
    for (const healed of [[256], Array<number>(1025).fill(97), "he"]) {
      const resume = { ...sequence, healed } as typeof sequence;
      expect(() => model.generate(tokens, { chain: SAMPLED, resume })).toThrow("healed");
    }
  });

  test("a grammar begins after the prompt", async () => {
    const g = { regex: "[a-z]{1,3}( [a-z]+)*" };
    // what such a text may begin with
    const pattern = /^(?:[a-z]{0,3}|[a-z]{1,3}(?: [a-z]+)*(?: [a-z]*)?)$/;
    for (const [seed, prompt] of ["And the Lo", "the king of Isr", "the commandm"].entries()) {
      const expected = await plain({ prompt, seed, maxTokens: 5, pattern });
      const text = await heal(prompt, { chain: CONSTRAINED, uniforms: { seed, g }, maxTokens: 5 });
      expect(text.tokens).toEqual(expected);
      expect(text.text).toMatch(pattern);
      expect(text.stats.disallowedTokens).toBeUndefined();
    }
    // it is saved with what it has read
    const generation = model.generate("the king of Isr", {
      ...{ chain: CONSTRAINED, heal: true, maxTokens: 5, uniforms: { seed: 1, g } },
    });
    for await (const _ of generation) break;
    const { tokens, sequence } = generation.save();
    const rest = await read(model.generate(tokens, { chain: CONSTRAINED, resume: sequence, maxTokens: 4 }));
    const whole = await heal("the king of Isr", { chain: CONSTRAINED, uniforms: { seed: 1, g }, maxTokens: 5 });
    expect([tokens.at(-1), ...rest.tokens]).toEqual(whole.tokens);
    // all of it is decided
    const choices = ["RD of hosts"];
    expect((await heal("And the LO", { chain: CONSTRAINED, uniforms: { g: { choices } }, maxTokens: 20 })).text).toBe(
      choices[0],
    );
  });

  test("phrases and stop texts are looked for after the prompt", async () => {
    const prompt = "And the Lo";
    const uniforms = { seed: 3 };
    const { text } = await heal(prompt, { uniforms, maxTokens: 12 });
    const stop = text.slice(3, 6);
    expect((await heal(prompt, { uniforms, maxTokens: 12, stop: [stop, "Lo"] })).text).toBe(text.split(stop)[0]);
    const without = await heal(prompt, { uniforms, maxTokens: 12, bannedPhrases: [text.slice(0, 2), "Lo"] });
    expect(without.text.startsWith(text.slice(0, 2))).toBe(false);
    expect(without.stats.rewinds).toBeGreaterThan(0);
  });

  test("the guides of a chain read the same tokens", async () => {
    const chain = compile(`import { greedy } from "std"
input negative: logits
sampler away() { logit = 2 * logit - negative }
chain guided() = away() |> greedy()`);
    const prompt = "And the Lo";
    const [healed, same] = await Promise.all(
      [prompt, promptOf(prompt)].map((guide) =>
        heal(prompt, {
          chain,
          guides: { negative: { prompt: typeof guide === "string" ? guide : Int32Array.from(guide) } },
        }),
      ),
    );
    // a guide with the same prompt changes nothing
    const greedy = compile(`import { greedy } from "std"\nchain plain() = greedy()`);
    const alone = await heal(prompt, { chain: greedy });
    expect(healed!.tokens).toEqual(alone.tokens);
    expect(same!.tokens).toEqual(alone.tokens);
  });
});

describe("a prompt stays as it is", () => {
  test("where no longer token begins with its last one, or that is its only one, or a special token", async () => {
    const longest = [...Array(model.info.vocabSize).keys()].find(
      (token) => token > 300 && /^ [a-z]+$/.test(model.textOf(token)) && healingOfToken(token) === undefined,
    )!;
    for (const prompt of [[1, longest], [promptOf("And the Lo").at(-1)!], [5, model.info.bos]]) {
      const tokens = Int32Array.from(prompt.filter((token) => token >= 0));
      const healed = await read(model.generate(tokens, { chain: SAMPLED, heal: true, maxTokens: 4 }));
      const as = await read(model.generate(tokens, { chain: SAMPLED, maxTokens: 4 }));
      expect(healed.tokens).toEqual(as.tokens);
      expect(healed.stats).toMatchObject({ promptTokens: tokens.length });
      expect(healed.stats.healed).toBeUndefined();
    }
  });

  /** Undefined where no longer token begins with its text. */
  function healingOfToken(token: number): number | undefined {
    const own = bytesOf([token]);
    return [...Array(model.info.vocabSize).keys()].find((other) => {
      const bytes = bytesOf([other]);
      return bytes.length > own.length && bytes.subarray(0, own.length).equals(own);
    });
  }

  test("conversations, and texts that go on, are refused", async () => {
    const options = { chain: SAMPLED, heal: true, maxTokens: 2 };
    const messages = [{ role: "user" as const, content: "And" }];
    expect(() => model.chat(messages, options)).toThrow("`heal` is for prompts that are texts");
    const batch = model.batch({ sequences: 1 });
    expect(() => batch.chat(messages, options)).toThrow("`heal` is for prompts that are texts");
    batch.dispose();
    const generation = model.generate("And the Lo", options);
    for await (const _ of generation) break;
    const { tokens, sequence } = generation.save();
    expect(() => model.generate(tokens, { ...options, resume: sequence })).toThrow(
      "`heal` cannot be given with `resume`",
    );
  });
});
