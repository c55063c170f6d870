/** Texts that are computed before they are read are the texts that are computed token by token, whatever their reader does. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  compile,
  compilePipeline,
  loadModel,
  type GenerationBatch,
  type Generation,
  type Model,
  type Saved,
} from "../../runtime/index.js";
import { randomIntegers } from "../grammars/walk.js";
import { DEMO_MODEL, loadExactModel } from "../model/file.js";

const PROMPT = "In the beginning God created the heaven and the earth.";
const CHAIN = compile(`
import { top_k, top_p, temp, dist } from "std"
chain warm(t: f32 >= 0 = 0.9, seed: seed = 7) = top_k(60) |> top_p(0.97) |> temp(t) |> dist(seed)
`);

let model: Model;
beforeAll(async () => {
  model = await loadExactModel();
});
afterAll(() => model.dispose());

/** What a reader does after a piece. */
type Act =
  | { readonly kind: "read"; readonly count: number }
  | { readonly kind: "set"; readonly t: number }
  | { readonly kind: "rewind"; readonly count: number }
  | { readonly kind: "wait"; readonly milliseconds: number }
  | { readonly kind: "resume" };

function actsOf(seed: number): Act[] {
  const random = randomIntegers(seed);
  return Array.from({ length: 14 }, (): Act => {
    const kind = random(7);
    if (kind === 0) return { kind: "set", t: 0.2 + random(20) / 10 };
    if (kind === 1) return { kind: "rewind", count: random(5) };
    if (kind === 2) return { kind: "wait", milliseconds: random(4) };
    if (kind === 3) return { kind: "resume" };
    return { kind: "read", count: 1 + random(9) };
  });
}

/** The tokens of a text whose reader does this. */
async function written(batch: GenerationBatch, acts: readonly Act[], seed: number, ahead: number): Promise<number[]> {
  const common = { chain: CHAIN, ahead, ignoreEnd: true, maxTokens: 90 };
  let tokens: number[] = [];
  let t = 0.9;
  let before = 0;
  let generation: Generation = batch.add(PROMPT, { ...common, uniforms: { seed } });
  let reader = generation[Symbol.asyncIterator]();
  for (const act of acts) {
    if (act.kind === "set") generation.setUniforms({ t: (t = act.t) });
    else if (act.kind === "wait") await new Promise((resolve) => setTimeout(resolve, act.milliseconds));
    else if (act.kind === "rewind") {
      const count = Math.min(act.count, tokens.length - before);
      if (tokens.length > before) generation.rewind(count);
      tokens = tokens.slice(0, tokens.length - count);
    } else if (act.kind === "resume") {
      if (tokens.length === before) continue;
      const saved: Saved = generation.save();
      expect([...saved.tokens.slice(-tokens.length)]).toEqual(tokens);
      await reader.return?.();
      generation = batch.add(saved.tokens, { ...common, resume: saved.sequence, uniforms: { t } });
      reader = generation[Symbol.asyncIterator]();
      before = tokens.length;
    } else
      for (let i = 0; i < act.count; i++) {
        const result = await reader.next();
        if (result.done) break;
        tokens.push(result.value.token);
      }
  }
  await reader.return?.();
  return tokens;
}

