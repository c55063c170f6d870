/** Requests: what a generation is given, and its checks. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { seeded } from "@ggsl/compiler/graph/seeds.js";
import { picksToken } from "@ggsl/compiler/graph/tail.js";
import { tracedGraph, type Chain } from "../chain/chain.js";
import * as is from "../core/check.js";
import { CONTEXT_SETTINGS, type ContextSettings } from "../backends/contextOptions.js";
import { invalid } from "../core/errors.js";
import type { Feed } from "../sequence/features/feed.js";
import { feedOption } from "../sequence/features/feedOption.js";
import { withFed, type Guides } from "../sequence/guides.js";
import * as checks from "../core/sharedOptions.js";
import type { TokenizeOptions } from "../sequence/prompt.js";
import { savedSequence, type SavedSequence } from "../sequence/savedSequence.js";
import type { UniformValues } from "../sequence/sequence.js";
import { speculate, type Speculate } from "../decode/speculation/options.js";
import { NO_END, withEnds, type EndOptions } from "./ends.js";
import type { HealOptions } from "./healing/healing.js";
import { MAX_REWINDS, phraseList, type PhraseOptions } from "./phrases/options.js";
import { stopTexts } from "./stops.js";
import { thoughtLimit, type ThoughtLimit } from "./thought.js";

/** A request to generate one sequence. */
export interface SequenceRequest extends TokenizeOptions, EndOptions, PhraseOptions, HealOptions {
  /** The chain that picks the tokens. */
  readonly chain: Chain;
  /**
   * An integer from 0 to 2^32 - 1 in place of each seed that the chain leaves open, as `ggsl run --seed` has it: the same text
   * again, on the same machine. Seeds that the chain fixes, and those in `uniforms`, stay. A resumed text keeps its own seeds.
   * @default random seeds, new for each text
   */
  readonly seed?: number | undefined;
  /**
   * Values of the chain's uniforms, by name; those that are not named have the defaults of the program.
   * @default the program's
   */
  readonly uniforms?: UniformValues | undefined;
  /**
   * What the chain reads besides the text: biases, columns, the texts of tokens.
   * @default none
   */
  readonly feed?: Feed | undefined;
  /**
   * The other sequences whose logits the chain reads, by the names of its `input NAME: logits`; all are required. A generation
   * takes one sequence of its context for itself and one for each guide, and is over when one of them is full.
   * @default none
   */
  readonly guides?: Guides | undefined;
  /**
   * The maximum number of tokens.
   * @default until the model ends the text or the context is full
   * @unit tokens
   */
  readonly maxTokens?: number | undefined;
  /**
   * Texts that end the generation, and are no part of it, also across the borders of tokens. Of those that are complete first the
   * longest one counts. A token is given once it is known that its text is not part of one.
   * @default none
   */
  readonly stop?: readonly string[] | undefined;
  /**
   * How many of the likeliest tokens of the model itself each piece lists, at most 100, beside the picked one, whatever the chain
   * makes of them. With each token all logits are read back; the graph stays the same.
   * @default none
   * @unit tokens
   */
  readonly logprobs?: number | undefined;
  /**
   * How many of the likeliest tokens of those that the chain keeps each piece lists, at most 100. The chain's rows
   * are computed on the CPU from the model's logits, which are read back with each token; the graph stays the same.
   * @default none
   * @unit tokens
   */
  readonly alternatives?: number | undefined;
  /**
   * Each piece lists the values of the chain's states. It is free: states are read back with each token anyway.
   * @default false
   */
  readonly states?: boolean | undefined;
  /**
   * Each piece has what every stage of the chain made of the rows and of its token: the rows left, their entropy, the rank and the
   * probability of the token. The graph computes it, and a few numbers more are read back with each token. A chain with host stages cannot
   * be traced.
   * @default false
   */
  readonly trace?: boolean | undefined;
  /**
   * The sequence of the batch, from 0 on, that it runs in, and waits for.
   * @default any that is not reserved
   */
  readonly place?: number | undefined;
  /**
   * Whose text it is: those of each lane take turns where texts wait to become tokens, grammars to be prepared, and costly chains for a
   * decode.
   * @default one lane for all texts without
   */
  readonly lane?: string | undefined;
  /**
   * Tokens that may be computed before they are read, 0 to 256: the model goes on while a program works with the last piece. Of most
   * chains: docs/batches.md says which are asked for each token. What is set, taken back or saved counts from the
   * last piece that was read; tokens after it are computed again.
   * @default 16; 48 in a context of one sequence, 4 while another text waits for a place, or to join
   * @unit tokens
   */
  readonly ahead?: number | undefined;
  /**
   * Its tokens are part of every decode, whatever the chain computes: `decodeWork` of the batch is for the others.
   * @default false
   */
  readonly inEveryDecode?: boolean | undefined;
  /**
   * Ends the generation: the loop over its pieces then throws an `AbortError`.
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called while the prompt is read, after each batch: how many of its tokens the model has read, and how many there are. Long prompts
   * take several batches.
   * @default none
   */
  readonly onPromptProgress?: ((read: number, total: number) => void) | undefined;
  /**
   * A result of `save`; the prompt is then the saved tokens.
   * @default none
   */
  readonly resume?: SavedSequence | undefined;
  /**
   * Drafts tokens and decodes them together: the same text in fewer decodes.
   * @default none
   */
  readonly speculate?: Speculate | undefined;
  /**
   * A limit for a thought with which the text begins. States and measures of the chain are those of the token that it picked where an end
   * is written.
   * @default thoughts have none
   */
  readonly thought?: ThoughtLimit | undefined;
}

