/**
 * Texts of chains that depend on the text, or have states, are the same where the context writes them on by itself and where each token
 * is asked for with its log-probability, which is computed from the sequence in TypeScript.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { compile, type Chain, type GenerateOptions, type Model, type Piece } from "../../runtime/index.js";
import { randomIntegers } from "../grammars/walk.js";
import { loadExactModel } from "../model/file.js";

const PROMPT = "In the beginning God created the heaven and the earth. And the earth was";

let model: Model;
beforeAll(async () => {
  model = await loadExactModel();
});
afterAll(() => model.dispose());

const of = (stages: string, params = "seed: seed = 7"): Chain => {
  const names = [...new Set([...stages.matchAll(/([a-z_0-9]+)\(/g)].map(([, name]) => name))];
  return compile(`import { ${names.join(", ")} } from "std"\nchain c(${params}) = ${stages}`);
};

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", maxLength: 12 },
    colour: { enum: ["red", "green"] },
    size: { type: "integer", minimum: 0, maximum: 99 },
  },
  required: ["name", "colour", "size"],
};

interface Case {
  readonly name: string;
  readonly chain: Chain;
  /** It is asked for each token: the grammar's only tokens need a state that the graph computes. */
  readonly isAsked?: true;
  readonly options?: Omit<Partial<GenerateOptions>, "chain">;
  /** What is set in the middle of a text. */
  readonly set?: (random: (below: number) => number) => Record<string, number | readonly number[]>;
}

const CASES: readonly Case[] = [
  {
    name: "penalties",
    chain: of(
      "penalties(40, r, 0.2, 0.1) |> top_k(50) |> temp(0.9) |> dist(seed)",
      "seed: seed = 7, r: f32 >= 1 = 1.2",
    ),
    set: (random) => ({ r: 1 + random(8) / 10 }),
  },
  {
    name: "a grammar that decides alone, and a state that is computed in the graph",
    chain: compile(`import { constrain, dist } from "std"
sampler paced() {
  state pace: f32 = 1
  logit /= 1 + pace / 100
  after pick { pace = repeat 30 with x = pace + step: (x + 2 / x) / 2 }
}
chain c(g: grammar, seed: seed = 7) = constrain(g) |> paced() |> dist(seed)`),
    isAsked: true,
    options: { uniforms: { g: { jsonSchema: SCHEMA } } },
  },
  { name: "DRY", chain: of("dry(multiplier: 0.8, allowed_length: 1) |> top_k(40) |> dist(seed)") },
  { name: "Mirostat", chain: of("mirostat_v2(seed: seed)") },
  { name: "a dynamic temperature and a typical cut", chain: of("typical(0.9) |> temp(1.1) |> dist(seed)") },
  { name: "XTC, whose second draw comes where it is asked for", chain: of("xtc(0.5, 0.05, 0, seed) |> dist(seed)") },
  {
    name: "biases",
    chain: of("logit_bias() |> top_k(40) |> dist(seed)"),
    options: {
      feed: {
        bias: new Map([
          [300, 4],
          [12, -Infinity],
          [40, 2.5],
        ]),
      },
    },
  },
  { name: "a length before its end", chain: of("top_k(30) |> temp(1.4) |> dist(seed)"), options: { minTokens: 30 } },
  {
    name: "a JSON schema",
    chain: of("constrain(g) |> top_k(40) |> temp(1.3) |> dist(seed)", "g: grammar, seed: seed = 7"),
    options: { uniforms: { g: { jsonSchema: SCHEMA } } },
  },
  {
    name: "a grammar behind penalties and a cut",
    chain: of("penalties(20, 1.3) |> top_k(60) |> constrain(g) |> dist(seed)", "g: grammar, seed: seed = 7"),
    options: { uniforms: { g: { gbnf: 'root ::= (word (" " | ", " | ". "))+\nword ::= [a-zA-Z]+' } } },
  },
  { name: "a sampler whose aim moves", chain: of("min_p(0.02) |> adaptive_p(0.4, 0.8, seed)") },
  {
    name: "a grammar that decides alone, and a window of what is known",
    chain: compile(`import { constrain, dist } from "std"
sampler paced() { logit /= mean(step, last: 4) > 9 ? 0.8 : 1.2 }
chain c(g: grammar, seed: seed = 7) = constrain(g) |> paced() |> dist(seed)`),
    options: { uniforms: { g: { jsonSchema: SCHEMA } } },
  },
  {
    name: "a grammar that decides alone, and one that refuses some of its tokens",
    chain: compile(`import { constrain, dist } from "std"
sampler leaning(static h: text) { logit += allowed(h) ? 1 : 0 }
chain c(g: grammar, seed: seed = 7) = constrain(g) |> leaning("root ::= [a-z ]+") |> dist(seed)`),
    options: { uniforms: { g: { jsonSchema: SCHEMA } } },
  },
  {
    name: "texts that it writes",
    chain: compile(`import { top_k, dist } from "std"
sampler notes(every: i32 = 13) {
  write " And God saw that it was good." when step % every == 6
  write " Amen." when ends_with("e")
}
chain c(every: i32 = 13, seed: seed = 7) = notes(every) |> top_k(40) |> dist(seed)`),
    set: (random) => ({ every: 7 + random(9) }),
  },
  {
    name: "texts that it writes, states of its picks, a measure and a stop",
    chain: compile(`import { top_k } from "std"
sampler counted(seed: seed) {
  state picks: i32 = 0
  write " And so it was." when picks % 8 == 5
  pick sample(seed)
  measure surprise = -log2(picked(prob))
  after pick { picks += picked(prob) > 0.2 ? 1 : 0 }
  stop when picks > 24 as "enough"
}
chain c(seed: seed = 7) = top_k(40) |> counted(seed)`),
  },
  {
    name: "texts that it writes, a grammar, stop texts and phrases",
    chain: compile(`import { constrain, top_k, dist } from "std"
sampler notes() {
  write "word and word" when step % 17 == 5
  write "12 " when step % 23 == 9
}
chain c(g: grammar, seed: seed = 7) = notes() |> constrain(g) |> top_k(60) |> dist(seed)`),
    options: {
      uniforms: { g: { gbnf: 'root ::= (word (" " | ", " | ". "))+\nword ::= [a-zA-Z]+' } },
      stop: ["12 w", "and the"],
      bannedPhrases: [" and", "the"],
    },
  },
  {
    name: "a grammar that decides alone, and a text that it writes",
    chain: compile(`import { constrain, dist } from "std"
sampler notes() { write "red" when ends_with(": \\"") }
chain c(g: grammar, seed: seed = 7) = notes() |> constrain(g) |> dist(seed)`),
    options: { uniforms: { g: { jsonSchema: SCHEMA } } },
  },
];

