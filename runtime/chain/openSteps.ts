/**
 * A sequence on plain logits, step by step, whatever computes its graph: what the graph is given, what becomes of its outputs, and
 * the sequence after each token.
 */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { seeded } from "@ggsl/compiler/graph/seeds.js";
import { MOST_MASKED, phrasesOf } from "@ggsl/compiler/graph/phrases.js";
import { pickOf } from "@ggsl/compiler/graph/pick.js";
import { bindDim } from "@ggsl/compiler/graph/wire.js";
import * as is from "../core/check.js";
import { InputError, invalid } from "../core/errors.js";
import type { Feed } from "../sequence/features/feed.js";
import { feedOption } from "../sequence/features/feedOption.js";
import { textsOf, vocabularyFrom } from "../core/vocabulary.js";
import * as checks from "../core/sharedOptions.js";
import { statesAccepted } from "../backends/reference/accepted.js";
import type { Outputs } from "../backends/reference/interpret.js";
import type { Vector } from "../backends/reference/kernels.js";
import {
  acceptPrompt,
  acceptToken,
  featureInputs,
  measuresOf,
  stopOf,
  startSequence,
  statesOf,
  uniformsOf,
  withUniforms,
  writtenToken,
  type SequenceState,
  type UniformValues,
} from "../sequence/sequence.js";
import { withRejected } from "../sequence/phrases/values.js";
import { takesDraws } from "../sequence/streams.js";
import type { StageTrace } from "../sequence/trace.js";
import { checkTailKeeps, openTail } from "../sequence/tail.js";

/** What a sequence on plain logits begins with. */
export interface StepOptions {
  /**
   * An integer from 0 to 2^32 - 1 in place of each seed that the chain leaves open.
   * @default random seeds
   */
  readonly seed?: number | undefined;
  readonly uniforms?: UniformValues | undefined;
  /** Draws in [0, 1], one per step, that replace the chain's own; an error for a chain without draws (`takesDraws`). */
  readonly draws?: readonly number[] | undefined;
  /** Tokens before the first picked one, for chains that read the text so far. */
  readonly history?: readonly number[] | undefined;
  /** Logit biases, and the columns that the chain declares with `input`. */
  readonly feed?: Feed | undefined;
}

export const STEP_OPTIONS: is.Checks<StepOptions> = {
  seed: checks.seed,
  uniforms: checks.uniformValues,
  draws: is.listOf(
    "a list of numbers",
    is.that("a number in [0, 1]", (x) => typeof x === "number" && x >= 0 && x <= 1),
  ),
  history: checks.tokenList(),
  feed: feedOption,
};

/** A remaining row: the token's id, its logit, and its probability among the remaining rows. */
export interface Candidate {
  readonly token: number;
  readonly logit: number;
  readonly prob: number;
}

/** What a step gives. */
export interface StepResult {
  /** The picked token; null if the chain picks none. */
  readonly token: number | null;
  /** The remaining rows in table order; their probabilities sum to 1. */
  readonly candidates: readonly Candidate[];
  /** The values of the chain's measures by name; absent if it has none. */
  readonly measures?: Readonly<Record<string, number>>;
  /** What each stage made of the rows and of the picked token, the logits themselves first; of a chain that was compiled with `trace`. */
  readonly trace?: readonly StageTrace[];
  /** The token is of a text that the chain writes, whatever it would have picked. */
  readonly isWritten?: true;
  /** The name of the first `stop when` that holds: a text ends with this token; absent if none does. */
  readonly stop?: string;
}

/** What a graph is given for one token. */
export interface Given {
  readonly logits: Float32Array;
  readonly uniforms: Float32Array;
  readonly inputs: readonly Vector[];
}

/** The logits of a caller. */
export type LogitValues = Float32Array | readonly number[];