/** Where sequences run. Settings of the context default to those given to `loadModel`. */
export interface RunOptions extends ContextSettings {
  /**
   * `graph`: the chain is part of the model's graph. `host`: it runs on the CPU on logits that are read back.
   * @default `graph`
   */
  readonly placement?: "graph" | "host" | undefined;
  /**
   * A chain that the model's device cannot run as a whole is an error; without this, the rest of it runs on the CPU.
   * @default false
   */
  readonly strict?: boolean | undefined;
  /**
   * Check every logit of the model: NaN or +inf is an error. It costs a readback of all logits with each token.
   * @default false
   */
  readonly checkLogits?: boolean | undefined;
}

export interface GenerateOptions extends SequenceRequest, RunOptions {}

export const RUN: is.Checks<RunOptions> = {
  ...CONTEXT_SETTINGS,
  placement: is.oneOf("graph", "host"),
  strict: is.flag,
  checkLogits: is.flag,
};
export const checkRun = is.someOptions(RUN);

const MAX_LISTED = 100;
/** The most tokens that a text may be ahead of its reader. */
const MAX_AHEAD = 256;
/** The most sequences of a batch. */
export const MAX_SEQUENCES = 256;

export const REQUEST: is.Checks<SequenceRequest> = {
  chain: checks.chain,
  seed: checks.seed,
  uniforms: checks.uniformValues,
  feed: feedOption,
  guides: is.someObject,
  maxTokens: is.integer(0),
  minTokens: is.integer(0, NO_END),
  ahead: is.integer(0, MAX_AHEAD),
  ignoreEnd: is.flag,
  stop: stopTexts,
  bannedPhrases: phraseList,
  maxRewinds: is.integer(0, MAX_REWINDS),
  heal: is.flag,
  logprobs: is.integer(0, MAX_LISTED),
  alternatives: is.integer(0, MAX_LISTED),
  states: is.flag,
  trace: is.flag,
  special: is.flag,
  place: is.integer(0, MAX_SEQUENCES - 1),
  lane: is.text,
  inEveryDecode: is.flag,
  signal: checks.signal,
  onPromptProgress: is.callback,
  resume: savedSequence,
  speculate,
  thought: thoughtLimit,
};

/** Throws `InputError` for an invalid request; `checks` are those of all its options. */
export function checkSequence(options: SequenceRequest, all: is.Checks<SequenceRequest> = REQUEST): void {
  is.options(all)(options, "options");
  // it has no default
  checks.chain(options.chain, "chain");
  checkLengths(options);
  if (options.thought !== undefined && options.resume !== undefined)
    throw invalid("`thought` cannot be given with `resume`: a text that goes on is not at its beginning");
  if (options.heal && options.resume !== undefined)
    throw invalid("`heal` cannot be given with `resume`: a text that goes on has no prompt, so omit it");
  if (options.seed !== undefined && options.resume !== undefined)
    throw invalid("`seed` cannot be given with `resume`: a resumed text goes on with the seeds that it has");
}

/** `minTokens` counts from the beginning of a text, `maxTokens` from where it is resumed. */
function checkLengths({ minTokens = 0, maxTokens = Infinity, resume }: SequenceRequest): void {
  const most = maxTokens + (resume?.step ?? 0);
  if (minTokens > most)
    throw invalid(
      `\`minTokens\` must be at most ${most}, the most tokens that the text has by \`maxTokens\`, found ${minTokens}`,
    );
}

/** The graph that a request needs. */
export const graphOf = (request: SequenceRequest): Graph =>
  fitted(request.trace ? tracedGraph(request.chain) : request.chain.graph, request);
/** The same with the rows as outputs. */
export const rowsGraphOf = (request: SequenceRequest): Graph => fitted(request.chain.rowsGraph, request);

const fitted = (graph: Graph, { seed, feed = {}, guides = {}, ...request }: SequenceRequest): Graph =>
  seeded(withEnds(withFed(graph, feed, guides), request), seed);

/** The sequences that a request can get. */
interface Sequences {
  readonly sequences: number;
  /** The sequences that are not reserved. */
  readonly shared: number;
}

/** Throws `InputError` for a chain that needs more sequences than there are, and for a place that is none. */
export function checkRoom({ name }: Graph, needed: number, { sequences, shared }: Sequences, place?: number): void {
  if (place !== undefined && place >= sequences)
    throw invalid(`\`place\` must be at most ${sequences - 1}, the last of the sequences, found ${place}`);
  const free = place === undefined ? shared : shared + 1;
  if (needed <= sequences && needed > free)
    throw invalid(
      `the chain \`${name}\` needs ${needed} sequences, and ${free} of the ${sequences} are not reserved: reserve fewer, or give \`place\``,
    );
  if (needed > sequences)
    throw invalid(
      `the chain \`${name}\` needs ${needed} sequences, one for the text and one for each guide, and there ${sequences === 1 ? "is 1" : `are ${sequences}`}: set \`sequences\` to at least ${needed}`,
    );
}

/** What is wrong with a chain that picks no token. */
export const lacksPick = (name: string, what = "the chain"): string =>
  `${what} \`${name}\` does not pick a token: end it with a stage that does, such as dist() or greedy()`;

/** Throws `InputError` for a chain that picks no token. */
export function checkPicks(graph: Graph): void {
  if (!picksToken(graph)) throw invalid(lacksPick(graph.name));
}
