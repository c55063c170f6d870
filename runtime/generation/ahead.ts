/** Texts that the context writes on by itself: where that is possible, and the text there beside the sequence of the reader. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { writeSpec } from "@ggsl/compiler/graph/json.js";
import { keptOf } from "@ggsl/compiler/graph/liveness.js";
import type { AutomatonPosition } from "../backends/native/automatonBinding.js";
import type {
  Binding,
  ModelBinding,
  NativeChain,
  NativeError,
  NativeModel,
  NativeText,
} from "../backends/native/binding.js";
import type { TextOptions } from "../backends/native/textBinding.js";
import { translate, translated } from "../core/errors.js";
import { positionOf } from "../grammars/position.js";
import { grammarOf } from "../sequence/features/feed.js";
import { saveSequence } from "../sequence/savedSequence.js";
import { featureInputs, type SequenceState } from "../sequence/sequence.js";
import type { Forcing } from "./forced.js";
import { hasFront } from "./ends.js";
import type { SequenceRequest } from "./request.js";
import type { Shown } from "./texts.js";
import type { PlacedGraph } from "../backends/devices/place.js";

/** What decides whether a text can be written on by itself. */
interface Parts {
  readonly graph: Graph;
  readonly options: SequenceRequest;
  readonly tail: unknown;
  readonly guides: readonly unknown[];
  readonly speculator: { readonly isAdaptive: boolean } | undefined;
  readonly model: NativeModel;
  readonly binding: ModelBinding;
  readonly placed: PlacedGraph;
}

/**
 * The text of a generation in the context; undefined where the generation must be asked for each token. That is so where something else
 * picks or reads more than the token and its states: a host tail, guides, drafts of a fixed length, alternatives, log-probabilities, the limit of a thought;
 * where the program feeds the chain, and of chains that the C library does not read.
 */
export function openAhead(
  { binding, graph, model, options, placed, guides, speculator, tail }: Parts,
  forcing: Forcing | undefined,
  writesUnasked: boolean,
): AheadText | undefined {
  const { Chain, Text } = binding;
  const asksMore = (options.alternatives ?? 0) > 0 || options.logprobs !== undefined || options.thought !== undefined;
  const picksElsewhere =
    tail !== undefined || placed.split !== undefined || guides.length > 0 || speculator?.isAdaptive === false;
  const picks = graph.outputs.sampled !== undefined && graph.outputs.candidates === undefined;
  if (!Chain || !Text || asksMore || picksElsewhere || !picks || model.info.isRecurrent || !isOfText(graph))
    return undefined;
  const only = forcing?.feature;
  // what these do with a grammar is decided before each token
  const followsGrammar = graph.features.some(({ from }) => from.kind === "allowed");
  if (followsGrammar && (hasFront(options) || (only !== undefined && !isKnownAtOnce(graph)))) return undefined;
  const chain = chainOf(Chain, model, graph);
  return chain && new AheadText(Text, chain, { ...(only !== undefined && { only }), writesUnasked });
}

/** Whether all that a chain is fed with comes from its text and from what was given once. */
const isOfText = ({ features }: Graph): boolean =>
  features.every(
    ({ from }) => from.kind !== "input" && from.kind !== "guide" && !("in" in from && typeof from.in === "object"),
  );

/** What the context keeps of a token that the model is not asked for. */
const isKnownAtOnce = (graph: Graph): boolean => keptOf(graph).every((id) => graph.nodes[id]!.op === "uniform");

const chains = new WeakMap<NativeModel, WeakMap<object, NativeChain | "only here">>();

/** What the C library does not read: a set with a pattern, a program beyond its limits, which an option raised here. */
const ONLY_HERE: ReadonlySet<string> = new Set(["UNSUPPORTED", "LIMIT_EXCEEDED", "INVALID_SPEC"]);

/** Made once for chains that differ in their seeds alone: a saved sequence has these. Undefined for a chain that only TypeScript reads. */
function chainOf(Chain: Binding["Chain"], model: NativeModel, graph: Graph): NativeChain | undefined {
  const ofModel = chains.get(model) ?? new WeakMap<object, NativeChain | "only here">();
  chains.set(model, ofModel);
  const known = ofModel.get(graph.nodes) ?? read(Chain, model, graph);
  ofModel.set(graph.nodes, known);
  return known === "only here" ? undefined : known;
}

function read(Chain: Binding["Chain"], model: NativeModel, graph: Graph): NativeChain | "only here" {
  try {
    // the reader looks for phrases: where they are masked, the text is asked for the token
    const { phrases: _, ...plain } = graph;
    return new Chain(model, writeSpec(plain));
  } catch (error) {
    if (ONLY_HERE.has((error as NativeError).code)) return "only here";
    throw translate(error);
  }
}

/** Tokens after which a text is tried again whose grammar took too long. */
const REST = 16;

export class AheadText {
  private text: NativeText | undefined;
  /** Before this token it is not tried. */
  private restsUntil = 0;

  constructor(
    private readonly Text: Binding["Text"],
    private readonly chain: NativeChain,
    private readonly unasked: Pick<TextOptions, "only" | "writesUnasked">,
  ) {}

  /** The text with so many tokens, if it is there. */
  at(step: number): NativeText | undefined {
    if (this.text?.step !== step) this.text = undefined;
    return this.text;
  }

  /**
   * The text as the sequence is, whose grammars are ready; undefined where what they allow next takes longer. Throws `InputError` for what
   * cannot be fed.
   */
  open(sequence: SequenceState, shown: Shown): NativeText | undefined {
    if (sequence.step < this.restsUntil) return undefined;
    const grammars: AutomatonPosition[] = [];
    for (const feature of sequence.features) {
      const state = grammarOf(feature)?.state;
      const position = state && positionOf(state);
      if (state && !position) return undefined;
      if (position) grammars.push(position);
    }
    // checks what was given
    featureInputs(sequence);
    const { grammars: _, followed, phrases = {}, sets = {}, ...saved } = saveSequence(sequence);
    // no token is masked at most places
    const unmasked = Object.fromEntries(Object.keys(phrases).map((name) => [name, []]));
    const all = { ...sets, ...unmasked };
    const json = JSON.stringify({
      ...saved,
      ...(Object.keys(all).length > 0 && { sets: all }),
      ...(followed && { followed: followed.map(() => []) }),
    });
    const options = { ...shown, grammars, ...this.unasked, ...biasOf(sequence) };
    const text = translated(() => new this.Text(this.chain, json, options));
    this.text = text.isReady() ? text : undefined;
    if (!this.text) this.restsUntil = sequence.step + REST;
    return this.text;
  }

  /** What was said of the text no longer holds. */
  forget(): void {
    this.text = undefined;
  }
}

function biasOf({ feed: { bias } }: SequenceState): { readonly bias?: { ids: Int32Array; values: Float32Array } } {
  if (!bias) return {};
  return { bias: { ids: Int32Array.from(bias.keys()), values: Float32Array.from(bias.values()) } };
}
