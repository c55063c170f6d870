/** Texts without phrases are those that brute force writes, alone and in a batch, whatever else is asked for. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { compile, type Generation, type Model, type Phrase, type SequenceRequest } from "../../runtime/index.js";
import { randomIntegers } from "../grammars/walk.js";
import { loadExactModel } from "../model/file.js";
import { writtenAgain, type Parts } from "./writtenAgain.js";

const PROMPT = "And it came to pass";
const SAMPLED = compile(`
import { temp, dist } from "std"
chain sampled(t: f32 > 0 = 0.8, seed: seed = 7) = temp(t) |> dist(seed)
`);

let model: Model;
beforeAll(async () => {
  model = await loadExactModel();
});
afterAll(() => model.dispose());

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

const write = (options: Omit<SequenceRequest, "chain"> & { chain?: SequenceRequest["chain"] }): Promise<Text> =>
  read(model.generate(PROMPT, { chain: SAMPLED, maxTokens: 40, ...options }));

const escaped = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&");

/** A phrase, and the same as parts. */
type Both = readonly [Phrase, Parts];

const letters = (text: string): string[] => Array.from(text, escaped);
const textBoth = (text: string): Both => [text, { parts: letters(text) }];
const patternBoth = (...parts: readonly string[]): Both => [{ regex: parts.join("") }, { parts }];

/** Words and parts of words of texts that the model writes without phrases. */
async function randomPhrases(seed: number): Promise<Both[]> {
  const random = randomIntegers(seed);
  const { text } = await write({ uniforms: { seed }, maxTokens: 60 });
  const words = text.split(" ").filter((word) => /^[a-z]{2,}$/i.test(word));
  const word = (): string => words[random(words.length)]!;
  return Array.from({ length: 3 + random(6) }, (): Both => {
    const kind = random(5);
    if (kind === 0) return textBoth(` ${word()} ${word()}`);
    if (kind === 1) {
      const one = word().toUpperCase();
      return [
        { text: one, ignoreCase: true },
        { parts: letters(one), ignoreCase: true },
      ];
    }
    if (kind === 2) return patternBoth(...letters(` ${word().slice(0, 2)}`), "[a-z]{1,6}", " ", ".{1,8}", "[,.;:]");
    const any = Array.from({ length: 2 + random(4) }, () => "[^]");
    if (kind === 3) return patternBoth("[a-z]", "[a-z]", ...any, "[a-f ]", "[aeiou]");
    return textBoth(` ${word()}`);
  });
}

