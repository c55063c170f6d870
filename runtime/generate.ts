/** The generation loop: decode, pick with the chain in the graph, accept. */
import type { Chain } from "./chain.js";
import { MAX_CONTEXT } from "@ggsl/compiler/llama/contexts.js";
import { contextSettings, type ContextSettings } from "./contextOptions.js";
import * as is from "./check.js";
import { InputError, translate, translated } from "./errors.js";
import * as checks from "./optionChecks.js";
import type { ChosenDevice } from "./devices/choose.js";
import type { DeviceBackend } from "./devices/locate.js";
import { placeGraph, wholeGraph, type PlacedGraph, type Split } from "./devices/place.js";
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { likeliest, type Alternative } from "./likeliest.js";
import type { ContextStats, ModelBinding, NativeModel } from "./native/binding.js";
import { columnsOf, varying, type Feed } from "./features/feed.js";
import { modelFeed } from "./features/model.js";
import { checkGuides, guideParts, openGuides, savedGuides, withFed, type Guides, type OpenGuide } from "./guides.js";
import { checkPromptLength, promptTokens } from "./prompt.js";
import { Scheduler, type Slot } from "./scheduler.js";
import { openTail, picksInTail } from "./tail.js";
import {
  acceptPrompt,
  acceptToken,
  featureInputs,
  measuresOf,
  startSequence,
  statesOf,
  uniformsOf,
  withUniforms,
  type UniformValues,
} from "./sequence.js";
import { restoreSequence, savedSequence, saveSequence, type SavedSequence } from "./savedSequence.js";

/** A request to generate one sequence. */
export interface SequenceRequest {
  /** The chain that picks the tokens. */
  readonly chain: Chain;
  readonly uniforms?: UniformValues | undefined;
  readonly feed?: Feed | undefined;
  /**
   * The other sequences whose logits the chain reads, by the names of its `input NAME: logits`; all are required. A generation
   * takes one sequence of its context for itself and one for each guide, and is over when one of them is full.
   */
  readonly guides?: Guides | undefined;
  /** The maximum number of tokens; default: until the model ends the text or the context is full. */
  readonly maxTokens?: number;
  /**
   * How many of the likeliest tokens each piece lists, at most 100; default: none. It adds the chain's remaining rows to the
   * readback of each token.
   */
  readonly alternatives?: number;
  /** Each piece lists the values of the chain's states. It is free: states are read back with each token anyway. */
  readonly states?: boolean;
  readonly signal?: AbortSignal;
  /** A result of `save`; the prompt is then the saved tokens. */
  readonly resume?: SavedSequence;
}

/** Where sequences run. Settings of the context default to those given to `loadModel`. */
export interface RunOptions extends ContextSettings {
  /** `graph`: the chain is part of the model's graph. `host`: it runs on the CPU on logits that are read back. */
  readonly placement?: "graph" | "host";
  /** A chain that the model's device cannot run as a whole is an error; without this, the rest of it runs on the CPU. */
  readonly strict?: boolean;
  /** Check every logit of the model: NaN or +inf is an error. It costs a readback of all logits with each token. */
  readonly checkLogits?: boolean;
}

export interface GenerateOptions extends SequenceRequest, RunOptions {}

/** A generated token and its text. */
export interface Piece {
  readonly token: number;
  /** Whole characters only: the text of a token that ends inside a character comes with a later token. */
  readonly text: string;
  /** The probability that the chain gave it; with `alternatives`. */
  readonly probability?: number;
  /** The likeliest tokens that the chain keeps, likeliest first, which may include the picked one; with `alternatives`. */
  readonly alternatives?: readonly Alternative[];
  /** The values of the states after this token, by name; with `states`. */
  readonly states?: Readonly<Record<string, number>>;
  /** The values of the chain's measures for this token, by name; absent if it has none. They are read back with the token. */
  readonly measures?: Readonly<Record<string, number>>;
}

/** A generation to continue later. */
export interface Saved<Sequence = SavedSequence> {
  /** The text so far, including the prompt. */
  readonly tokens: Int32Array;
  readonly sequence: Sequence;
  /** The same of each guide, by name; absent without guides. */
  readonly guides?: Readonly<Record<string, Int32Array>>;
}

/** Statistics of a generation; those of the context cover all its sequences. */
export interface GenerationStats extends ContextStats {
  readonly promptTokens: number;
  readonly generatedTokens: number;
  /** Tokens per second, without the prompt. */
  readonly tokensPerSecond: number;
  /** Why the chain does not run on the model's device as a whole; absent if it does. */
  readonly split?: Split;
  /** Why the text ended; absent until then. */
  readonly finish?: "end" | "maxTokens" | "context";
}

/**
 * An iterator over pieces of text whose uniforms can change while it runs. It can be iterated once. It starts with the first
 * requested piece, and ends early when the loop is left or the signal is aborted.
 */
