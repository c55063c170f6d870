/** Opens the speculation of a generation. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import { seeded } from "@ggsl/compiler/graph/seeds.js";
import { isConstantInput } from "@ggsl/compiler/graph/sets.js";
import { compilePipeline } from "../chain/chain.js";
import type { PlacedGraph } from "../backends/devices/place.js";
import { InputError, translated } from "../core/errors.js";
import { columnsOf } from "../sequence/features/feed.js";
import { modelFeed } from "../sequence/features/model.js";
import type { ChainResults, NativeEvaluator } from "../backends/native/binding.js";
import { loadBinding } from "../backends/native/loader.js";
import { interpret } from "../backends/reference/interpret.js";
import type { Row } from "../decode/scheduler/step.js";
import { startSequence, type SequenceState } from "../sequence/sequence.js";
import { DraftLine, isSameChain, openSeedOf, shared, valuesOf } from "../decode/speculation/draftLine.js";
import { DraftModel } from "../decode/speculation/draftModel.js";
import type { Drafter } from "../decode/speculation/drafter.js";
import { knownStates } from "../decode/speculation/known.js";
import { openLookup } from "../decode/speculation/lookup.js";
import { isAdaptive, ngramOf, tokensOf, type DraftOptions, type Speculate } from "../decode/speculation/options.js";
import { Speculator } from "../decode/speculation/speculator.js";
import { isWasmThere, loadedWasm } from "../backends/wasm/loader.js";
import { checkSameVocabulary } from "../decode/speculation/vocabularies.js";
import { mayEnd } from "./ends.js";
import { loadedModel } from "./loaded.js";
import { graphOf, type SequenceRequest } from "./request.js";
import { openScheduler, place, type LoadedModel, type Room } from "./room.js";

const unsupported = (message: string): InputError => new InputError(message, { code: "SPECULATION_UNSUPPORTED" });

/** Throws `InputError` for a chain or a model that cannot speculate, and for a draft model that does not fit. */
export function checkSpeculation(request: Drafted, graph: Graph, { native }: LoadedModel): void {
  const given = request.speculate;
  const { isRecurrent, vocabSize } = translated(() => native.info);
  if (isRecurrent)
    throw unsupported(
      "this model is recurrent: a draft that is refused cannot be taken back, so omit `speculate` for this model",
    );
  if (guidesOf(graph).length > 0 && !knownStates(graph, vocabSize))
    throw unsupported(
      `the chain \`${graph.name}\` reads the logits of another sequence, and its states depend on logits: its rows are not known before the model runs, so omit \`speculate\``,
    );
  if ("ngram" in given) return;
  const { native: draft } = loadedModel(given.draft, "speculate.draft");
  checkSameVocabulary(native, draft);
  const chain = draftGraph(request, given, graph);
  if (!canDraft(chain))
    throw unsupported(
      `the chain \`${chain.name}\` cannot write drafts: it must pick a token without a host tail, and read no other sequence`,
    );
}

/** A request that speculates. */
type Drafted = SequenceRequest & { readonly speculate: Speculate };

const canDraft = (graph: Graph): boolean => graph.outputs.sampled !== undefined && guidesOf(graph).length === 0;

/** The graph that picks the tokens of a draft: by default that of the text if it can. */
function draftGraph(request: SequenceRequest, { chain }: DraftOptions, graph: Graph): Graph {
  if (!chain && canDraft(graph)) return graph;
  const own = graphOf({ ...request, trace: false, chain: chain ?? compilePipeline("greedy()") });
  return isSameChain(own, graph) ? graph : own;
}

/** Where the generation runs that speculates. */
interface Where {
  readonly placed: PlacedGraph;
  readonly columns: readonly Float32Array[];
  readonly contextSize: number;
  /** The tokens of the prompt, and the sequence after them. */
  readonly prompt: Int32Array;
  readonly sequence: SequenceState;
}

