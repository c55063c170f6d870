/** What is compared, and the limits. */
import type { Chain } from "../chain/chain.js";
import * as is from "../core/check.js";
import { InputError, invalid } from "../core/errors.js";
import { MAX_SEQUENCES } from "../generation/request.js";
import * as checks from "../core/sharedOptions.js";
import type { TokenizeOptions } from "../sequence/prompt.js";
import type { UniformValues } from "../sequence/sequence.js";
import type { Comparison } from "./comparison.js";

/** Limits of a comparison. */
export const MOST = { chains: 4, texts: 256, tokens: 1024 } as const;
export const DEFAULTS = { texts: 64, tokens: 64, seed: 1, sequences: 32 } as const;

/** A chain to compare, and the name that it is shown with. */
export interface ComparedChain {
  readonly name: string;
  readonly chain: Chain;
  readonly uniforms?: UniformValues | undefined;
}

export interface CompareProgress {
  /** The part of the work that is done, from 0 to 1. */
  readonly fraction: number;
  /** Texts of each chain that have ended, those of the first seeds. */
  readonly texts: number;
  /** The comparison of these texts; undefined if there are none. */
  comparison(): Comparison | undefined;
}

export interface CompareOptions extends TokenizeOptions {
  /** From 1 to 4 chains with different names; each must pick a token. */
  readonly chains: readonly ComparedChain[];
  /**
   * Texts of each chain, from 1 to 256.
   * @default 64
   */
  readonly texts?: number | undefined;
  /**
   * The most tokens of a text, from 1 to 1024.
   * @default 64
   */
  readonly tokens?: number | undefined;
  /**
   * Replaces the seeds that a chain leaves open in its first text, the next integer in the second, and so on.
   * @default 1
   */
  readonly seed?: number | undefined;
  /**
   * Texts that are written at the same time, from 1 to 256. Other numbers round the model's logits otherwise, so some
   * texts may differ.
   * @default 32
   */
  readonly sequences?: number | undefined;
  /**
   * Tokens of prompt and text together.
   * @default as many as they need
   */
  readonly contextSize?: number | undefined;
  /** A chain that the model's device cannot run as a whole is an error. */
  readonly strict?: boolean | undefined;
  /** Called after each token; it must not throw. */
  readonly onProgress?: ((progress: CompareProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const COMPARED: is.Checks<ComparedChain> = {
  name: is.text,
  chain: checks.chain,
  uniforms: is.optional(checks.uniformValues),
};
const OPTIONS: is.Checks<CompareOptions> = {
  chains: is.listOf("a list of chains", is.complete(COMPARED)),
  texts: is.integer(1, MOST.texts),
  tokens: is.integer(1, MOST.tokens),
  seed: checks.seed,
  sequences: is.integer(1, MAX_SEQUENCES),
  contextSize: is.integer(1),
  strict: is.flag,
  special: is.flag,
  onProgress: is.callback,
  signal: checks.signal,
};
const check = is.options(OPTIONS);

/** Throws `InputError` for options that are not valid. */
export function checkCompare(options: CompareOptions): void {
  check(options, "options");
  // it has no default
  OPTIONS.chains(options.chains, "chains");
  checkChains(options.chains);
}

/** Throws `InputError` for none or too many chains, and for two with the same name. */
export function checkChains(chains: readonly ComparedChain[]): void {
  const names = chains.map(({ name }) => name);
  if (names.length === 0)
    throw invalid(`expected from 1 to ${MOST.chains} chains to compare, found none: give one that picks a token`);
  if (names.length > MOST.chains)
    throw new InputError(
      `expected from 1 to ${MOST.chains} chains to compare, found ${names.length}, ${names.map((name) => `\`${name}\``).join(", ")}: choose some of them`,
      { code: "LIMIT_EXCEEDED" },
    );
  const double = names.find((name, i) => names.indexOf(name) < i);
  if (double !== undefined) throw invalid(`two of the chains are named \`${double}\`: give them different names`);
}