describe("a text that is computed ahead", () => {
  test.each([1, 2, 3, 4, 5, 6])("is the same, whatever its reader does (%i)", async (seed) => {
    const batch = model.batch({ sequences: 3 });
    const acts = [1, 2, 3].map((i) => actsOf(10 * seed + i));
    const all = (ahead: number): Promise<number[][]> =>
      Promise.all(acts.map((own, i) => written(batch, own, seed + i, ahead)));
    const expected = await all(0);
    expect(await all(16)).toEqual(expected);
    expect(await all(3)).toEqual(expected);
    batch.dispose();
  });

  test("ends at its stop text, its limit and its end, and leaves its place to others", async () => {
    const batch = model.batch({ sequences: 2 });
    const read = async (more: object): Promise<string> => {
      let text = "";
      for await (const piece of batch.add(PROMPT, { chain: CHAIN, maxTokens: 60, ...more })) text += piece.text;
      return text;
    };
    const one = async (ahead: number): Promise<string[]> =>
      Promise.all([
        read({ ahead, uniforms: { seed: 1 }, stop: ["the"] }),
        read({ ahead, uniforms: { seed: 2 }, maxTokens: 7 }),
        read({ ahead, uniforms: { seed: 3 }, maxTokens: 17 }),
        read({ ahead, uniforms: { seed: 4 }, stop: ["and", "of"] }),
        read({ ahead, chain: compilePipeline("greedy()"), maxTokens: 30 }),
      ]);
    expect(await one(16)).toEqual(await one(0));
    batch.dispose();
  });

  test("is no further ahead than it may be, and the model rests then", async () => {
    const batch = model.batch({ sequences: 1, onDecode: () => decodes++ });
    let decodes = 0;
    const generation = batch.add(PROMPT, { chain: CHAIN, ahead: 5, ignoreEnd: true, maxTokens: 40 });
    for await (const _ of generation) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      break;
    }
    expect(decodes).toBe(6);
    batch.dispose();
  });

  test("goes on as it is read, where it is alone, and stays within its bound", async () => {
    let decodes = 0;
    const batch = model.batch({ sequences: 1, onDecode: () => decodes++ });
    for (const [ahead, bound] of [
      [undefined, 48],
      [5, 5],
      [1, 1],
    ] as const) {
      decodes = 0;
      let read = 0;
      const request = { chain: CHAIN, ignoreEnd: true, maxTokens: 120, ...(ahead !== undefined && { ahead }) };
      for await (const _ of batch.add(PROMPT, request)) {
        read++;
        if (read % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 40));
        expect(decodes).toBeLessThanOrEqual(read + bound);
      }
      expect([read, decodes]).toEqual([120, 120]);
    }
    batch.dispose();
  });

  test("is computed up to a stop text, whose pieces wait, and not beyond", async () => {
    let decodes = 0;
    const batch = model.batch({ sequences: 1, onDecode: () => decodes++ });
    const pieces = async (more: object): Promise<{ token: number; text: string }[]> => {
      const found: { token: number; text: string }[] = [];
      for await (const piece of batch.add(PROMPT, { chain: CHAIN, maxTokens: 40, ignoreEnd: true, ...more }))
        found.push(piece);
      return found;
    };
    const all = await pieces({ ahead: 0 });
    const whole = all.map(({ text }) => text).join("");
    const upTo = (count: number): number => all.slice(0, count).reduce((sum, { text }) => sum + text.length, 0);
    for (const count of [4, 17, 18, 33]) {
      const stop = whole.slice(Math.max(0, upTo(count) - 9), upTo(count) - 1);
      const expected = await pieces({ ahead: 0, stop: [stop] });
      decodes = 0;
      expect(await pieces({ stop: [stop, "no text has this"] })).toEqual(expected);
      expect(expected.map(({ text }) => text).join("")).toBe(whole.slice(0, whole.indexOf(stop)));
      expect(decodes).toBe(expected.length);
    }
    batch.dispose();
  });

  test("has sixteen tokens more before another one joins it, and four where one has waited or waits for a place", async () => {
    const batch = model.batch({ sequences: 3 });
    const counts = new Map<string, number>();
    const read = async (name: string, maxTokens: number, begin: number | undefined): Promise<void> => {
      for await (const _ of batch.add(model.tokenize(`${name} ${PROMPT}`), {
        chain: CHAIN,
        maxTokens,
        ignoreEnd: true,
      })) {
        const count = (counts.get(name) ?? 0) + 1;
        counts.set(name, count);
        if (count === 1 && begin !== undefined)
          begins.set(
            name,
            [...counts].map(([, value]) => value),
          );
        if (name === "first" && count === 3) late.push(read("second", 60, 1));
        if (name === "second" && count === 2) late.push(read("third", 2, 1), read("fourth", 2, 1), read("fifth", 2, 1));
      }
    };
    const begins = new Map<string, number[]>();
    const late: Promise<void>[] = [];
    await read("first", 60, undefined);
    for (const each of late) await each;
    // of the first, the second and so on, with the first token of each: 1 + 16, then 1 + 4 each time, and one of the same decode, which
    // comes to a text that goes on before the first one comes to its own
    expect(Object.fromEntries(begins)).toEqual({
      second: [18, 1],
      third: [23, 6, 1],
      fourth: [28, 11, 2, 1],
      fifth: [33, 16, 2, 2, 1],
    });
    batch.dispose();
  });

  test("is the same each time, among others that begin and end beside it", async () => {
    const rounded = await loadModel(DEMO_MODEL, { threads: 1, contextSize: 128 });
    const batch = rounded.batch({ sequences: 5 });
    const random = randomIntegers(9);
    const lengths = Array.from({ length: 30 }, () => 5 + random(40));
    // texts of a model that rounds differ where what is decoded together differs
    const all = (): Promise<number[][]> =>
      Promise.all(
        lengths.map(async (maxTokens, seed) => {
          const tokens: number[] = [];
          for await (const piece of batch.add(`${seed} ${PROMPT}`, { chain: CHAIN, uniforms: { seed }, maxTokens }))
            tokens.push(piece.token);
          return tokens;
        }),
      );
    await all(); // what was shared with texts before is then the same
    const expected = await all();
    for (let round = 0; round < 3; round++) expect(await all()).toEqual(expected);
    batch.dispose();
    rounded.dispose();
  });

  test("goes on beside texts that are asked for each token, which are the same as among each other", async () => {
    let decodes = 0;
    const batch = model.batch({ sequences: 4, onDecode: () => decodes++ });
    const kinds = [{}, { logprobs: 1 }, {}, { alternatives: 2 }];
    const all = async (given: object): Promise<number[][]> => {
      decodes = 0;
      return Promise.all(
        kinds.map(async (more, seed) => {
          const tokens: number[] = [];
          // the texts that are asked for begin and end among the others
          const maxTokens = 30 + 7 * (seed % 2);
          const request = { chain: CHAIN, ignoreEnd: true, maxTokens, uniforms: { seed }, ...more, ...given };
          for await (const piece of batch.add(PROMPT, request)) {
            tokens.push(piece.token);
            if ("logprobs" in more) expect(piece.logprob).toBeLessThanOrEqual(0);
            if ("alternatives" in more) expect(piece.alternatives!.length).toBeGreaterThan(0);
          }
          return tokens;
        }),
      );
    };
    const expected = await all({ ahead: 0 });
    expect(await all({})).toEqual(expected);
    // together: no text waits for another one longer than it would among texts of its kind
    expect(decodes).toBeLessThanOrEqual(37 + 3);
    batch.dispose();
  });

  test("rests where its reader is slow, and goes on beside others, until it is set or its batch is disposed", async () => {
    const batch = model.batch({ sequences: 2 });
    const read = async (ahead: number): Promise<number[]> => {
      const tokens: number[] = [];
      const generation = batch.add(PROMPT, { chain: CHAIN, ignoreEnd: true, maxTokens: 70, ahead });
      for await (const piece of generation) {
        tokens.push(piece.token);
        if (tokens.length % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
        if (tokens.length === 50) generation.setUniforms({ t: 0.3 });
      }
      return tokens;
    };
    const other = async (ahead: number): Promise<number[]> => {
      const tokens: number[] = [];
      const request = { chain: CHAIN, ignoreEnd: true, maxTokens: 90, ahead, uniforms: { seed: 4 } };
      for await (const { token } of batch.add(PROMPT, request)) tokens.push(token);
      return tokens;
    };
    const expected = await Promise.all([read(0), other(0)]);
    expect(await Promise.all([read(16), other(16)])).toEqual(expected);
    const generation = batch.add(PROMPT, { chain: CHAIN, ignoreEnd: true });
    const reader = generation[Symbol.asyncIterator]();
    await reader.next();
    await new Promise((resolve) => setTimeout(resolve, 60));
    batch.dispose();
    const rest = async (): Promise<void> => {
      while (!(await reader.next()).done);
    };
    await expect(rest()).rejects.toMatchObject({ code: "DISPOSED" });
  });

  test("is aborted at once, alone and beside another one, which goes on", async () => {
    const batch = model.batch({ sequences: 2 });
    const abort = new AbortController();
    const tokens: number[] = [];
    const doomed = (async () => {
      for await (const _ of batch.add(PROMPT, { chain: CHAIN, signal: abort.signal, ignoreEnd: true })) {
        if (tokens.length > 20) abort.abort();
      }
    })();
    const other = (async () => {
      for await (const { token } of batch.add(PROMPT, {
        chain: CHAIN,
        uniforms: { seed: 3 },
        maxTokens: 80,
        ignoreEnd: true,
      }))
        tokens.push(token);
    })();
    await expect(doomed).rejects.toMatchObject({ name: "AbortError" });
    await other;
    const expected: number[] = [];
    for await (const { token } of batch.add(PROMPT, {
      chain: CHAIN,
      ahead: 0,
      uniforms: { seed: 3 },
      maxTokens: 80,
      ignoreEnd: true,
    }))
      expected.push(token);
    expect(tokens).toEqual(expected);
    batch.dispose();
  });

  test("gets an error where its batch is disposed", async () => {
    const batch = model.batch({ sequences: 2 });
    const reading = (async () => {
      for await (const _ of batch.add(PROMPT, { chain: CHAIN, ignoreEnd: true })) batch.dispose();
    })();
    await expect(reading).rejects.toMatchObject({ code: "DISPOSED" });
  });

  test("a later turn begins with what it left", async () => {
    const batch = model.batch({ sequences: 2 });
    const generation = batch.add(PROMPT, { chain: CHAIN, maxTokens: 33, ignoreEnd: true });
    for await (const _ of generation);
    const { tokens } = generation.save();
    const more = batch.add(Int32Array.from([...tokens, ...model.tokenize(" And").slice(1)]), {
      chain: CHAIN,
      maxTokens: 2,
    });
    for await (const _ of more);
    expect(more.stats().computedPromptTokens).toBeLessThan(5);
    batch.dispose();
  });

  test("a bound that is none is refused", () => {
    const batch = model.batch({ sequences: 1 });
    for (const ahead of [-1, 0.5, 257])
      expect(() => batch.add(PROMPT, { chain: CHAIN, ahead })).toThrow("`ahead` must be an integer from 0 to 256");
    batch.dispose();
  });
});