/** Speculation for a chain that was checked. */
export async function openSpeculator(room: Room, request: Drafted, where: Where): Promise<Speculator> {
  const { native } = room.model;
  const { graph } = where.sequence;
  const given = request.speculate;
  const isEnd = (token: number): boolean => native.isEnd(token);
  const settled = (sequence: SequenceState): SequenceState => mayEnd(sequence, request, isEnd);
  const drafter =
    "ngram" in given ? openLookup(ngramOf(given.ngram)) : await openDraft(room, request, given, where, settled);
  return new Speculator({
    graph,
    drafter,
    vocabSize: native.info.vocabSize,
    most: tokensOf(given),
    isAdaptive: isAdaptive(given),
    isEnd,
    settled,
    evaluate: rowEvaluator(room, graph, where),
  });
}

async function openDraft(
  { scheduler }: Room,
  request: SequenceRequest,
  given: DraftOptions,
  { contextSize, prompt, sequence }: Where,
  settled: (sequence: SequenceState) => SequenceState,
): Promise<Drafter> {
  const model = loadedModel(given.draft, "speculate.draft");
  const open = (sequences: number) => openScheduler(model, sequences, { contextSize });
  const own = scheduler.companion(model.native, open);
  const graph = draftGraph(request, given, sequence.graph);
  const isOwn = graph !== sequence.graph;
  const begin = isOwn ? beginDraft(model, graph, request, sequence) : sequence;
  const columns = columnsOf(graph, begin.features);
  const placed = place(graph, { scheduler: own, model, options: {} }, columns);
  const slot = await own.acquire({ words: placed.words, columns, prompts: [prompt], signal: request.signal });
  const isEnd = (token: number): boolean => translated(() => model.native.isEnd(token));
  const line = isOwn ? new DraftLine(begin, prompt.subarray(0, Math.max(0, prompt.length - sequence.step))) : undefined;
  return new DraftModel({ graph, placed, slot, line, settled, isEnd });
}

/** The sequence of a chain of the draft's own before the prompt: with the values and the open seed of the text. */
function beginDraft(
  { native, binding }: LoadedModel,
  graph: Graph,
  request: SequenceRequest,
  text: SequenceState,
): SequenceState {
  return startSequence(seeded(graph, openSeedOf(text)), native.info.vocabSize, {
    uniforms: shared(valuesOf(text), graph),
    feed: modelFeed(native, binding, graph, request),
  });
}

/** The chain's part of the model's graph on a row of logits: on the same device if it is of this machine, and in WebAssembly in the module for chains. */
function rowEvaluator(
  { model: { native, chosen, isOnDevice }, options }: Room,
  graph: Graph,
  { placed, columns }: Where,
): (logits: Float32Array, row: Row) => ChainResults {
  const { vocabSize } = native.info;
  const isWasm = chosen.backend === "wasm";
  if (isWasm && !isWasmThere()) return (logits, row) => interpreted(graph, logits, row, columns);
  const isHere = isOnDevice && chosen.backend !== "rpc";
  const device = isHere && options.placement !== "host" ? { device: chosen.device } : {};
  let evaluator: NativeEvaluator | undefined;
  const open = (): NativeEvaluator => {
    const { Evaluator, Graph } = isWasm ? loadedWasm() : loadBinding();
    return new Evaluator(new Graph(placed.words, columns), { vocabSize, ...device });
  };
  return (logits, { uniforms, inputs }) =>
    translated(() => (evaluator ??= open()).evaluate({ logits, uniforms, inputs }));
}

function interpreted(graph: Graph, logits: Float32Array, row: Row, columns: readonly Float32Array[]): ChainResults {
  const constant = [...columns];
  const inputs = row.inputs.map((values, i) =>
    isConstantInput(graph.inputs[i + 1]!, graph) ? constant.shift()! : values,
  );
  const { sampled, ...rows } = interpret(graph, [logits, ...inputs], row.uniforms);
  return { ...rows, ...(sampled !== undefined && { sampled: Int32Array.of(sampled) }) };
}