describe("a text without phrases", () => {
  let rewinds = 0;
  afterAll(() => expect(rewinds).toBeGreaterThan(100));
  test.each(Array.from({ length: 10 }, (_, seed) => seed))("is that of brute force (%i)", async (seed) => {
    const both = await randomPhrases(seed);
    const bannedPhrases = both.map(([phrase]) => phrase);
    const phrases = both.map(([, parts]) => parts);
    const asked = { prompt: PROMPT, phrases, seed, temperature: 0.8, maxTokens: 40 };
    const { tokens, ...counts } = await writtenAgain(model, asked);
    const text = await write({ uniforms: { seed }, bannedPhrases });
    expect(text.tokens).toEqual(tokens);
    rewinds += counts.rewinds;
    expect(text.stats).toMatchObject({ rewinds: counts.rewinds, takenBackTokens: counts.takenBackTokens });
    for (const { parts, ignoreCase } of phrases)
      expect(text.text).not.toMatch(new RegExp(parts.join(""), ignoreCase ? "is" : "s"));
    // token by token, and with the chain on the CPU
    for (const more of [{ ahead: 0 }, { logprobs: 3 }, { alternatives: 2 }, { placement: "host" as const }])
      expect((await write({ uniforms: { seed }, bannedPhrases, ...more })).tokens).toEqual(tokens);
  });

  test("is the same in a batch of 64, and beside texts that are not asked", async () => {
    const bannedPhrases = (await randomPhrases(3)).map(([phrase]) => phrase);
    const batch = model.batch({ sequences: 64 });
    const one = (seed: number): Promise<Text> => {
      const phrases = seed % 4 === 3 ? {} : { bannedPhrases };
      return read(batch.add(PROMPT, { chain: SAMPLED, maxTokens: 24, uniforms: { seed }, ...phrases }));
    };
    const together = await Promise.all(Array.from({ length: 64 }, (_, seed) => one(seed)));
    batch.dispose();
    expect(together.filter(({ stats }) => (stats.rewinds ?? 0) > 0).length).toBeGreaterThan(20);
    for (const seed of [0, 1, 2, 3, 17, 42, 63]) {
      const phrases = seed % 4 === 3 ? {} : { bannedPhrases };
      expect((await write({ maxTokens: 24, uniforms: { seed }, ...phrases })).tokens).toEqual(together[seed]!.tokens);
    }
  });

  test("is that of brute force beside a grammar", async () => {
    const chain = compile(`
import { constrain, temp, dist } from "std"
chain obeying(g: grammar, t: f32 > 0 = 0.8, seed: seed = 7) = constrain(g) |> temp(t) |> dist(seed)
`);
    const pieces = Array.from({ length: model.info.vocabSize }, (_, token) =>
      Buffer.from(model.bytesOf(token)).toString("latin1"),
    );
    const isAllowed = pieces.map((piece, token) => token === model.info.eos || /^[a-z ]+$/.test(piece));
    const both = [textBoth(" the"), textBoth(" of"), patternBoth("[aeiou]", "[nr]", "[a-z]{1,3}", " ")];
    const bannedPhrases = both.map(([phrase]) => phrase);
    for (const seed of [1, 2, 3]) {
      const written = await writtenAgain(model, {
        prompt: PROMPT,
        phrases: both.map(([, parts]) => parts),
        seed,
        temperature: 0.8,
        maxTokens: 30,
        allowed: (_, token) => isAllowed[token]!,
      });
      expect(written.rewinds).toBeGreaterThan(0);
      const uniforms = { seed, g: { regex: "[a-z ]*" } };
      const text = await write({ chain, uniforms, bannedPhrases, maxTokens: 30 });
      expect(text.tokens).toEqual(written.tokens);
      expect(text.stats.disallowedTokens).toBeUndefined();
    }
  });

  test("stays where a grammar allows nothing else", async () => {
    const chain = compile(`
import { constrain, greedy } from "std"
chain obeying(g: grammar) = constrain(g) |> greedy()
`);
    const g = { gbnf: 'root ::= "the king said " ("yes" | "no") " and went"' };
    const { text, stats } = await write({ chain, uniforms: { g }, bannedPhrases: ["king", " and"] });
    expect(text).toMatch(/^the king said (?:yes|no) and went$/);
    expect(stats.keptPhrases).toBe(2);
    const other = text.includes("yes") ? "yes" : "no";
    const changed = await write({ chain, uniforms: { g }, bannedPhrases: ["king", other] });
    expect(changed.text).toBe(text.replace(other, other === "yes" ? "no" : "yes"));
    expect(changed.stats).toMatchObject({ finish: "end", keptPhrases: 1 });
  });

  test("counts before the chain: what it keeps is of the other tokens", async () => {
    const chain = compile(`
import { allowed_tokens, greedy } from "std"
chain few() = allowed_tokens(tokens(" the", " and", " of")) |> greedy()
`);
    const { text, stats } = await write({ chain, maxTokens: 4, bannedPhrases: [" the", " and"] });
    expect(text).toBe(" of of of of");
    expect(stats.keptPhrases).toBe(0);
  });

  test("is the same with a host tail, and with drafts", async () => {
    const bannedPhrases = (await randomPhrases(5)).map(([phrase]) => phrase);
    const host = compile(`
import { temp } from "std"
chain tailed(seed: seed = 7) = temp(0.8) |> host dist(seed: 5)
`);
    const plain = await write({ bannedPhrases, uniforms: { seed: 5 } });
    expect((await write({ chain: host, bannedPhrases })).tokens).toEqual(plain.tokens);
    const drafted = await write({ bannedPhrases, uniforms: { seed: 5 }, speculate: { ngram: {} } });
    expect(drafted.tokens).toEqual(plain.tokens);
    expect(drafted.stats.rewinds).toBe(plain.stats.rewinds);
  });

  test("is the same after pieces were taken back, and after it was saved", async () => {
    const bannedPhrases = (await randomPhrases(6)).map(([phrase]) => phrase);
    const options = { chain: SAMPLED, bannedPhrases, uniforms: { seed: 6 } };
    const whole = await write({ ...options, maxTokens: 40 });
    const random = randomIntegers(6);
    for (let round = 0; round < 5; round++) {
      const generation = model.generate(PROMPT, { ...options, maxTokens: 40 });
      const tokens: number[] = [];
      const turns = 1 + random(20);
      for await (const { token } of generation) {
        tokens.push(token);
        if (tokens.length === turns) {
          const count = random(turns);
          generation.rewind(count);
          tokens.splice(tokens.length - count);
          break;
        }
      }
      const saved = generation.save();
      expect(JSON.stringify(saved.sequence)).not.toContain("masked");
      const { chain } = options;
      const rest = { chain, bannedPhrases, resume: saved.sequence, maxTokens: 40 - tokens.length };
      const after = await read(model.generate(saved.tokens, rest));
      expect([...tokens, ...after.tokens]).toEqual(whole.tokens);
    }
    // taken back while the text goes on
    const generation = model.generate(PROMPT, { ...options, maxTokens: 40 });
    const tokens: number[] = [];
    let acts = 12;
    for await (const { token } of generation) {
      tokens.push(token);
      if (acts-- <= 0) continue;
      const count = Math.min(random(4), tokens.length);
      generation.rewind(count);
      tokens.splice(tokens.length - count);
    }
    expect(tokens).toEqual(whole.tokens);
  });
});