/** One sequence. Its errors are `InputError`s. */
export interface Steps {
  readonly sequence: SequenceState;
  /** What the graph is given for these logits, which must be one for each token; whoever computes it checks that none is NaN or +inf. */
  begin(values: LogitValues): Given;
  /** What the graph is given beside logits, for logits that are on a device. */
  beginWithoutLogits(): Omit<Given, "logits">;
  /** The result of the step, from the outputs of the graph. */
  end(outputs: Outputs): StepResult;
  /**
   * Accepts a token, by default that of the last step: advances draws, states and history. States that are computed from the picked row
   * are those of this token's row. Throws `InputError` (NOT_A_CANDIDATE) if there are some and the chain has dropped the token.
   */
  accept(token?: number): void;
  /** The present values of the states by name. */
  readonly states: Readonly<Record<string, number>>;
  /** How many of the accepted tokens a grammar was asked about and did not allow: it waits at them. */
  readonly disallowedTokens: number;
  setUniforms(values: UniformValues): void;
  /** The text was taken back to this place, because of phrases that begin with these tokens. */
  reject(tokens: readonly number[]): void;
  /** Refuses further steps. */
  close(): void;
}

/** A sequence before its first token. Throws `InputError` for a graph, a size or options that do not fit. */
export function openSteps(given: Graph, vocabSize: number, options: StepOptions): Steps {
  checkChain(given, vocabSize, options);
  const graph = seeded(given, options.seed);
  const { history = [] } = options;
  let sequence = acceptPrompt(startSequence(graph, vocabSize, options), history);
  const tail = openTail(graph.tail, sequence.params);
  tail?.acceptPrompt(history);
  let isClosed = false;
  const checkOpen = (): void => {
    if (isClosed) throw new InputError("this evaluator is disposed", { code: "DISPOSED" });
  };
  const feeds = (): Omit<Given, "logits"> => ({ uniforms: uniformsOf(sequence), inputs: featureInputs(sequence) });
  const pick = pickOf(graph);
  /** What the graph is given, where a token in place of the pick needs it: a caller may change its logits later. */
  let begun: Given | undefined;
  let latestGiven: Given | undefined;
  let latest: Outputs | undefined;
  let picked: number | undefined;
  /** The token that comes in place of the pick. */
  let written: number | undefined;
  const statesOfToken = (token: number, outputs: Outputs): Float32Array => {
    if (!pick) return outputs.states;
    if (!latestGiven)
      throw new InputError(
        `the chain \`${graph.name}\` has states that are computed from the picked row, and its logits have stayed on the device: expected the picked token, ${picked}, found ${token}`,
        { code: "NOT_A_CANDIDATE" },
      );
    return statesAccepted(graph, pick, token, { ...latestGiven, outputs });
  };
  return {
    get sequence() {
      return sequence;
    },
    begin(values) {
      checkOpen();
      const logits = logitsFrom(values, vocabSize);
      const fed = feeds();
      begun = pick && { ...fed, logits: logits.slice() };
      return { ...fed, logits };
    },
    beginWithoutLogits() {
      checkOpen();
      begun = undefined;
      return feeds();
    },
    end(outputs) {
      checkOpen();
      checkTokens(outputs, vocabSize);
      latest = outputs;
      latestGiven = begun;
      picked = outputs.sampled;
      written = writtenToken(sequence);
      const stop = written === undefined ? stopOf(graph, outputs.states) : undefined;
      const { trace, ...measures } = measuresOf(graph, outputs.states);
      const reported = {
        ...(written !== undefined && { isWritten: true as const }),
        ...measures,
        ...(trace && written === undefined && { trace }),
        ...(stop !== undefined && { stop }),
      };
      if (!tail) return { token: written ?? outputs.sampled ?? null, candidates: rowsOf(outputs), ...reported };
      const rows = tail.apply({ candidates: outputs.candidates, logits: outputs.logits });
      picked = rows.selected < 0 ? undefined : rows.selected;
      return {
        token: written ?? picked ?? null,
        candidates: rowsOf({ ...rows, candidates: rows.tokens }),
        ...reported,
      };
    },
    accept(token = written ?? picked) {
      checkOpen();
      if (token !== undefined) is.integer(0, vocabSize - 1)(token, "token");
      if (!latest || token === undefined) throw new InputError("there is no token to accept", { code: "NOT_READY" });
      const next = acceptToken(
        sequence,
        token,
        token === (written ?? picked) ? latest.states : statesOfToken(token, latest),
      );
      tail?.accept(token); // may refuse the token
      sequence = next;
      latest = undefined;
    },
    get states() {
      return statesOf(sequence);
    },
    get disallowedTokens() {
      return sequence.disallowed;
    },
    setUniforms(values) {
      checks.uniformValues(values, "values");
      checkTailKeeps(graph, sequence.params, values);
      sequence = withUniforms(sequence, values);
    },
    reject(tokens) {
      checks.tokenList(vocabSize - 1)(tokens, "tokens");
      if (phrasesOf(graph).length === 0) throw invalid(`the chain \`${graph.name}\` has no phrases`);
      if (tokens.length > MOST_MASKED)
        throw new InputError(`\`tokens\` must have at most ${MOST_MASKED} tokens, found ${tokens.length}`, {
          code: "LIMIT_EXCEEDED",
        });
      sequence = withRejected(sequence, tokens);
    },
    close() {
      isClosed = true;
      tail?.[Symbol.dispose]();
    },
  };
}