type Act =
  | { readonly kind: "read"; readonly count: number }
  | { readonly kind: "set" }
  | { readonly kind: "resume" }
  | { readonly kind: "rewind"; readonly count: number };

function actsOf(random: (below: number) => number): Act[] {
  return Array.from({ length: 12 }, (): Act => {
    const kind = random(8);
    if (kind === 0) return { kind: "set" };
    if (kind === 1) return { kind: "rewind", count: random(6) };
    if (kind === 2) return { kind: "resume" };
    return { kind: "read", count: 1 + random(9) };
  });
}

const said = ({ token, text, states }: Piece): unknown => ({ token, text, ...(states && { states }) });

/** What a reader sees of a text. */
async function seen(one: Case, seed: number, asks: object): Promise<unknown[]> {
  const random = randomIntegers(seed);
  const found: unknown[] = [];
  const common = { ...one.options, ...asks, chain: one.chain, states: true, maxTokens: 70 };
  let generation = model.generate(PROMPT, { ...common, uniforms: { ...one.options?.uniforms, seed } });
  let reader = generation[Symbol.asyncIterator]();
  let read = 0;
  for (const act of actsOf(random)) {
    if (act.kind === "set") {
      const values = one.set?.(random);
      if (values && found.length > 0) generation.setUniforms(values);
    } else if (act.kind === "rewind") {
      const count = Math.min(act.count, read);
      if (read > 0) generation.rewind(count);
      read -= count;
      found.push({ back: count });
    } else if (act.kind === "resume") {
      if (read === 0) continue;
      const saved = generation.save();
      found.push({ saved: saved.sequence });
      await reader.return?.();
      const { uniforms: _, ...rest } = common as GenerateOptions;
      generation = model.generate(saved.tokens, { ...rest, resume: saved.sequence });
      reader = generation[Symbol.asyncIterator]();
      read = 0;
    } else
      for (let i = 0; i < act.count; i++) {
        const result = await reader.next();
        if (result.done) break;
        found.push(said(result.value));
        read++;
      }
  }
  for (let result = await reader.next(); !result.done; result = await reader.next()) found.push(said(result.value));
  const { finish, generatedTokens, disallowedTokens } = generation.stats();
  return [...found, { finish, generatedTokens, disallowedTokens }];
}

describe.each(CASES)("$name", (one) => {
  test.each([1, 2])("is the same text (%i)", async (seed) => {
    const text = async (asks: object): Promise<string> => JSON.stringify(await seen(one, seed, asks), undefined, 1);
    const expected = await text({ logprobs: 1 });
    expect(await text({ ahead: 16 })).toBe(expected);
    expect(await text({ ahead: 3 })).toBe(expected);
    expect(await text({ ahead: 0 })).toBe(expected);
  });

  test("goes on while its reader waits, unless it is asked for each token", async () => {
    const decodesBy = async (ahead: number): Promise<number> => {
      let decodes = 0;
      const batch = model.batch({ sequences: 1, onDecode: () => decodes++ });
      const generation = batch.add(PROMPT, { ...one.options, chain: one.chain, ahead, maxTokens: 40 });
      const reader = generation[Symbol.asyncIterator]();
      for (let i = 0; i < 12; i++) await reader.next();
      await new Promise((resolve) => setTimeout(resolve, 100));
      await reader.return?.();
      batch.dispose();
      return decodes;
    };
    expect((await decodesBy(30)) > (await decodesBy(0))).toBe(one.isAsked !== true);
  });
});
