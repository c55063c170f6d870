/** Computes the inputs of a graph from a sequence's history and the values of the calling program. */
import type { Vector } from "../../backends/reference/kernels.js";
import { F32_MAX, MAX_INTEGER } from "@ggsl/compiler/graph/interval.js";
import type { Feature, FeatureSource, Graph, Input, TextSource, UniformExpr } from "@ggsl/compiler/graph/graph.js";
import type { FeatureKind, SourceOf } from "@ggsl/compiler/graph/features.js";
import { isConstantInput } from "@ggsl/compiler/graph/sets.js";
import { leavesOf, uniformExprsOf } from "@ggsl/compiler/graph/uniform.js";
import { isToken } from "@ggsl/compiler/graph/values.js";
import { bindDim, fedSize } from "@ggsl/compiler/graph/wire.js";
import { InputError, invalid } from "../../core/errors.js";
import { flagsOf, wordsOf } from "../../grammars/bits.js";
import type { GrammarSource, GrammarState } from "../../grammars/types.js";
import { breakersOf } from "./breakers.js";
import { completing, completionsOf, type Completions } from "./completions.js";
import { countOccurrences, windowOf } from "./occurrences.js";
import { repeatLengths, type Breakers } from "./repeats.js";
import { startGrammar, type GrammarValues, type OpenGrammar } from "./grammars.js";
import { maskOf, type OpenSet } from "./sets.js";
import { vocabularyFrom, type GivenVocabulary, type Vocabulary } from "../../core/vocabulary.js";

/** Values of a column, by token. */
export type Pairs = ReadonlyMap<number, number>;

/** What feeds a sequence besides its own history. Only what the chain uses is required. */
export interface Feed {
  /**
   * Logit biases; -Infinity bans a token.
   * @default none
   */
  readonly bias?: Pairs | undefined;
  /**
   * What the program declares with `input`: a row of V numbers, pairs for a sparse one, token ids for a text. Without a model these
   * are also the logits of other sequences.
   * @default none
   */
  readonly inputs?: Readonly<Record<string, Float32Array | readonly number[] | Pairs>> | undefined;
  /**
   * The texts of the tokens, for breakers and sets of tokens that are texts: a model's vocabulary from `loadVocabulary`, or a list of distinct texts,
   * which cuts a text into tokens by the longest match.
   * @default the model's
   */
  readonly vocabulary?: GivenVocabulary | undefined;
  /**
   * Opens a grammar at the beginning of the text.
   * @default the engine that the package chooses for the source
   */
  readonly openGrammar?: ((source: GrammarSource) => GrammarState) | undefined;
}

export const IN_GRAPH = Symbol("logits that never reach the host");

/** The feed of a sequence of a model, which reads the logits of its guides in the model's own graph. */
export interface ModelFeed extends Feed {
  /** V numbers in place of these logits, which nothing reads. */
  readonly [IN_GRAPH]?: Float32Array;
}

/** What a sequence keeps of a feature of each kind, beside its source. */
interface Prepared extends Record<FeatureKind, object> {
  readonly repeat_len: { readonly breakers: Breakers };
  readonly completes: { readonly completions: Completions };
  /** Absent while the grammar is followed beside the sequence. */
  readonly allowed: { readonly grammar?: OpenGrammar };
  /** The column of a set that never changes. */
  readonly set: { readonly mask?: Float32Array };
}

type OpenOf<Kind extends FeatureKind> = {
  readonly kind: Kind;
  readonly from: SourceOf<Kind>;
  readonly form: Feature["form"];
} & Prepared[Kind];

/** A prepared feature of one sequence. */
export type OpenFeature = { [Kind in FeatureKind]: OpenOf<Kind> }[FeatureKind];

/** The grammar that a feature follows. */
export const grammarOf = (open: OpenFeature): OpenGrammar | undefined =>
  open.kind === "allowed" ? open.grammar : undefined;

/** The vocabulary that was given, if any. */
const vocabularyIn = ({ vocabulary }: Feed): Vocabulary | undefined => vocabulary && vocabularyFrom(vocabulary);

