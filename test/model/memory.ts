/**
 * The memory of a context without a model: it holds the tokens of each sequence, and answers with a number that depends on all of
 * them. A sequence that does not hold exactly its text gives another answer.
 */
import type { Batch, ContextStats, DecodeOutput, NativeContext } from "../../runtime/backends/native/binding.js";

export interface MemoryOptions {
  readonly sequences: number;
  /** Of all sequences. */
  readonly contextSize: number;
  /** `any` part of a text can be removed; `none`: only all of it, as of recurrent models; or as of a sliding window of that size. */
  readonly removes: "any" | "none" | number;
  /** The code of the error that a batch fails with, and the sequence that causes it. */
  readonly fails?: (batch: Batch) => { readonly code: string } | undefined;
}

/** What follows a text. */
export function answerTo(text: readonly number[]): number {
  let hash = 2166136261;
  for (const token of text) hash = Math.imul(hash ^ token, 16777619) >>> 0;
  return hash % 1000;
}

export interface Memory extends NativeContext {
  readonly batches: Batch[];
  readonly texts: readonly (readonly number[])[];
}

export function openMemory({ sequences, contextSize, removes, fails }: MemoryOptions): Memory {
  const texts: number[][] = Array.from({ length: sequences }, () => []);
  const batches: Batch[] = [];
  let isBusy = false;
  let isAborted = false;
  const idle = (): void => {
    if (isBusy) throw Object.assign(new Error("busy"), { code: "BUSY" });
  };
  /** The first position that is still there: a window of a sequence goes with its end. */
  const firstOf = new Array<number>(sequences).fill(0);
  const canKeep = (sequence: number, count: number): boolean => {
    idle();
    const { length } = texts[sequence]!;
    if (count <= 0 || count >= length) return count === 0 || count === length;
    if (removes === "any") return true;
    return removes !== "none" && firstOf[sequence]! <= Math.max(0, count - removes);
  };
  return {
    contextSize,
    hasFollowers: true,
    batches,
    texts,
    canKeep,
    stats: () => ({}) as ContextStats,
    setUniforms: idle,
    setInput: idle,
    setGuide: idle,
    setChain: idle,
    setRows: idle,
    remove(sequence, from = 0) {
      if (from < texts[sequence]!.length && !canKeep(sequence, from))
        throw Object.assign(new Error("this model cannot remove part of a sequence"), { code: "INVALID_ARGUMENT" });
      texts[sequence]!.length = Math.min(from, texts[sequence]!.length);
      if (from === 0) firstOf[sequence] = 0;
    },
    copy(from, to) {
      idle();
      texts[to] = [...texts[from]!];
      firstOf[to] = firstOf[from]!;
    },
    abort: () => void (isAborted = isBusy),
    dispose: () => undefined,
    async decode(batch): Promise<DecodeOutput[]> {
      idle();
      isBusy = true;
      batches.push(batch);
      await new Promise((resolve) => setImmediate(resolve));
      isBusy = false;
      const followers = [...(batch.followers ?? [])].filter((_, i) => i % 2 === 0);
      const sources = [...(batch.followers ?? [])].filter((_, i) => i % 2 === 1);
      const involved = new Set([...batch.sequences, ...followers]);
      const lose = (): void => {
        for (const sequence of involved) [texts[sequence], firstOf[sequence]] = [[], 0];
      };
      if (isAborted) {
        isAborted = false;
        lose();
        throw Object.assign(new Error("aborted"), { code: "ABORTED" });
      }
      const fault = fails?.(batch);
      if (fault?.code === "COMPUTE_FAILED") lose();
      if (fault && fault.code !== "INVALID_LOGITS") throw Object.assign(new Error("failed"), fault);
      if (texts.reduce((sum, text) => sum + text.length, 0) + batch.tokens.length > contextSize)
        throw Object.assign(new Error("full"), { code: "CONTEXT_FULL" });
      const outputs: DecodeOutput[] = [];
      batch.tokens.forEach((token, i) => {
        const sequence = batch.sequences[i]!;
        const text = texts[sequence]!;
        if (batch.positions[i] !== text.length)
          throw new Error(`sequence ${sequence}: expected position ${text.length}, found ${batch.positions[i]}`);
        text.push(token);
        if (typeof removes === "number") firstOf[sequence] = Math.max(firstOf[sequence]!, text.length - 2 * removes);
        if (batch.outputs[i] !== 1) return;
        const readers = [sequence, ...followers.filter((_, at) => sources[at] === sequence)];
        for (const one of readers) outputs.push({ sequence: one, sampled: Int32Array.of(answerTo(text)) });
      });
      if (fault) throw Object.assign(new Error("failed"), fault);
      for (const [at, follower] of followers.entries()) {
        const source = sources[at]!;
        if (!outputs.some(({ sequence }) => sequence === source) || batch.sequences.includes(follower))
          throw new Error(`sequence ${follower} cannot follow ${source}`);
        if (texts[follower]!.length === texts[source]!.length) continue;
        texts[follower] = [...texts[source]!];
        firstOf[follower] = firstOf[source]!;
      }
      return outputs;
    },
  };
}