describe("phrases of a program", () => {
  const PROGRAM = compile(`
import { ban_phrases, temp, dist } from "std"
chain sampled(banned: phrases, t: f32 > 0 = 0.8, seed: seed = 7) = ban_phrases(banned) |> temp(t) |> dist(seed)
`);

  test.each([1, 2, 4])("are those of the option (%i)", async (seed) => {
    const banned = (await randomPhrases(seed)).map(([phrase]) => phrase);
    const expected = await write({ uniforms: { seed }, bannedPhrases: banned });
    expect(expected.stats.rewinds).toBeGreaterThan(0);
    for (const more of [
      {},
      { ahead: 0 },
      { logprobs: 2 },
      { alternatives: 2 },
      { placement: "host" as const },
      { speculate: { ngram: {} } },
    ]) {
      const text = await write({ chain: PROGRAM, uniforms: { seed, banned }, ...more });
      expect(text.tokens).toEqual(expected.tokens);
      expect(text.stats).toMatchObject({
        rewinds: expected.stats.rewinds,
        takenBackTokens: expected.stats.takenBackTokens,
      });
    }
    const half = { uniforms: { seed, banned: banned.slice(0, 2) }, bannedPhrases: banned.slice(2) };
    expect((await write({ chain: PROGRAM, ...half })).tokens).toEqual(expected.tokens);
  });

  test("are saved with the text, and can change", async () => {
    const banned = (await randomPhrases(6)).map(([phrase]) => phrase);
    const whole = await write({ chain: PROGRAM, uniforms: { seed: 6, banned } });
    const generation = model.generate(PROMPT, { chain: PROGRAM, uniforms: { seed: 6, banned }, maxTokens: 40 });
    const tokens: number[] = [];
    for await (const { token } of generation) if (tokens.push(token) === 9) break;
    const saved = generation.save();
    expect(saved.sequence.phrases).toEqual({ banned });
    const resume = JSON.parse(JSON.stringify(saved.sequence)) as typeof saved.sequence;
    const after = await read(model.generate(saved.tokens, { chain: PROGRAM, resume, maxTokens: 31 }));
    expect([...tokens, ...after.tokens]).toEqual(whole.tokens);
    // none from the beginning on, then those
    const other = model.generate(PROMPT, { chain: PROGRAM, uniforms: { seed: 6 }, maxTokens: 40 });
    let text = "";
    for await (const piece of other) {
      text += piece.text;
      if (text.length > 30) break;
    }
    const changed = model.generate(PROMPT, { chain: PROGRAM, uniforms: { seed: 6 }, maxTokens: 40 });
    let [first, rest] = ["", ""];
    for await (const piece of changed) {
      if (first.length <= 30) first += piece.text;
      else rest += piece.text;
      if (first.length > 30 && rest === "") changed.setUniforms({ banned: ["e", "o"] });
    }
    expect(first).toBe(text);
    expect(rest).toMatch(/^[^eo]+$/);
  });

  test("of a literal are in no text", async () => {
    const chain = compile(`
import { ban_phrases, greedy } from "std"
chain plain() = ban_phrases(phrases(" the", /(?i)and./)) |> greedy()
`);
    const { text, stats } = await write({ chain });
    expect(stats.rewinds).toBeGreaterThan(0);
    expect(text).not.toMatch(/ the|and./i);
  });

  test.each([
    [{ banned: [3] }, "`banned[0]` must be a text"],
    [{ banned: 3 }, "`banned` is a list of phrases, found number"],
    [{ banned: [{ regex: "a*b" }] }, "`banned[0]`: the regular expression matches texts of any length"],
    [{ banned: [{ regex: "a", flags: "i" }] }, "banned[0].flags"],
  ])("%j is refused", (uniforms, message) => {
    expect(() => model.generate(PROMPT, { chain: PROGRAM, uniforms })).toThrow(message);
  });
});