/** Where the tokens of a sequence's sets are looked up. */
export const placeOf = (feed: Feed, vocabSize: number): { vocabulary: Vocabulary | undefined; vocabSize: number } => ({
  // a model's is read on first use
  get vocabulary() {
    return vocabularyIn(feed);
  },
  vocabSize,
});

/** Prepares the features of a graph. Throws `InputError` if something that the chain needs is missing. */
export function openFeatures(
  graph: Graph,
  feed: Feed,
  { sets, grammars }: { readonly sets: readonly OpenSet[]; readonly grammars: GrammarValues },
  vocabSize: number,
): OpenFeature[] {
  return graph.features.map(({ from, form }): OpenFeature => {
    switch (from.kind) {
      case "repeat_len": {
        const needsTexts = from.breakers.some((b) => typeof b === "string");
        if (needsTexts && !feed.vocabulary)
          throw new InputError("text breakers need a model's vocabulary; without one, give token ids", {
            code: "MISSING_VOCABULARY",
          });
        return { kind: from.kind, from, form, breakers: breakersOf(from.breakers, vocabularyIn(feed)) };
      }
      case "completes": {
        const completions = completionsOf(from.sequences, feed.vocabulary, vocabSize);
        return { kind: from.kind, from, form, completions };
      }
      case "allowed":
        return { kind: from.kind, from, form, grammar: startGrammar(graph, from.grammar, grammars, feed) };
      case "set": {
        if (form.kind !== "dense") return { kind: from.kind, from, form };
        const mask = maskOf(sets[from.set]!, from.not === true, placeOf(feed, vocabSize));
        return { kind: from.kind, from, form, mask };
      }
      default:
        return { kind: from.kind, from, form } as OpenFeature;
    }
  });
}

/** How many tokens of history a graph needs; Infinity for all. */
export function historyNeeded(graph: Graph, features: readonly OpenFeature[]): number {
  const windows = features.map((f) => (f.kind === "completes" ? f.completions.longest : (largestWindow(f) ?? 0)));
  const leaves = uniformExprsOf(graph).flatMap(leavesOf);
  const positions = leaves.map((leaf) => (typeof leaf === "object" && "last" in leaf ? leaf.last : 0));
  return [...windows, ...positions].reduce((a, b) => Math.max(a, b), 0);
}

/** How many of the last tokens of the prompt a graph needs. */
export const promptNeeded = ({ features }: Graph): number =>
  features.reduce(
    (most, feature) =>
      "in" in feature.from && feature.from.in === "prompt" ? Math.max(most, largestWindow(feature)!) : most,
    0,
  );

/** The largest window of a feature that has one; Infinity for the whole text. */
function largestWindow({ from, form }: Pick<Feature, "from" | "form">): number | undefined {
  if (!("last" in from)) return undefined;
  if (typeof from.last === "number") return from.last < 0 ? Infinity : from.last;
  // a feature with a window that can be the whole text has a place for each token of the vocabulary
  return form.kind === "sparse" && form.capacity !== "V" && typeof from.in !== "object" ? form.capacity : Infinity;
}

/** The text of a sequence, as far as its graph needs it. */
interface TextSoFar {
  /** The last tokens of prompt and generated text. */
  readonly history: Int32Array;
  /** The last tokens of the prompt. */
  readonly prompt: Int32Array;
  /** Tokens generated so far. */
  readonly step: number;
  /** The size of a window at the present token. */
  readonly window: (last: UniformExpr) => number;
}

/** The tokens that a feature's window is of. */
function tokensIn(source: TextSource | undefined, { history, prompt, step }: TextSoFar, feed: Feed): Int32Array {
  if (typeof source === "object") return givenTokens(source.input, source.capacity, feed);
  if (source === "prompt") return prompt;
  if (source === "generated") return history.subarray(Math.max(0, history.length - step));
  return history;
}

