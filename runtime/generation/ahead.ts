/** Texts that the context writes on by itself: where that is possible, and the text there beside the sequence of the reader. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { writeSpec } from "@ggsl/compiler/graph/json.js";
import type { AutomatonPosition } from "../backends/native/automatonBinding.js";
import type { ModelBinding, NativeChain, NativeModel, NativeText, TextBinding } from "../backends/native/binding.js";
import { translated } from "../core/errors.js";
import { positionOf } from "../grammars/position.js";
import { grammarOf } from "../sequence/features/feed.js";
import { saveSequence } from "../sequence/savedSequence.js";
import { featureInputs, type SequenceState } from "../sequence/sequence.js";
import { forcingFeature, type Asked } from "./forced.js";
import { hasFront } from "./ends.js";
import type { PlacedGraph } from "../backends/devices/place.js";

/** What decides whether a text can be written on by itself. */
interface Parts extends Asked {
  readonly model: NativeModel;
  readonly binding: ModelBinding;
  readonly placed: PlacedGraph;
}

/**
 * The text of a generation in the context; undefined where the generation must be asked for each token. That is so where something else
 * picks or reads more than the token and its states: a host tail, guides, drafts, alternatives, log-probabilities, the limit of a thought;
 * and where the program feeds the chain, or patterns choose its tokens.
 */
export function openAhead(parts: Parts): AheadText | undefined {
  const { binding, graph, model, options, placed, guides, speculator, tail } = parts;
  const { Chain, Text } = binding;
  const asksMore = (options.alternatives ?? 0) > 0 || options.logprobs !== undefined || options.thought !== undefined;
  const picksElsewhere =
    tail !== undefined || placed.split !== undefined || guides.length > 0 || speculator !== undefined;
  const picks = graph.outputs.sampled !== undefined && graph.outputs.candidates === undefined;
  if (!Chain || !Text || asksMore || picksElsewhere || !picks || model.info.isRecurrent || !isOfText(graph))
    return undefined;
  const only = forcingFeature(parts);
  // what these do with a grammar is decided before each token
  const followsGrammar = graph.features.some(({ from }) => from.kind === "allowed");
  if (followsGrammar && (hasFront(options) || (only !== undefined && graph.states.length > 0))) return undefined;
  return new AheadText({ Chain, Text }, model, graph, only);
}

/** Whether all that a chain is fed with comes from its text and from what was given once, and from no pattern. */
const isOfText = ({ features, sets = [] }: Graph): boolean =>
  features.every(
    ({ from }) => from.kind !== "input" && from.kind !== "guide" && !("in" in from && typeof from.in === "object"),
  ) && !sets.some(({ of }) => of.some((item) => typeof item === "object" && "pattern" in item));

const chains = new WeakMap<NativeModel, WeakMap<object, NativeChain>>();

/** Made once for chains that differ in their seeds alone: a saved sequence has these. */
function chainOf({ Chain }: Pick<TextBinding, "Chain">, model: NativeModel, graph: Graph): NativeChain {
  const ofModel = chains.get(model) ?? new WeakMap<object, NativeChain>();
  chains.set(model, ofModel);
  const known = ofModel.get(graph.nodes) ?? translated(() => new Chain(model, writeSpec(graph)));
  ofModel.set(graph.nodes, known);
  return known;
}

export class AheadText {
  private text: NativeText | undefined;

  constructor(
    private readonly binding: TextBinding,
    private readonly model: NativeModel,
    private readonly graph: Graph,
    private readonly only: number | undefined,
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
  open(sequence: SequenceState): NativeText | undefined {
    const grammars: AutomatonPosition[] = [];
    for (const feature of sequence.features) {
      const state = grammarOf(feature)?.state;
      const position = state && positionOf(state);
      if (state && !position) return undefined;
      if (position) grammars.push(position);
    }
    // checks what was given
    featureInputs(sequence);
    const { only } = this;
    const { grammars: _, followed, ...saved } = saveSequence(sequence);
    const json = JSON.stringify({ ...saved, ...(followed && { followed: followed.map(() => []) }) });
    const chain = chainOf(this.binding, this.model, this.graph);
    const options = { grammars, ...(only !== undefined && { only }), ...biasOf(sequence) };
    const text = translated(() => new this.binding.Text(chain, json, options));
    this.text = text.isReady() ? text : undefined;
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
