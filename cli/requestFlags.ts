/** The options of commands that generate text: what is asked for with each text, and where its chain runs. */
import { Option, type Command } from "commander";
import { compilePipeline, type Chain } from "ggsl/chain/chain.js";
import type { RunOptions, SequenceRequest } from "ggsl/generation/generate.js";
import type { Model } from "ggsl/models/model.js";
import { DRAFT_TOKENS, LOOKUP_TOKENS, MAX_DRAFT, MAX_NGRAM, type Speculate } from "ggsl/decode/speculation/options.js";
import { REWINDS } from "ggsl/generation/phrases/options.js";
import type { Phrase } from "ggsl/sequence/phrases/phrases.js";
import { biasOption, feedOf, inputOption, type FeedFlags } from "./feeds.js";
import { atMost, natural, phraseOption, stopOption, UsageError } from "./usage.js";
import { withValues } from "./values.js";

export interface RequestFlags extends FeedFlags {
  readonly stop?: readonly string[];
  readonly banPhrase?: readonly Phrase[];
  readonly maxRewinds?: number;
  readonly minTokens?: number;
  readonly ignoreEos?: true;
  readonly draftModel?: string;
  readonly draftStages?: string;
  readonly draftMax?: number;
  readonly lookup?: true;
  readonly lookupMin?: number;
  readonly lookupMax?: number;
  /** False with `--no-adapt`. */
  readonly adapt: boolean;
  readonly placement?: "graph" | "host";
  readonly checkLogits?: true;
  readonly strict?: true;
}

export const addRequestOptions = (command: Command): Command =>
  command
    .addOption(inputOption())
    .addOption(biasOption())
    .addOption(stopOption())
    .addOption(phraseOption())
    .option(
      "--max-rewinds <n>",
      `how often a text may be taken back because of phrases, with --ban-phrase (default: ${REWINDS})`,
      natural,
    )
    .option("--min-tokens <n>", "the minimum number of tokens: the text does not end before", natural)
    .option("--ignore-eos", "never end the text before the maximum number of tokens")
    .addOption(
      new Option(
        "--draft-model <gguf>",
        "a smaller model with the same vocabulary that drafts tokens: the same text in fewer decodes",
      ).conflicts("lookup"),
    )
    .addOption(
      withValues(
        new Option(
          "--draft-stages <stages>",
          "the chain that picks the tokens of a draft, with --draft-model (default: the chain of the text)",
        ),
        { stages: true },
      ),
    )
    .option("--lookup", "draft what followed the last tokens where the text had them before")
    .option("--lookup-min <n>", "the fewest last tokens that are looked for, with --lookup (default: 2)", ngram)
    .option("--lookup-max <n>", "the most last tokens that are looked for, with --lookup (default: 8)", ngram)
    .option(
      "--draft-max <n>",
      `the most tokens of a draft (default: ${LOOKUP_TOKENS} with --lookup, ${DRAFT_TOKENS} with --draft-model)`,
      atMost(MAX_DRAFT),
    )
    .option("--no-adapt", "drafts are as long as they can be, not as long as pays")
    .addOption(
      new Option(
        "--placement <where>",
        "the chain runs in the model's graph, or on the CPU on its logits (default: graph)",
      ).choices(["graph", "host"]),
    )
    .option("--check-logits", "fail at a logit that is NaN or +inf; all logits are read back for it");

const ngram = atMost(MAX_NGRAM);

/** What a text is asked for with a chain. Throws `UsageError` and `InputError`. */
export function requestOf({ graph }: Chain, flags: RequestFlags, draft: Model | undefined): Partial<SequenceRequest> {
  const { stop, minTokens, ignoreEos, banPhrase, maxRewinds } = flags;
  if (maxRewinds !== undefined && !banPhrase) throw new UsageError("--max-rewinds needs --ban-phrase");
  const feed = feedOf(graph, flags);
  const speculate = speculateOf(flags, draft);
  return {
    ...(feed && { feed }),
    ...(stop && { stop }),
    ...(banPhrase && { bannedPhrases: banPhrase }),
    ...(maxRewinds !== undefined && { maxRewinds }),
    ...(minTokens !== undefined && { minTokens }),
    ...(ignoreEos && { ignoreEnd: true }),
    ...(speculate && { speculate }),
  };
}

/** Where the chains run. */
export const runOf = ({ placement, strict, checkLogits }: RequestFlags): RunOptions => ({
  ...(placement && { placement }),
  ...(strict && { strict }),
  ...(checkLogits && { checkLogits }),
});

const DRAFTS = "--draft-model or --lookup";
/** What each option of drafts needs. */
const NEEDS = {
  lookupMin: "--lookup",
  lookupMax: "--lookup",
  draftStages: "--draft-model",
  draftMax: DRAFTS,
} as const;

/** Throws `UsageError` for options of drafts without drafts. */
export function checkDrafts(flags: RequestFlags): void {
  const has: Readonly<Record<string, unknown>> = {
    "--lookup": flags.lookup,
    "--draft-model": flags.draftModel,
    [DRAFTS]: flags.lookup ?? flags.draftModel,
  };
  for (const [name, needed] of Object.entries(NEEDS) as [keyof typeof NEEDS, string][])
    if (flags[name] !== undefined && !has[needed])
      throw new UsageError(`--${name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)} needs ${needed}`);
  if (!flags.adapt && !has[DRAFTS]) throw new UsageError(`--no-adapt needs ${DRAFTS}`);
}

function speculateOf(flags: RequestFlags, draft: Model | undefined): Speculate | undefined {
  const { lookup, lookupMin: min, lookupMax: max, draftMax: tokens, draftStages } = flags;
  const length = { ...(tokens !== undefined && { tokens }), ...(!flags.adapt && { adapt: false }) };
  if (draft) return { draft, ...length, ...(draftStages !== undefined && { chain: compilePipeline(draftStages) }) };
  if (!lookup) return undefined;
  return { ngram: { ...length, ...(min !== undefined && { min }), ...(max !== undefined && { max }) } };
}