describe("a text that is taken back", () => {
  test("ends at its limit, before the phrase", async () => {
    const bannedPhrases = [{ regex: "[a-z]{2}" }];
    const asked = {
      prompt: PROMPT,
      phrases: [{ parts: ["[a-z]", "[a-z]"] }],
      seed: 2,
      temperature: 0.8,
      maxTokens: 40,
      maxRewinds: 5,
    };
    const { tokens, ...counts } = await writtenAgain(model, asked);
    expect(counts).toMatchObject({ rewinds: 5, isCut: true });
    const text = await write({ uniforms: { seed: 2 }, bannedPhrases, maxRewinds: 5 });
    expect(text.tokens).toEqual(tokens);
    expect(text.stats).toMatchObject({ finish: "rewinds", rewinds: 5, takenBackTokens: counts.takenBackTokens });
    expect((await write({ bannedPhrases, maxRewinds: 0 })).stats).toMatchObject({ finish: "rewinds", rewinds: 0 });
  });

  test("never had a phrase in its pieces, and waits for no more than the longest", async () => {
    const plain = await write({ uniforms: { seed: 9 } });
    const [first, second] = plain.text.trim().split(" ");
    const bannedPhrases = [` ${first} ${second} xyz`];
    const generation = model.generate(PROMPT, {
      chain: SAMPLED,
      uniforms: { seed: 9 },
      maxTokens: 40,
      bannedPhrases,
      ahead: 0,
    });
    let text = "";
    for await (const piece of generation) {
      text += piece.text;
      // what is held back is the beginning of the phrase
      const { generatedTokens } = generation.stats();
      const held = plain.tokens.slice(0, generatedTokens).map((token) => Buffer.from(model.bytesOf(token)));
      expect(Buffer.concat(held).length - Buffer.from(text).length).toBeLessThan(bannedPhrases[0]!.length);
    }
    expect(text).toBe(plain.text);
    expect(generation.stats().rewinds).toBe(0);
  });

  test("ends with a stop text that is complete before a phrase", async () => {
    const plain = await write({ uniforms: { seed: 9 } });
    const words = plain.text.split(" ").filter((word) => word.length > 2);
    const [stop, phrase] = [words[2]!.slice(0, 2), words[2]!.slice(0, 3)];
    const { stats, ...one } = await write({ uniforms: { seed: 9 }, stop: [stop], bannedPhrases: [phrase] });
    const { stats: alone, ...other } = await write({ uniforms: { seed: 9 }, stop: [stop] });
    expect(one).toEqual(other);
    expect(stats).toMatchObject({ finish: "stop", stopText: stop, rewinds: 0, generatedTokens: alone.generatedTokens });
    // of both at once the phrase
    const both = await write({ uniforms: { seed: 9 }, stop: [stop], bannedPhrases: [stop] });
    expect(both.stats.rewinds).toBeGreaterThan(0);
    expect(both.text).not.toContain(stop);
  });
});