/** The columns of a graph's constant inputs, which a device keeps. */
export const columnsOf = (graph: Graph, features: readonly OpenFeature[]): Float32Array[] =>
  graph.inputs.flatMap(({ source }) => {
    const open = source.kind === "dense" ? features[source.feature] : undefined;
    return open?.kind === "set" ? (open.mask ?? []) : [];
  });

const EMPTY = new Float32Array();

/** The vectors that change: those of constant inputs are left empty. */
export const varying = (graph: Graph, vectors: readonly Vector[]): Vector[] =>
  vectors.map((vector, i) => (isConstantInput(graph.inputs[i + 1]!, graph) ? EMPTY : vector));

/** What the inputs of a graph are computed from. */
interface Fed {
  readonly features: readonly OpenFeature[];
  readonly text: TextSoFar;
  readonly feed: ModelFeed;
  readonly vocabSize: number;
  readonly sets: readonly OpenSet[];
}

/** A vector for each input of the graph except the first, the logits. */
export function inputsOf(graph: Graph, fed: Fed): Vector[] {
  const { features, feed, vocabSize } = fed;
  const pairs = new Map<number, Pairs>();
  return graph.inputs.slice(1).map((input) => {
    const { source } = input;
    if (source.kind === "logits") throw invalid("only the first input can be the logits");
    const open = features[source.feature]!;
    if (source.kind === "dense") return denseOf(open, feed, vocabSize);
    if (source.kind === "bits") return wordsOf(grammarOf(open)!.state.bits(), fedSize(input, vocabSize));
    const known = pairs.get(source.feature) ?? checkedPairs(open, fed);
    pairs.set(source.feature, known);
    return packed(input, open.form, known, vocabSize);
  });
}

function denseOf(open: OpenFeature, feed: ModelFeed, vocabSize: number): Float32Array {
  const { from } = open;
  if (open.kind === "set" && open.mask) return open.mask;
  if (open.kind === "allowed") return flagsOf(open.grammar!.state.bits(), vocabSize);
  if (from.kind === "guide" && feed[IN_GRAPH]) return feed[IN_GRAPH];
  const name = nameOf(from);
  const values = given(name, feed);
  if (values instanceof Map)
    throw invalid(`the input \`${name}\` is dense: expected ${vocabSize} numbers, found pairs`);
  const row = Float32Array.from(values as ArrayLike<number>, saturated);
  if (row.length !== vocabSize)
    throw invalid(`the input \`${name}\` must have ${vocabSize} numbers, one for each token, found ${row.length}`);
  if (row.some(Number.isNaN)) throw invalid(`the input \`${name}\` is NaN for token ${row.findIndex(Number.isNaN)}`);
  const infinite = from.kind === "guide" ? Array.from(values as ArrayLike<number>).indexOf(Infinity) : -1;
  if (infinite >= 0) throw invalid(`the input \`${name}\` is +inf for token ${infinite}: logits are finite or -inf`);
  const bad = row.findIndex((value) => !fits(from, value));
  if (bad >= 0) throw wrongType(from, bad, (values as ArrayLike<number>)[bad]!);
  return row;
}

const nameOf = (from: FeatureSource): string => ("name" in from ? from.name : from.kind);

function given(name: string, feed: Feed): Float32Array | readonly number[] | Pairs {
  const values = feed.inputs?.[name];
  if (values === undefined) throw new InputError(`the input \`${name}\` was never set`, { code: "MISSING_INPUT" });
  return values;
}

/** An input of tokens. */
function givenTokens(name: string, capacity: number, feed: Feed): Int32Array {
  const values = given(name, feed);
  if (values instanceof Map)
    throw invalid(`the input \`${name}\` is a text: expected a list of at most ${capacity} token ids, found pairs`);
  const tokens = values as ArrayLike<number>;
  if (tokens.length > capacity)
    throw invalid(`the input \`${name}\` takes at most ${capacity} tokens, found ${tokens.length}`);
  const bad = Array.from(tokens).findIndex((token) => !isToken(token));
  if (bad >= 0) throw invalid(`the input \`${name}\`: ${tokens[bad]} is not a token id`);
  return Int32Array.from(tokens);
}

