/** Forced tokens: how many there are, counted over the text without an engine, and texts that are those of asking for each token. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { compile } from "../../runtime/chain/chain.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import type { GenerateOptions } from "../../runtime/generation/generate.js";
import { DEMO_MODEL } from "../model/file.js";
import { endsOf, wordsOf, type Words } from "./walk.js";

let words: Words;
let model: Model;
beforeAll(async () => {
  words = await wordsOf(DEMO_MODEL);
  model = await loadModel(DEMO_MODEL, { contextSize: 256 });
});
afterAll(() => {
  words.model.dispose();
  model.dispose();
});

/** Characters that a text of a template may have at each of its places. */
const DIGITS = "0123456789";
const TEMPLATE = [...Array<string>(3).fill(DIGITS), ...Array.from("-XQZKJWV#@!"), ...Array<string>(4).fill(DIGITS)];
const REGEX = "[0-9]{3}-XQZKJWV#@![0-9]{4}";
const PROGRAM = `import {
  constrain, dist, dry, greedy, min_p, mirostat, mirostat_v2, penalties, temp, top_k, top_p, typical, xtc, adaptive_p
} from "std"
`;

/** The places of a text, but the first, where the template has one token alone. */
function placesWithOne(tokens: readonly number[]): number {
  const ends = endsOf(words.vocabulary);
  const { control } = words.vocabulary.classes!;
  const never = new Set([...ends, ...control]);
  let at = 0;
  let count = 0;
  for (const [i, token] of tokens.entries()) {
    const fits = (text: string): boolean =>
      text.length > 0 && Array.from(text).every((character, k) => TEMPLATE[at + k]?.includes(character) === true);
    const allowed = words.texts.flatMap((text, id) => (!never.has(id) && fits(text) ? [id] : []));
    expect(allowed).toContain(token);
    if (allowed.length === 1 && i > 0) count++;
    at += words.texts[token]!.length;
  }
  return count;
}

async function textOf(program: string, options: Partial<GenerateOptions> = {}) {
  const chain = compile(`${PROGRAM}${program}`);
  const generation = model.generate("In the beginning", {
    chain,
    uniforms: { g: { regex: REGEX } },
    maxTokens: 60,
    ...options,
  });
  let text = "";
  const tokens: number[] = [];
  for await (const piece of generation) {
    text += piece.text;
    tokens.push(piece.token);
  }
  return { text, tokens, stats: generation.stats() };
}

const FORCED: Record<string, string> = {
  "the usual chain": "chain c(g: grammar) = constrain(g) |> top_k(40) |> temp(1) |> dist(5)",
  "the best token": "chain c(g: grammar) = constrain(g) |> greedy()",
  penalties: "chain c(g: grammar) = constrain(g) |> penalties(64, 1.3, 0.2, 0.1) |> top_p(0.9) |> dist(7)",
  dry: "chain c(g: grammar) = constrain(g) |> dry(0.8) |> min_p(0.05) |> dist(7)",
  "other logits before it": "chain c(g: grammar) = temp(0.7) |> constrain(g) |> dist(5)",
  "a sampler of the program": `sampler digits(g: grammar) { let ok = allowed(g)  keep ok }
chain c(g: grammar) = digits(g) |> dist(5)`,
  "a condition that is constant": `sampler digits(g: grammar, static on: bool = true) { if on { keep allowed(g) } }
chain c(g: grammar) = digits(g) |> dist(5)`,
  "a second grammar after it": `chain c(g: grammar) = constrain(g) |> constrain("root ::= [^a]*") |> dist(5)`,
  "a filter under a condition after it": `sampler some() { if step < 4 { keep prob > 0.01 } }
chain c(g: grammar) = constrain(g) |> some() |> dist(5)`,
  "a state that the host knows": `sampler cooling() {
  state heat: f32 = 2
  logit /= heat
  after pick { heat = max(heat * 0.9, 0.5) }
}
chain c(g: grammar) = constrain(g) |> cooling() |> dist(5)`,
  "a draw of a condition after it": `sampler sometimes() { if uniform(3) > 0.5 { logit *= 0.5 } }
chain c(g: grammar) = constrain(g) |> sometimes() |> dist(5)`,
};

const ASKED: Record<string, string> = {
  "a state that counts draws of the rows": "chain c(g: grammar) = constrain(g) |> xtc(0.5, 0.1, 3) |> dist(9)",
  "a filter before it": "chain c(g: grammar) = top_k(2000) |> constrain(g) |> dist(5)",
  "a filter of the program before it": `sampler some() { keep prob > 0 }
chain c(g: grammar) = some() |> constrain(g) |> dist(5)`,
  "a condition": `sampler now(g: grammar) { if step < 1000 { keep allowed(g) } }
chain c(g: grammar) = now(g) |> dist(5)`,
  "more rows stay": `sampler some(g: grammar) { keep allowed(g) at least 2 }
chain c(g: grammar) = some(g) |> constrain(g) |> dist(5)`,
  "rows beside those of the grammar": `sampler some(g: grammar) { keep allowed(g) or token == 3 }
chain c(g: grammar) = some(g) |> constrain(g) |> dist(5)`,
  "a state of the rows": "chain c(g: grammar) = constrain(g) |> mirostat_v2(5, 0.1, seed: 5)",
  "a state of the picked token": `sampler again() {
  state before: i32 = -1
  logit -= token == before ? 0.5 : 0
  pick sample(5)
  after pick { before = picked(token) }
}
chain c(g: grammar) = constrain(g) |> again()`,
  "a measure": `sampler seen() { measure highest = max(prob) }
chain c(g: grammar) = constrain(g) |> seen() |> dist(5)`,
  "a host tail": "chain c(g: grammar) = constrain(g) |> host dist(seed: 5)",
};

describe("tokens are forced", () => {
  test.each(Object.entries(FORCED))("%s", async (_, program) => {
    const { text, tokens, stats } = await textOf(program);
    expect(text).toMatch(new RegExp(`^${REGEX}$`));
    const expected = placesWithOne(tokens);
    expect(expected).toBeGreaterThan(3);
    expect(stats.forcedTokens).toBe(expected);
    expect(stats.generatedTokens).toBe(tokens.length);
    // wherever a group of tokens ends that is computed before it is asked for
    for (const ahead of [1, 2, 5]) {
      const grouped = await textOf(program, { ahead });
      expect(grouped.tokens).toEqual(tokens);
      expect(grouped.stats.forcedTokens).toBe(expected);
    }
    // with alternatives, and with log-probabilities, the model is asked for each token
    for (const options of [{ alternatives: 1 }, { logprobs: 0 }]) {
      const asked = await textOf(program, options);
      expect(asked.tokens).toEqual(tokens);
      expect(asked.stats.forcedTokens).toBeUndefined();
      // a decode for each token and for the end, which is alone, too; forced tokens have none
      expect(asked.stats.setInputs).toBe(tokens.length + 1);
      expect(stats.setInputs).toBe(tokens.length - expected);
    }
  });
});

describe("the model is asked for each token", () => {
  test.each(Object.entries(ASKED))("%s", async (_, program) => {
    const { text, tokens, stats } = await textOf(program);
    expect(stats.forcedTokens).toBeUndefined();
    if (stats.disallowedTokens === undefined) expect(placesWithOne(tokens)).toBeGreaterThan(3);
    expect(text.length).toBeGreaterThan(0);
  });
});
