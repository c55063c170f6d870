/** What `npm run bench:batches` measures, in parts that run one at a time (`--only`). */
import { join } from "node:path";
import { ROOT } from "../tool.js";
import { TEXT_CHAINS, TOKENS, type TextChain, type Way } from "./chains.js";

/** Texts of one model and one chain. */
export interface Part {
  /** In the tables, and for `--only`. */
  readonly name: string;
  /** Its file; tools/bench.ts makes the random ones. */
  readonly model: string;
  readonly chain: TextChain;
  /** How llama.cpp's side does it. */
  readonly ways: readonly Way[];
  /** Threads of each side. */
  readonly threads: number;
  /** Texts at the same time: each is a comparison. */
  readonly sequences: readonly number[];
  /** The tokens of each text. */
  readonly tokens: number;
  /** The same of more texts than places, each of which takes the place of one that has ended. */
  readonly lengths?: readonly number[];
  /** Tokens that each side writes before the first round. */
  readonly warmUp: number;
}

const builtModel = (name: string): string => join(ROOT, "build", name);

/** V8 goes on compiling for some thousand tokens; those of large models take too long for that. */
export const DEMO = { model: join(ROOT, "examples", "model", "demo-q8_0.gguf"), tokens: TOKENS, warmUp: 8192 };
const LARGE = { tokens: 32, warmUp: 64 };

/** 20 to 200 tokens, in an order that looks like chance. */
const LENGTHS = Array.from({ length: 256 }, (_, i) => 20 + ((i * 113 + 57) % 181));

type Kind = Omit<Part, "name" | "chain" | "threads" | "ways"> & { readonly name: string };

const KINDS: readonly Kind[] = [
  { ...DEMO, name: "", sequences: [1, 8, 32, 64] },
  { ...DEMO, name: "256 texts, ", sequences: [64], lengths: LENGTHS },
  { ...LARGE, name: "V = 128 256, ", model: builtModel("random-128256.gguf"), sequences: [1, 8, 32] },
  { ...LARGE, name: "Qwen3-0.6B, ", model: builtModel("random-qwen3-0.6b-q8_0.gguf"), sequences: [1, 8, 32] },
];

export const PARTS: readonly Part[] = KINDS.flatMap(({ name, ...kind }) =>
  TEXT_CHAINS.flatMap((chain) =>
    [1, 2].map((threads) => ({
      ...kind,
      name: `${name}${chain.name}${threads === 1 ? "" : `, ${threads} threads`}`,
      chain,
      // the last is the fastest; one cache for all takes minutes with texts of different lengths
      ways: name === "" ? chain.ways : chain.ways.slice(-1),
      threads,
    })),
  ),
);