/** Clamps infinities in an input to the largest finite number. */
const saturated = (x: number): number => Math.min(Math.max(x, -F32_MAX), F32_MAX);

/** Whether a value is of the type of its input. */
function fits(from: FeatureSource, value: number): boolean {
  if (from.kind !== "input" || !from.type) return true;
  return from.type === "bool" ? value === 0 || value === 1 : Number.isInteger(value) && Math.abs(value) <= MAX_INTEGER;
}

function wrongType(from: FeatureSource, token: number, value: number): InputError {
  const { name, type } = from as Extract<FeatureSource, { kind: "input" }>;
  const expected =
    type === "bool"
      ? "0 or 1, since its type is bool"
      : `an integer from ${-MAX_INTEGER} to ${MAX_INTEGER}, since its type is i32`;
  return invalid(`the input \`${name}\` is ${value} for token ${token}: expected ${expected}`);
}

function checkedPairs(open: OpenFeature, { text, feed, vocabSize, sets }: Omit<Fed, "features">): Pairs {
  const { from, form } = open;
  // checked when it was set
  if (open.kind === "set")
    return new Map([...sets[open.from.set]!.tokens].map((token) => [token, open.from.not ? 0 : 1]));
  const pairs = pairsOf(open, text, feed);
  const capacity = form.kind === "sparse" ? bindDim(form.capacity, vocabSize) : 0;
  const inside = [...pairs].filter(([token]) => token < vocabSize);
  const isHistory = from.kind === "occurrences" || from.kind === "repeat_len";
  const name = nameOf(from);
  for (const [token, value] of pairs) {
    const isToken = Number.isInteger(token) && token >= 0 && (token < vocabSize || isHistory);
    if (!isToken) throw invalid(`\`${name}\`: ${token} is not a token of a vocabulary of ${vocabSize}`);
    if (Number.isNaN(value)) throw invalid(`\`${name}\` is NaN for token ${token}`);
    if (!fits(from, value)) throw wrongType(from, token, value);
  }
  if (inside.length > capacity) throw invalid(`\`${name}\` takes at most ${capacity} tokens, found ${inside.length}`);
  return new Map(inside);
}

function pairsOf(open: Exclude<OpenFeature, { kind: "set" }>, text: TextSoFar, feed: Feed): Pairs {
  switch (open.kind) {
    case "occurrences":
      return countOccurrences(windowOf(tokensIn(open.from.in, text, feed), text.window(open.from.last)));
    case "repeat_len": {
      const { from, breakers } = open;
      const last = text.window(from.last);
      const source = windowOf(tokensIn(from.in, text, feed), last);
      const isOwn = from.in === undefined || from.in === "generated";
      return repeatLengths(source, breakers, isOwn ? source : windowOf(text.history, last));
    }
    case "completes":
      return completing(open.completions, text.history);
    case "bias":
      return feed.bias ?? new Map();
    case "input": {
      const { name } = open.from;
      const values = given(name, feed);
      if (!(values instanceof Map)) throw invalid(`the input \`${name}\` is sparse: give a Map from token to number`);
      return values as Pairs;
    }
    case "allowed":
    case "guide":
      throw invalid(`the values of \`${open.kind}\` are dense`);
  }
}

/** Ids or values of the pairs; unused slots hold tokens that are in no pair, with the fill value. */
function packed(input: Input, form: Feature["form"], pairs: Pairs, vocabSize: number): Vector {
  const size = bindDim(input.dim, vocabSize);
  if (input.source.kind === "values") {
    const fill = form.kind === "sparse" ? form.fill : 0;
    const values = new Float32Array(size).fill(fill);
    [...pairs.values()].forEach((value, i) => (values[i] = saturated(value)));
    return values;
  }
  const ids = new Int32Array(size);
  let next = 0;
  for (const token of pairs.keys()) ids[next++] = token;
  for (let token = 0; next < size; token++) if (!pairs.has(token)) ids[next++] = token;
  return ids;
}
