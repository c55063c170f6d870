/** The option `speculate` of a request. */
import * as is from "../../core/check.js";
import type { Chain } from "../../chain/chain.js";
import { invalid } from "../../core/errors.js";
import type { ModelInfo } from "../../backends/native/binding.js";
import * as checks from "../../core/sharedOptions.js";
import { GROWN_ROWS } from "../scheduler/drafts.js";

/** Prompt lookup: what followed the last tokens where the text had them before is drafted. It needs no second model. */
export interface LookupOptions {
  /**
   * The fewest last tokens that must have occurred before.
   * @default 2
   * @unit tokens
   */
  readonly min?: number | undefined;
  /**
   * The most last tokens that are compared. The longest match is taken, and the latest of equal ones.
   * @default 8
   * @unit tokens
   */
  readonly max?: number | undefined;
  /**
   * The most tokens of a draft.
   * @default 15
   * @unit tokens
   */
  readonly tokens?: number | undefined;
  /**
   * True: drafts are as long as pays by what was accepted lately and by what decodes cost; false: as long as possible.
   * @default true
   */
  readonly adapt?: boolean | undefined;
}

/** A smaller model with the same vocabulary writes the drafts. */
export interface DraftOptions {
  /** A model from `loadModel` or `loadModelFromBytes`. It is only read, and may serve several generations. */
  readonly draft: { readonly info: ModelInfo };
  /**
   * The most tokens of a draft.
   * @default 8
   * @unit tokens
   */
  readonly tokens?: number | undefined;
  /**
   * As for prompt lookup.
   * @default true
   */
  readonly adapt?: boolean | undefined;
  /**
   * The chain that picks the tokens of a draft. It sees the text as the text's chain does: the same prompt, step, seeds and uniforms.
   * @default the text's chain; the likeliest token if that has a host tail or reads another sequence
   */
  readonly chain?: Chain | undefined;
}

/** Where drafts come from. */
export type Speculate = { readonly ngram: LookupOptions } | DraftOptions;

/** The most tokens of a draft. */
export const MAX_DRAFT = 32;
/** The tokens of a draft by a model. */
export const DRAFT_TOKENS = 8;
/** The tokens of a draft by prompt lookup, which costs nothing: those beside the row of the text. */
export const LOOKUP_TOKENS = GROWN_ROWS - 1;
export const MAX_NGRAM = 64;

const tokens = is.integer(1, MAX_DRAFT);
const NGRAM: is.Checks<LookupOptions> = {
  min: is.integer(1, MAX_NGRAM),
  max: is.integer(1, MAX_NGRAM),
  tokens,
  adapt: is.flag,
};
const DRAFT: is.Checks<DraftOptions> = { draft: is.someObject, tokens, adapt: is.flag, chain: checks.chain };
const checkNgram = is.object({ ngram: is.object(NGRAM) });
const checkDraft = is.object(DRAFT);
const checkEither = is.object({ ngram: is.someObject, ...DRAFT });

/** Checks everything but the draft model itself. */
export const speculate: is.Check = (value, name) => {
  checkEither(value, name);
  const given = value as { readonly ngram?: LookupOptions; readonly draft?: object };
  if ((given.ngram === undefined) === (given.draft === undefined))
    throw invalid(
      `\`${name}\`: expected either \`ngram\` or \`draft\`, found ${given.ngram === undefined ? "neither" : "both"}`,
    );
  if (given.ngram === undefined) return checkDraft(value, name);
  checkNgram(value, name);
  const { min, max } = ngramOf(given.ngram);
  if (min > max) throw invalid(`\`${name}.ngram\`: min is ${min}, and max is ${max}: expected min to be at most max`);
};

/** Options of prompt lookup with the defaults. */
export type GivenLookup = { readonly [Name in keyof LookupOptions]-?: Exclude<LookupOptions[Name], undefined> };

export function ngramOf({ min, max, tokens = LOOKUP_TOKENS, adapt = true }: LookupOptions): GivenLookup {
  return { min: min ?? Math.min(2, max ?? 2), max: max ?? Math.max(8, min ?? 8), tokens, adapt };
}

/** Whether the length of drafts follows what they bring. */
export const isAdaptive = (given: Speculate): boolean => ("ngram" in given ? given.ngram.adapt : given.adapt) !== false;

/** The most tokens of a draft. */
export const tokensOf = (given: Speculate): number =>
  "ngram" in given ? ngramOf(given.ngram).tokens : (given.tokens ?? DRAFT_TOKENS);