export interface Generation extends AsyncIterable<Piece> {
  /** Sets uniforms from the next token on, without a new graph. Throws `InputError`. */
  setUniforms(values: UniformValues): void;
  /**
   * The text so far, including the prompt, and the state of the sequence, to continue later with `resume`; the texts of the guides
   * are the prompts of the guides then.
   */
  save(): Saved;
  /** Statistics so far. Throws `InputError` before the first piece. */
  stats(): GenerationStats;
}

/** A model in the memory of its device. */
export interface LoadedModel {
  readonly native: NativeModel;
  readonly binding: ModelBinding;
  readonly chosen: Pick<ChosenDevice, "device" | "skipped"> & { readonly backend: DeviceBackend | "wasm" };
  /** False if all layers, and therefore the logits, are on the CPU. */
  readonly isOnDevice: boolean;
  /** Default settings of contexts. */
  readonly settings: ContextSettings;
}

/** A generation in a context of its own: a scheduler with one sequence. */
export function startGeneration(model: LoadedModel, prompt: string | Int32Array, options: GenerateOptions): Generation {
  checkSequence(options);
  const scheduler = openScheduler(model, 1 + guidesOf(graphOf(options)).length, options);
  return generateIn({ scheduler, model, options }, prompt, options, () => scheduler.dispose());
}

const RUN: is.Checks<Omit<RunOptions, keyof ContextSettings>> = {
  placement: is.oneOf("graph", "host"),
  strict: is.flag,
  checkLogits: is.flag,
};
const checkRun = is.options(RUN);

const MAX_ALTERNATIVES = 100;

const REQUEST: is.Checks<SequenceRequest> = {
  chain: checks.chain,
  uniforms: checks.uniformValues,
  feed: checks.feed,
  guides: is.someObject,
  maxTokens: is.integer(0),
  alternatives: is.integer(0, MAX_ALTERNATIVES),
  states: is.flag,
  signal: checks.signal,
  resume: savedSequence,
};
const checkRequest = is.options(REQUEST);
function checkSequence(options: SequenceRequest): void {
  checkRequest(options, "options");
  // it has no default
  checks.chain(options.chain, "chain");
}

/** Throws `InputError` for invalid settings. */
export function openScheduler(
  { native, binding, settings }: LoadedModel,
  sequences: number,
  options: RunOptions,
): Scheduler {
  checkRun(options, "options");
  const merged = contextSettings(options, settings);
  const { contextSize = sequences === 1 ? undefined : native.info.trainedContextSize } = merged;
  const total = contextSize === undefined ? {} : { contextSize: contextSize * sequences };
  if (total.contextSize !== undefined && total.contextSize > MAX_CONTEXT)
    throw new InputError(
      `${sequences} sequences of ${contextSize} tokens need a context of ${total.contextSize} tokens, and the maximum is ${MAX_CONTEXT}: set a smaller context size`,
    );
  const { placement, checkLogits } = options;
  return new Scheduler(sequences, binding.Graph, (given) =>
    native.createContext({
      ...given,
      ...merged,
      ...total,
      ...(placement !== undefined && { placement }),
      ...(checkLogits !== undefined && { checkLogits }),
    }),
  );
}

/** The scheduler that gives a generation its slot. */
export interface Room {
  readonly scheduler: Scheduler;
  readonly model: LoadedModel;
  readonly options: RunOptions;
}

