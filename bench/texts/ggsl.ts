/** GGSL's side: texts written through the public interface, with the chain in the model's graph. */
import { compile, loadModel } from "ggsl";
import { CONTEXT_SIZE, PROMPT, TOKENS, type Programs } from "./chains.js";
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

export async function openGgsl(path: string, given: Programs, sequences: number): Promise<GgslSide> {
  const model = await loadModel(path, { backend: "cpu", threads: 1, contextSize: CONTEXT_SIZE });
  const batch = model.batch({ sequences });
  const chains = Array.from({ length: sequences }, (_, i) => given.source(i)).map((source) => compile(source));
  const uniforms = given.grammar === undefined ? {} : { g: { gbnf: given.grammar } };
  const writeOne = async (sequence: number): Promise<number[]> => {
    const tokens: number[] = [];
    let text = "";
    const request = {
      chain: chains[sequence]!,
      uniforms: { ...uniforms, seed: sequence + 1 },
      maxTokens: TOKENS,
    } as never;
    for await (const piece of batch.add(PROMPT, request)) {
      tokens.push(piece.token);
      text += piece.text;
    }
    if (text === "") throw new Error("expected a text, found an empty one");
    return tokens;
  };
  return {
    async write() {
      const [threads, start] = [threadTimes(), performance.now()];
      const tokens = await Promise.all(Array.from({ length: sequences }, (_, i) => writeOne(i)));
      const us = (performance.now() - start) * 1e3;
      const spent = since(threads);
      return { tokens, us, cpuUs: [...spent.values()].reduce((sum, x) => sum + x, 0), threads: spent };
    },
    close() {
      batch.dispose();
      model.dispose();
      return Promise.resolve();
    },
  };
}
