/** Opens the speculation of a generation. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import { isConstantInput } from "@ggsl/compiler/graph/sets.js";
import { compilePipeline } from "../chain.js";
import type { PlacedGraph } from "../devices/place.js";
import { InputError, translated } from "../errors.js";
import { columnsOf } from "../features/feed.js";
import { modelFeed } from "../features/model.js";
import type { ChainResults, NativeEvaluator } from "../native/binding.js";
import { loadBinding } from "../native/loader.js";
import { interpret } from "../reference/interpret.js";
import type { Row } from "../scheduler/step.js";
import { startSequence } from "../sequence.js";
import { DraftModel } from "../speculation/draftModel.js";
import type { Drafter } from "../speculation/drafter.js";
import { knownStates } from "../speculation/known.js";
import { openLookup } from "../speculation/lookup.js";
import { isAdaptive, ngramOf, tokensOf, type DraftOptions, type Speculate } from "../speculation/options.js";
import { Speculator } from "../speculation/step.js";
import { isWasmThere, loadedWasm } from "../wasm/loader.js";
import { checkSameVocabulary } from "../speculation/vocabularies.js";
import { loadedModel } from "./loaded.js";
import { graphOf } from "./request.js";
import { openScheduler, place, type LoadedModel, type Room } from "./room.js";

const unsupported = (message: string): InputError => new InputError(message, { code: "SPECULATION_UNSUPPORTED" });

/** Throws `InputError` for a chain or a model that cannot speculate, and for a draft model that does not fit. */
export function checkSpeculation(given: Speculate, graph: Graph, { native }: LoadedModel): void {
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
  const chain = draftGraph(given);
  if (chain.outputs.sampled === undefined || guidesOf(chain).length > 0)
    throw unsupported(
      `the chain \`${chain.name}\` cannot write drafts: it must pick a token without a host tail, and read no other sequence`,
    );
}

const draftGraph = ({ chain = compilePipeline("greedy()") }: DraftOptions): Graph => graphOf({ chain });

/** Where the generation runs that speculates. */
interface Where {
  readonly placed: PlacedGraph;
  readonly columns: readonly Float32Array[];
  readonly contextSize: number;
  readonly prompt: Int32Array;
  readonly signal: AbortSignal | undefined;
}

/** Speculation for a chain that was checked. */
export async function openSpeculator(room: Room, given: Speculate, graph: Graph, where: Where): Promise<Speculator> {
  const { native } = room.model;
  const drafter = "ngram" in given ? openLookup(ngramOf(given.ngram)) : await openDraft(room, given, where);
  return new Speculator({
    ...{ graph, drafter, vocabSize: native.info.vocabSize, most: tokensOf(given), isAdaptive: isAdaptive(given) },
    isEnd: (token) => native.isEnd(token),
    evaluate: rowEvaluator(room, graph, where),
  });
}

async function openDraft(
  { scheduler }: Room,
  given: DraftOptions,
  { contextSize, prompt, signal }: Where,
): Promise<Drafter> {
  const model = loadedModel(given.draft, "speculate.draft");
  const open = (sequences: number) => openScheduler(model, sequences, { contextSize });
  const own = scheduler.companion(model.native, open);
  const graph = draftGraph(given);
  const { vocabSize } = model.native.info;
  const sequence = startSequence(graph, vocabSize, { feed: modelFeed(model.native, model.binding, graph) });
  const columns = columnsOf(graph, sequence.features);
  const placed = place(graph, { scheduler: own, model, options: {} }, columns);
  const slot = await own.acquire({ words: placed.words, columns, prompts: [prompt], signal });
  const isEnd = (token: number): boolean => translated(() => model.native.isEnd(token));
  return new DraftModel({ graph, placed, slot, sequence, isEnd, dispose: () => undefined });
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
