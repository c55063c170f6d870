/** Texts that are hard on llama.cpp's tokenizers, and vocabularies with each way to divide texts into words. */
import { join } from "node:path";
import { loadOracle } from "../native/oracle.js";

const VOCABULARIES = "build/llama.cpp/models";

/** A vocabulary of llama.cpp's repository; `pre`: with another value of `tokenizer.ggml.pre`. */
export interface Given {
  readonly file: string;
  readonly pre?: string;
}

/** Vocabularies of the repository. */
export const REAL: readonly Given[] = [
  ...["aquila", "baichuan", "command-r", "deepseek-coder", "deepseek-llm", "falcon", "gemma-4", "gpt-2", "gpt-neox"],
  ...["llama-bpe", "llama-spm", "mpt", "phi-3", "qwen2", "qwen35", "refact", "starcoder"],
].map((file) => ({ file }));

/** Ways to divide texts into words of which the repository has no vocabulary, and which are regular expressions. */
export const REWRITTEN: readonly Given[] = [
  ...["gpt-4o", "llama4", "tekken", "deepseek-v3", "seed-coder", "viking", "bloom", "superbpe", "poro-chat", "jais-2"],
  ...["exaone-moe", "youtu", "bailingmoe", "afmoe", "chameleon", "tiny_aya", "minicpm5", "ufakzeka", "hunyuan-dense"],
  ...["granite-embed-multi-97m", "grok-2", "spark2_5", "joyai-llm", "default"],
].map((pre) => ({ file: "qwen2", pre }));

/** The path of a vocabulary; a rewritten one is written to the folder. */
export function pathOf({ file, pre }: Given, folder: string): string {
  const path = join(VOCABULARIES, `ggml-vocab-${file}.gguf`);
  if (pre === undefined) return path;
  const written = join(folder, `${pre}.gguf`);
  loadOracle().rewriteModel(path, written, { "tokenizer.ggml.pre": pre }, false);
  return written;
}

/** What a text is made of, repeated. */
export const UNITS = {
  letter: "a",
  capital: "A",
  digit: "1",
  blank: " ",
  newline: "\n",
  tab: "\t",
  mark: "!",
  slash: "/",
  less: "<",
  han: "中",
  accent: "é",
  emoji: "😀",
  "no-break": "\u00a0",
  combining: "\u0301",
  control: "\u0001",
  words: " a",
  lines: "a\n",
  "blank lines": " \n",
  cases: "aA",
  digits: "1 ",
  slashes: "/\n",
  end: "</s>",
  "other end": "<|im_end|>",
  "end of text": "<|endoftext|>",
} as const;
export type Unit = keyof typeof UNITS;

/** Ends that make an expression look back at all that was before. */
export const ENDS = ["", "1", "x", "\n"] as const;

/** A text of about so many bytes. */
export const textOf = (unit: Unit, bytes: number, end = ""): string =>
  UNITS[unit].repeat(Math.ceil(bytes / Buffer.byteLength(UNITS[unit]))) + end;