function checkChain(graph: Graph, vocabSize: number, { draws, history = [], feed }: StepOptions): void {
  checks.graph(graph, "graph");
  if (vocabSize === 0) throw invalid("expected a logit for each token of the vocabulary, found none");
  is.integer(1, checks.MAX_VOCAB)(vocabSize, "vocabSize");
  checks.tokenList(vocabSize - 1)(history, "history");
  if (draws !== undefined && !takesDraws(graph))
    throw invalid(`\`draws\` was given, and the chain \`${graph.name}\` has no draws to replace: leave it out`);
  checkSize(graph, vocabSize);
  checkVocabulary(feed, vocabSize);
}

function logitsFrom(values: LogitValues, vocabSize: number): Float32Array {
  checks.logitList(values, "logits");
  if (values.length !== vocabSize)
    throw invalid(`expected ${vocabSize} logits, one for each token of the vocabulary, found ${values.length}`);
  const logits = values instanceof Float32Array ? values : new Float32Array(values);
  // nearly always the first one is a number
  if (logits.every((x) => x === -Infinity)) throw invalid("every logit is -inf, so there is no candidate");
  return logits;
}

/** Throws `InputError` for a logit that is NaN or +inf. */
export function checkLogits(logits: Float32Array): void {
  // not `findIndex`, which takes several times as long
  for (let token = 0; token < logits.length; token++)
    if (!(logits[token]! < Infinity))
      throw invalid(`the logit of token ${token} is ${logits[token]}; expected a finite number or -inf`);
}

/** The most numbers that a graph may need at once: 2 GiB. The reference interpreter keeps all intermediate results. */
const MAX_NUMBERS = 2 ** 29;

function checkSize({ nodes, name }: Graph, vocabSize: number): void {
  const numbers = nodes.reduce((sum, { dim }) => sum + bindDim(dim, vocabSize), 0);
  if (numbers > MAX_NUMBERS)
    throw new InputError(
      `the chain \`${name}\` needs ${numbers} numbers for a vocabulary of ${vocabSize}; at most ${MAX_NUMBERS} are allowed`,
      { code: "LIMIT_EXCEEDED" },
    );
}

function checkVocabulary({ vocabulary }: Feed = {}, vocabSize: number): void {
  const { length } = vocabulary ? textsOf(vocabularyFrom(vocabulary)) : { length: vocabSize };
  if (length < vocabSize)
    throw invalid(
      `the vocabulary has the texts of ${length} tokens, expected at least ${vocabSize}, one for each logit`,
    );
}

/** A graph that does not come from the compiler can compute any number as a token. */
function checkTokens({ sampled, candidates }: Outputs, vocabSize: number): void {
  const isToken = (token: number): boolean => token >= 0 && token < vocabSize;
  const stray = sampled !== undefined && !isToken(sampled) ? sampled : candidates?.find((token) => !isToken(token));
  if (stray !== undefined)
    throw new InputError(`the graph returned ${stray}, which is not a token of a vocabulary of ${vocabSize}`, {
      code: "COMPUTE_FAILED",
    });
}

function rowsOf({ candidates, logits, probs }: Pick<Outputs, "candidates" | "logits" | "probs">): Candidate[] {
  if (!logits || !probs) return [];
  const rows = Array.from(logits, (logit, i) => ({ token: candidates?.[i] ?? i, logit, prob: probs[i]! }));
  return rows.filter(({ logit }) => logit !== -Infinity);
}
