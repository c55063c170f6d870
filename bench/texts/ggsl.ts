/** GGSL's side: texts written through the public interface, with the chain in the model's graph. */
import { compile, loadModel } from "ggsl";
import { CONTEXT_SIZE, PROMPT, TOKENS, type Programs } from "./chains.js";
import type { Part } from "./parts.js";
import { since, threadTimes, type ThreadTimes } from "./threads.js";

/** What one round wrote. */
export interface Round {
  /** The tokens of each text. */
  readonly tokens: readonly (readonly number[])[];
  /** Microseconds of the wall clock, and of all threads. */
  readonly us: number;
  readonly cpuUs: number;
}

export interface GgslRound extends Round {
  readonly threads: ThreadTimes;
}

interface GgslSide {
  write(): Promise<GgslRound>;
  close(): Promise<void>;
}

/** How many texts, and how they are written. */
export type Work = Partial<Pick<Part, "tokens" | "lengths" | "threads">>;

export async function openGgsl(path: string, given: Programs, sequences: number, work: Work = {}): Promise<GgslSide> {
  const { threads = 1, tokens: most = TOKENS, lengths } = work;
  const model = await loadModel(path, { backend: "cpu", threads, contextSize: CONTEXT_SIZE });
  const batch = model.batch({ sequences });
  const count = lengths?.length ?? sequences;
  const sources = Array.from({ length: count }, (_, i) => given.source(i));
  const known = new Map([...new Set(sources)].map((source) => [source, compile(source)]));
  const chains = sources.map((source) => known.get(source)!);
  const uniforms = given.grammar === undefined ? {} : { g: { gbnf: given.grammar } };
  // more texts than may wait to become tokens
  const prompt = lengths ? model.tokenize(PROMPT) : PROMPT;
  const writeOne = async (sequence: number): Promise<number[]> => {
    const tokens: number[] = [];
    let text = "";
    const request = {
      chain: chains[sequence]!,
      uniforms: { ...uniforms, seed: sequence + 1 },
      maxTokens: lengths?.[sequence] ?? most,
    } as never;
    for await (const piece of batch.add(prompt, request)) {
      tokens.push(piece.token);
      text += piece.text;
    }
    if (text === "") throw new Error("expected a text, found an empty one");
    return tokens;
  };
  return {
    async write() {
      const [before, start] = [threadTimes(), performance.now()];
      const tokens = await Promise.all(Array.from({ length: count }, (_, i) => writeOne(i)));
      const us = (performance.now() - start) * 1e3;
      const spent = since(before);
      return { tokens, us, cpuUs: [...spent.values()].reduce((sum, x) => sum + x, 0), threads: spent };
    },
    close() {
      batch.dispose();
      model.dispose();
      return Promise.resolve();
    },
  };
}
