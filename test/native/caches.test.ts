/**
 * A context with a cache for each sequence beside one with a cache for all: whatever is computed together, a sequence has the logits of
 * its own tokens.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { NativeContext, NativeModel } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { randomIntegers } from "../grammars/walk.js";
import { EXACT, writeExactModel } from "../model/file.js";
import { batchOf, codeOf } from "./batches.js";
import { graphOf, GREEDY, logitsNode, nativeGraph, node, RANKED } from "./graphs.js";

const SEQUENCES = 9;
/** Tokens of each sequence. */
const SIZE = 256;

const folder = mkdtempSync(join(tmpdir(), "ggsl-caches-"));
let model: NativeModel;
beforeAll(async () => {
  model = await loadBinding().loadModel(writeExactModel(folder), {});
});
afterAll(() => {
  model.dispose();
  rmSync(folder, { recursive: true });
});

const open = (cache: "auto" | "shared", more: object = {}): Promise<NativeContext> =>
  model.createContext({
    ...{ contextSize: SIZE * SEQUENCES, sequences: SEQUENCES, threads: 1, cache },
    ...EXACT,
    ...more,
  });

/** The largest difference of two rows of logits. */
const apart = (a: Float32Array, b: Float32Array): number =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);

/** The same calls of both contexts; what they hold is compared after each. */
class Both {
  /** The tokens of each sequence. */
  readonly held: number[][] = Array.from({ length: SEQUENCES }, () => []);

  constructor(
    readonly own: NativeContext,
    readonly shared: NativeContext,
  ) {}

  async decode(parts: readonly { readonly sequence: number; readonly tokens: readonly number[] }[]): Promise<void> {
    const batch = batchOf(...parts.map((part) => ({ ...part, at: this.held[part.sequence]!.length })));
    const [own, shared] = [await this.own.decode(batch), await this.shared.decode(batch)];
    for (const { sequence, tokens } of parts) this.held[sequence]!.push(...tokens);
    expect(own.map(({ sequence }) => sequence)).toEqual(parts.map(({ sequence }) => sequence));
    own.forEach(({ logits, sampled }, i) => {
      if (logits) expect(apart(logits, shared[i]!.logits!)).toBeLessThan(5e-5);
      else expect(sampled).toEqual(shared[i]!.sampled);
    });
    this.check();
  }

  cut(sequence: number, to: number): void {
    for (const context of [this.own, this.shared]) context.remove(sequence, to);
    this.held[sequence]!.length = to;
    this.check();
  }

  copy(from: number, to: number): void {
    for (const context of [this.own, this.shared]) context.copy(from, to);
    this.held[to] = [...this.held[from]!];
    this.check();
  }

  swap(a: number, b: number): void {
    for (const context of [this.own, this.shared]) context.swap!(a, b);
    [this.held[a], this.held[b]] = [this.held[b]!, this.held[a]!];
    this.check();
  }

  private check(): void {
    const lengths = this.held.map(({ length }) => length);
    for (const context of [this.own, this.shared])
      expect([...context.extents!()].filter((_, i) => i % 2 === 0)).toEqual(lengths);
  }

  [Symbol.dispose](): void {
    for (const context of [this.own, this.shared]) context.dispose();
  }
}

async function walk(both: Both, seed: number, rounds: number): Promise<void> {
  const random = randomIntegers(seed);
  const token = (): number => 3 + random(model.info.vocabSize - 3);
  for (let round = 0; round < rounds; round++) {
    const chosen = Array.from({ length: SEQUENCES }, (_, i) => i).filter(() => random(3) > 0);
    const order = chosen.sort(() => random(2) - 0.5);
    const kind = random(8);
    const from = random(SEQUENCES);
    if (kind === 0 && both.held[from]!.length > 1) both.cut(from, 1 + random(both.held[from]!.length));
    else if (kind === 1 && both.held[from]!.length > 0) both.copy(from, random(SEQUENCES));
    else if (kind === 2) both.swap(from, random(SEQUENCES));
    else if (order.length > 0)
      await both.decode(
        order.map((sequence) => ({
          sequence,
          tokens: Array.from({ length: kind > 5 && random(2) > 0 ? 1 + random(12) : 1 }, token),
        })),
      );
  }
}

