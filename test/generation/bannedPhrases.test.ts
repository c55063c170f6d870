/** Texts without phrases are those that brute force writes, alone and in a batch, whatever else is asked for. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { compile, loadModel, type Generation, type Model, type Phrase, type SequenceRequest } from "../../runtime/index.js";
import { randomIntegers } from "../grammars/walk.js";
import { DEMO_MODEL, loadExactModel } from "../model/file.js";
import { writtenAgain } from "./writtenAgain.js";

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

/** Words and parts of words of texts that the model writes without phrases. */
async function randomPhrases(seed: number): Promise<Phrase[]> {
  const random = randomIntegers(seed);
  const { text } = await write({ uniforms: { seed }, maxTokens: 60 });
  const words = text.split(" ").filter((word) => /^[a-z]{2,}$/i.test(word));
  const word = (): string => words[random(words.length)]!;
  return Array.from({ length: 3 + random(6) }, (): Phrase => {
    const kind = random(4);
    if (kind === 0) return ` ${word()} ${word()}`;
    if (kind === 1) return { text: word().toUpperCase(), ignoreCase: true };
    if (kind === 2) return { regex: ` ${word().slice(0, 2)}[a-z]{1,6} .{1,8}[,.;:]` };
    return ` ${word()}`;
  });
}

const patternsOf = (phrases: readonly Phrase[]): RegExp[] =>
  phrases.map((phrase) => {
    const given = typeof phrase === "string" ? { text: phrase } : phrase;
    return new RegExp(`^(?:${"text" in given ? escaped(given.text) : given.regex})$`, given.ignoreCase ? "i" : "");
  });

describe("a text without phrases", () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])("is that of brute force (%i)", async (seed) => {
    const bannedPhrases = await randomPhrases(seed);
    const asked = { prompt: PROMPT, phrases: patternsOf(bannedPhrases), seed, temperature: 0.8, maxTokens: 40 };
    const { tokens, ...counts } = await writtenAgain(model, asked);
    const text = await write({ uniforms: { seed }, bannedPhrases });
    expect(text.tokens).toEqual(tokens);
    expect(text.stats).toMatchObject({ rewinds: counts.rewinds, takenBackTokens: counts.takenBackTokens });
    for (const pattern of asked.phrases) expect(text.text).not.toMatch(new RegExp(pattern.source.slice(1, -1), pattern.flags));
    // token by token, and with the chain on the CPU
    for (const more of [{ ahead: 0 }, { logprobs: 3 }, { alternatives: 2 }, { placement: "host" as const }])
      expect((await write({ uniforms: { seed }, bannedPhrases, ...more })).tokens).toEqual(tokens);
  });
});
