/** The scheduler with random arrivals, on a memory that knows what each sequence has to hold. */
import { describe, expect, test } from "@jest/globals";
import { encodeWire } from "../../compiler/graph/wire.js";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { drawF64, mt19937 } from "../../runtime/core/mt19937.js";
import type { Batch } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { Scheduler } from "../../runtime/decode/scheduler/scheduler.js";
import { answerTo, openMemory, type Memory, type MemoryOptions } from "../model/memory.js";

const CHAINS = ["greedy()", "top_k(2) |> dist(1)", "top_k(3) |> dist(1)"].map((stages) =>
  encodeWire(compilePipeline(stages).graph),
);
const SEQUENCES = 4;
/** A token whose logits are not numbers. */
const BAD = 1234;
/** Tokens of each sequence. */
const SIZE = 256;

/** Rows of a batch, and what texts need of them. */
const BUDGET = 10;

function open(options: Partial<MemoryOptions> = {}, decodeWork?: number): { memory: Memory; scheduler: Scheduler } {
  const memory = openMemory({ sequences: SEQUENCES, contextSize: SEQUENCES * SIZE, removes: "any", ...options });
  const limits = { contextSize: Infinity, batchSize: 64, promptBatch: 24 };
  const { Graph } = loadBinding();
  const opened = () => Promise.resolve(memory);
  return { memory, scheduler: new Scheduler(SEQUENCES, Graph, opened, limits, undefined, { decodeWork }) };
}

/** Random numbers, and prompts that have beginnings in common. */
function sourceOf(seed: number, hasBad: boolean) {
  const random = mt19937(seed);
  const below = (most: number): number => Math.floor(drawF64(random) * most);
  const bases = Array.from({ length: 3 }, () => Array.from({ length: 150 }, () => below(50)));
  const kept: number[][] = [];
  let latest: number[] | undefined;
  const prompt = (): number[] => (latest = latest && below(3) === 0 ? latest : another());
  const another = (): number[] => {
    const earlier = kept[below(kept.length)];
    const base = earlier && below(3) === 0 ? earlier : bases[below(bases.length)]!;
    const own = Array.from({ length: 1 + below(60) }, () => below(50));
    const text = [...base.slice(0, below(base.length + 1)), ...own].slice(0, 180);
    return hasBad && below(8) === 0 ? [...text, BAD] : text;
  };
  return { below, prompt, keep: (text: number[]): unknown => kept.push(text) };
}

interface Written {
  readonly outcome: "done" | "aborted" | "failed";
  readonly code?: unknown;
}

/** Writes a text, sometimes with guides, sometimes until it is aborted, and sometimes takes tokens back. */
async function write(scheduler: Scheduler, source: ReturnType<typeof sourceOf>): Promise<Written> {
  const { below, prompt } = source;
  const guideCount = below(4) === 0 ? 1 + below(2) : 0;
  const prompts = Array.from({ length: 1 + guideCount }, () => Int32Array.from(prompt()));
  const abort = new AbortController();
  if (below(4) === 0) setTimeout(() => abort.abort(), below(20));
  const inputs = Array.from({ length: guideCount }, (_, i) => i + 1);
  const count = 1 + below(20);
  const takesBack = below(3) === 0 ? below(count) : -1;
  try {
    const rows = below(2 * BUDGET);
    const request = { words: CHAINS[below(CHAINS.length)]!, prompts, inputs, signal: abort.signal, work: () => rows };
    const slot = await scheduler.acquire(request);
    try {
      const texts = prompts.map((tokens) => [...tokens]);
      let unread = prompts.map((tokens) => [...tokens]);
      for (let i = 0; i < count; i++) {
        const [own, ...guides] = texts.map((text, j) => ({
          tokens: Int32Array.from(unread[j]!),
          position: text.length - unread[j]!.length,
        }));
        const { sampled } = await slot.decode({ ...own!, guides, uniforms: new Float32Array(), inputs: [] });
        expect(sampled![0]).toBe(answerTo(texts[0]!));
        if (i === takesBack) {
          // as if the last token had been another
          for (const text of texts) text.splice(-1, 1, 7);
          unread = texts.map((text) => text.slice(-1));
        } else {
          for (const text of texts) text.push(sampled![0]!);
          unread = texts.map(() => [sampled![0]!]);
        }
      }
      source.keep(texts[0]!);
    } finally {
      slot.release();
    }
    return { outcome: "done" };
  } catch (error) {
    if ((error as { matcherResult?: unknown }).matcherResult) throw error;
    const { code } = error as { code?: unknown };
    return abort.signal.aborted ? { outcome: "aborted" } : { outcome: "failed", code };
  }
}

async function writeMany(scheduler: Scheduler, seed: number, hasBad = false, count = 40): Promise<Written[]> {
  const source = sourceOf(seed, hasBad);
  const running: Promise<Written>[] = [];
  for (let i = 0; i < count; i++) {
    running.push(write(scheduler, source));
    if (source.below(3) === 0) await new Promise((resolve) => setTimeout(resolve, source.below(5)));
  }
  return Promise.all(running);
}

describe.each(["any", "none", 10] as const)("memory that removes %s", (removes) => {
  test.each([
    [1, undefined],
    [2, undefined],
    [3, BUDGET],
    [4, BUDGET],
  ])("every text is read as it is, seed %d, with a budget of %p", async (seed, decodeWork) => {
    const { scheduler, memory } = open({ removes }, decodeWork);
    const written = await writeMany(scheduler, seed);
    expect(written.filter(({ outcome }) => outcome === "failed")).toEqual([]);
    expect(written.filter(({ outcome }) => outcome === "done").length).toBeGreaterThan(10);
    expect(Math.max(...memory.batches.map(({ tokens }) => tokens.length))).toBeLessThanOrEqual(64);
  });

  test.each(["INVALID_LOGITS", "COMPUTE_FAILED"])("batches that fail with %s take nobody else along", async (code) => {
    let batches = 0;
    const isOfOne = code === "INVALID_LOGITS";
    const fails = ({ tokens }: Batch): { code: string } | undefined =>
      (isOfOne ? tokens.includes(BAD) : ++batches % 23 === 0) ? { code } : undefined;
    const { scheduler } = open({ removes, fails });
    const written = await writeMany(scheduler, 9, isOfOne);
    expect(new Set(written.flatMap((one) => (one.outcome === "failed" ? [one.code] : [])))).toEqual(new Set([code]));
    expect(written.filter(({ outcome }) => outcome === "done").length).toBeGreaterThan(10);
  });
});

test("texts that are kept give way when memory is short", async () => {
  const { scheduler, memory } = open({ contextSize: 260 });
  for (let i = 0; i < 8; i++) {
    const tokens = Int32Array.from({ length: 100 }, (_, j) => (100 * i + j) % 997);
    const slot = await scheduler.acquire({ words: CHAINS[0]!, prompts: [tokens] });
    const { sampled } = await slot.decode({ tokens, position: 0, uniforms: new Float32Array(), inputs: [] });
    expect(sampled![0]).toBe(answerTo([...tokens]));
    slot.release();
  }
  expect(memory.texts.filter(({ length }) => length > 0)).toHaveLength(2);
});