describe("a cache for each sequence", () => {
  test.each([1, 2, 3])("gives the logits of one for all, without chains (%i)", async (seed) => {
    using both = new Both(await open("auto"), await open("shared"));
    await walk(both, seed, 60);
  });

  test("keeps its tokens where it becomes one for all", async () => {
    using both = new Both(await open("auto"), await open("shared"));
    await walk(both, 4, 30);
    expect([both.own.hasOwnCaches, both.shared.hasOwnCaches]).toEqual([true, false]);
    both.own.setRows(2, SEQUENCES + 1);
    await walk(both, 5, 30);
  });

  test("gives each sequence the tokens of its chain, with gaps between those that run", async () => {
    const chains = Array.from({ length: SEQUENCES }, (_, i) => (i === 4 ? null : nativeGraph(i % 2 ? RANKED : GREEDY)));
    using both = new Both(await open("auto", { chains }), await open("shared", { chains }));
    for (const context of [both.own, both.shared])
      for (let i = 1; i < SEQUENCES; i += 2) context.setUniforms(i, Float32Array.of(i));
    await walk(both, 6, 60);
  });

  test("does not compute a sequence whose chain was never fed, or that is full, in a gap", async () => {
    const chains = Array.from({ length: SEQUENCES }, () => nativeGraph(RANKED));
    using both = new Both(await open("auto", { chains }), await open("shared", { chains }));
    for (const context of [both.own, both.shared])
      for (const i of [0, 1, 2, 4]) context.setUniforms(i, Float32Array.of(1));
    await both.decode([{ sequence: 1, tokens: Array.from({ length: SIZE }, (_, i) => 3 + i) }]);
    // between 0 and 2 is one that is full, between 2 and 4 one without uniforms
    for (const sequences of [
      [0, 2],
      [0, 2, 4],
      [4, 0],
    ])
      await both.decode(sequences.map((sequence) => ({ sequence, tokens: [7] })));
    const full = batchOf({ sequence: 1, tokens: [5], at: SIZE });
    expect(await codeOf(both.own.decode(full))).toBe("CONTEXT_FULL");
  });

  test("does not compute a costly chain in a gap, unless another sequence has it", async () => {
    // as many nodes as a chain that a budget postpones
    const steps = Array.from({ length: 40 }, (_, i) => node("scale", [i], { s: 1, b: i % 2 }));
    const costly = graphOf([logitsNode, ...steps, node("argmax", [40], {}, "i32", 1)], { sampled: 41 });
    const kinds = [GREEDY, costly, GREEDY, costly];
    const chains = kinds.map((graph) => nativeGraph(graph));
    const context = await model.createContext({ contextSize: 1024, sequences: 4, threads: 1, chains });
    const at = [0, 0, 0, 0];
    const step = async (...sequences: readonly number[]): Promise<number> => {
      const before = context.stats().graphBuilds;
      const batch = batchOf(...sequences.map((sequence) => ({ sequence, tokens: [9], at: at[sequence]!++ })));
      await context.decode(batch);
      await context.decode(batchOf(...sequences.map((sequence) => ({ sequence, tokens: [9], at: at[sequence]!++ }))));
      return context.stats().graphBuilds - before;
    };
    await step(0, 1, 2, 3);
    // one graph, which is built once at most
    expect(await step(0, 2, 3)).toBeLessThanOrEqual(1);
    // two graphs take turns
    expect(await step(0, 2)).toBe(4);
    context.dispose();
  });

  test("computes neighbours, and the gaps between them, in one graph", async () => {
    const chains = Array.from({ length: SEQUENCES }, () => nativeGraph(GREEDY));
    const context = await open("auto", { chains });
    const at = Array.from({ length: SEQUENCES }, () => 0);
    const step = async (...sequences: readonly number[]): Promise<number> => {
      const before = context.stats().setInputs;
      await context.decode(batchOf(...sequences.map((sequence) => ({ sequence, tokens: [9], at: at[sequence]!++ }))));
      return context.stats().setInputs - before;
    };
    expect(await step(0, 1, 2, 3, 4, 5, 6, 7, 8)).toBe(1);
    const { graphBuilds } = context.stats();
    // a sequence that ends changes nothing for the others
    expect(await step(0, 1, 2, 4, 5, 7, 8)).toBe(1);
    expect(context.stats().graphBuilds).toBe(graphBuilds);
    // five in a row are too many
    expect(await step(0, 1, 7, 8)).toBe(2);
    expect(await step(0, 8)).toBe(2);
    context.dispose();
  });

  test("computes the last token of a text that is read with those of its neighbours", async () => {
    const chains = Array.from({ length: SEQUENCES }, () => nativeGraph(GREEDY));
    const context = await open("auto", { chains });
    const at = Array.from({ length: SEQUENCES }, () => 0);
    const decode = async (lengths: readonly number[]): Promise<number> => {
      const before = context.stats().setInputs;
      const parts = lengths.map((length, sequence) => {
        const begin = at[sequence]!;
        at[sequence] = begin + length;
        return { sequence, tokens: Array.from({ length }, (_, i) => 9 + i), at: begin };
      });
      await context.decode(batchOf(...parts));
      return context.stats().setInputs - before;
    };
    expect(await decode([1, 1, 1, 1, 1])).toBe(1);
    // one graph has the outputs of all
    expect(await decode([1, 4, 1, 6, 1])).toBe(1);
    expect(await decode([4, 4, 4, 4, 4])).toBe(1);
    context.dispose();
  });

  test("an unknown kind is refused", () => {
    expect(() => open("each" as "auto")).toThrow('cache: expected auto or shared, found "each"');
  });
});
