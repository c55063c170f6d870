/** llama.cpp's side: the program ggsl_texts in a process of its own, which writes all texts whenever it gets a line. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "../tool.js";
import { CONTEXT_SIZE, PROMPT, TOKENS, type TextChain, type Way } from "./chains.js";
import type { Round, Work } from "./ggsl.js";

const PROGRAM = join(ROOT, "build", "Release", "ggsl_texts");

export interface LlamaRound extends Round {
  /** The part of `us` for samplers and copies of logits. */
  readonly samplingUs: number;
}

interface LlamaSide {
  write(): Promise<LlamaRound>;
  /** Ends the process. */
  close(): Promise<void>;
}

/** What the program prints, but for the tokens: a text's are numbers with blanks between. */
type Line = Omit<LlamaRound, "tokens"> & { readonly tokens: readonly string[] };

export function openLlama(
  model: string,
  chain: TextChain,
  way: Way,
  sequences: number,
  { threads = 1, tokens = TOKENS, lengths }: Work = {},
): LlamaSide {
  if (!existsSync(PROGRAM)) throw new Error(`expected ${PROGRAM}, found no such file. Run: npm run build:native`);
  const options = {
    model,
    stages: chain.stages,
    prompt: PROMPT,
    sequences,
    tokens,
    threads,
    ...(lengths && { lengths: lengths.join(",") }),
    "context-size": CONTEXT_SIZE,
    ...(chain.grammar === undefined ? {} : { grammar: chain.grammar }),
    ...way.options,
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(PROGRAM, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("close", (status, signal) =>
      reject(new Error(`ggsl_texts ended early: ${signal ?? `status ${status}`}`)),
    );
  });
  ended.catch(() => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async write() {
      child.stdin.write("\n");
      const { done, value } = (await Promise.race([lines.next(), ended])) as IteratorResult<string, undefined>;
      if (done) return ended;
      const line = JSON.parse(value) as Line;
      return { ...line, tokens: line.tokens.map((text) => text.split(" ").filter(Boolean).map(Number)) };
    },
    async close() {
      child.stdin.end();
      await ended.catch(() => undefined);
    },
  };
}