/** A generation in a slot of a scheduler. */
export function generateIn(
  room: Room,
  prompt: string | Int32Array,
  options: SequenceRequest,
  atEnd: () => void = () => undefined,
): Generation {
  const { scheduler } = room;
  const model = room.model.native;
  const { vocabSize } = translated(() => model.info);
  checks.prompt(vocabSize)(prompt, "prompt");
  checkSequence(options);
  const { alternatives = 0 } = options;
  const graph = graphOf(options);
  if (graph.outputs.sampled === undefined && !picksInTail(graph)) {
    throw new InputError(
      `the chain \`${graph.name}\` does not pick a token: end it with a stage that does, such as dist() or greedy()`,
    );
  }
  checkGuides(graph, options.guides ?? {}, vocabSize);
  const inputs = guidesOf(graph).map(({ input }) => input);
  checkRoom(graph, 1 + inputs.length, scheduler.sequences);
  const feed = modelFeed(model, room.model.binding, graph, options.feed);
  let sequence = options.resume
    ? restoreSequence(graph, vocabSize, options.resume, feed)
    : startSequence(graph, vocabSize, { uniforms: options.uniforms, feed });
  let latest: GenerationStats | undefined;
  let text: Int32Array = new Int32Array();
  let promptLength = 0;
  let guides: readonly OpenGuide[] = [];

  async function* pieces(): AsyncGenerator<Piece, void, void> {
    const tokens = promptTokens(model, prompt);
    using tail = openTail(graph.tail, sequence.params, room.model);
    const columns = columnsOf(graph, sequence.features);
    using placed = place(graph, room, columns);
    let slot: Slot | undefined;
    try {
      slot = await scheduler.acquire(placed.words, columns, options.signal, inputs);
      const { contextSize, stats } = slot;
      checkPromptLength(tokens.length, contextSize);
      guides = openGuides(graph, options.guides ?? {}, model, contextSize);
      if (!options.resume) sequence = acceptPrompt(sequence, tokens);
      tail?.acceptPrompt(tokens);
      const buffer = new Int32Array(contextSize);
      buffer.set(tokens);
      text = buffer.subarray(0, tokens.length);
      promptLength = tokens.length;
      const longest = Math.max(tokens.length, ...guides.map((guide) => guide.tokens.length));
      const decoder = new TextDecoder();
      const limit = Math.min(options.maxTokens ?? Infinity, contextSize - longest);
      let milliseconds = 0;
      const record = (count: number, finish?: GenerationStats["finish"]): void => {
        const { split } = placed;
        const facts = statsOf(stats(), tokens.length, count, milliseconds);
        latest = { ...facts, ...(split && { split }), ...(finish && { finish }) };
      };
      for (let [count, batch] = [0, tokens]; ; count++, batch = text.subarray(-1)) {
        record(count, count < limit ? undefined : count === options.maxTokens ? "maxTokens" : "context");
        if (count === limit) break;
        options.signal?.throwIfAborted();
        const start = performance.now();
        const fed = { uniforms: uniformsOf(sequence), inputs: varying(graph, featureInputs(sequence)) };
        const position = text.length - batch.length;
        const parts = guideParts(guides, batch, count);
        const given = await slot.decode({ tokens: batch, position, ...fed, guides: parts });
        const output = placed.finish(given, fed.uniforms, fed.inputs);
        const rows = tail ? tail.pick(output) : { tokens: output.candidates, selected: output.sampled![0]!, ...output };
        const token = rows.selected;
        if (count > 0) milliseconds += performance.now() - start;
        const scalars = output.states ?? new Float32Array();
        sequence = acceptToken(sequence, token, scalars);
        tail?.accept(token);
        if (model.isEnd(token)) {
          record(count, "end");
          break;
        }
        record(count + 1);
        buffer[text.length] = token;
        text = buffer.subarray(0, text.length + 1);
        const piece = { token, text: decoder.decode(model.piece(token, false), { stream: true }) };
        yield {
          ...piece,
          ...(alternatives > 0 && likeliest(rows, token, alternatives)),
          ...(options.states && { states: statesOf(sequence) }),
          ...measuresOf(graph, scalars),
        };
      }
    } catch (error) {
      throw translate(error, options.signal);
    } finally {
      slot?.release();
      atEnd();
    }
  }

  const iterator = pieces();
  return {
    [Symbol.asyncIterator]: () => iterator,
    setUniforms(values) {
      checks.uniformValues(values, "values");
      sequence = withUniforms(sequence, values);
    },
    stats() {
      if (!latest) throw new InputError("there are no statistics before the first token");
      return latest;
    },
    save: () => ({
      tokens: text.slice(),
      sequence: saveSequence(sequence),
      ...(guides.length > 0 && { guides: savedGuides(guides, text.subarray(promptLength)) }),
    }),
  };
}

/** The graph that a request needs. */
const graphOf = ({ chain, alternatives = 0, feed = {}, guides = {} }: SequenceRequest): Graph =>
  withFed(alternatives > 0 ? chain.rowsGraph : chain.graph, feed, guides);

function checkRoom({ name }: Graph, needed: number, sequences: number): void {
  if (needed > sequences)
    throw new InputError(
      `the chain \`${name}\` needs ${needed} sequences, one for the text and one for each guide, and there ${sequences === 1 ? "is 1" : `are ${sequences}`}: set \`sequences\` to at least ${needed}`,
    );
}

/** On the host, and on the CPU, every chain runs as a whole. */
function place(
  graph: Graph,
  { model: { native, chosen, isOnDevice }, options }: Room,
  columns: readonly Float32Array[],
): PlacedGraph {
  if (!isOnDevice || options.placement === "host") return wholeGraph(graph);
  const { strict } = options;
  return placeGraph(graph, native.info.vocabSize, { device: chosen.device, columns, inModel: true, strict });
}

function statsOf(
  stats: ContextStats,
  promptTokens: number,
  generatedTokens: number,
  milliseconds: number,
): GenerationStats {
  const tokensPerSecond = milliseconds > 0 ? ((generatedTokens - 1) * 1000) / milliseconds : 0;
  return { ...stats, promptTokens, generatedTokens, tokensPerSecond };
}
