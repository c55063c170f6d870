/** Generations: text after a prompt, a token at a time, with the chain in the model's graph. */
import { effortOf } from "@ggsl/compiler/graph/cost.js";
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import * as is from "../core/check.js";
import { InputError, invalid, translate, translated } from "../core/errors.js";
import { prepareBackend } from "../chain/evaluate.js";
import { columnsOf } from "../sequence/features/feed.js";
import { grammarsReady, releaseGrammars } from "../sequence/features/followed.js";
import { modelFeed } from "../sequence/features/model.js";
import { endValues, withoutEnds } from "./ends.js";
import type { Generation, Piece } from "./pieces.js";
import {
  checkPicks,
  checkRoom,
  checkSequence,
  graphOf,
  REQUEST,
  RUN,
  rowsGraphOf,
  type GenerateOptions,
  type SequenceRequest,
} from "./request.js";
import { healedAgain, healingOf } from "./healing/healing.js";
import { checkGuideLengths, openGuides, withoutLast } from "./openGuides.js";
import { openScheduler, place, type LoadedModel, type Room } from "./room.js";
import { openRows, type RowReader } from "./rows.js";
import { checkSpeculation, openSpeculator } from "./speculation.js";
import { openTailLine } from "../sequence/tailLine.js";
import { PieceStream } from "./stream.js";
import { Writer } from "./writer.js";
import { checkGuides, copiedGuides } from "../sequence/guides.js";
import { ended, oneLoop } from "../core/oneLoop.js";
import { unlessAborted } from "../core/aborts.js";
import * as checks from "../core/sharedOptions.js";
import { checkPromptLength, copied, LatePrompt, promptLater } from "../sequence/prompt.js";
import { restoreSequence, saveSequence } from "../sequence/savedSequence.js";
import type { Slot } from "../decode/scheduler/step.js";
import { acceptPrompt, startSequence, withUniforms, type SequenceState } from "../sequence/sequence.js";
import { tokensOf } from "../decode/speculation/options.js";
import type { Speculator } from "../decode/speculation/speculator.js";
import { remembersRows, restoredStages, valuesOf, type SavedTail } from "../sequence/savedTail.js";
import { settledStages } from "../sequence/tail.js";

export type { Generation, GenerationStats, Logprob, Piece, Saved } from "./pieces.js";
export type { GenerateOptions, RunOptions, SequenceRequest } from "./request.js";
export { openScheduler, type LoadedModel, type Room } from "./room.js";

const GENERATE: is.Checks<GenerateOptions> = { ...REQUEST, ...RUN };

/** A generation in a context of its own: a scheduler with one sequence. */
export function startGeneration(model: LoadedModel, prompt: string | Int32Array, options: GenerateOptions): Generation {
  checkSequence(options, GENERATE);
  const scheduler = openScheduler(model, 1 + guidesOf(graphOf(options)).length, options);
  return generateIn({ scheduler, model, options }, prompt, options, () => scheduler.dispose());
}

const NO_PARAMS: ReadonlyMap<string, number> = new Map();

/** A generation in a slot of a scheduler; the options were checked. */
export function generateIn(
  room: Room,
  prompt: string | Int32Array | LatePrompt,
  options: SequenceRequest,
  atEnd: () => void = () => undefined,
): Generation {
  const { scheduler } = room;
  const model = room.model.native;
  const { vocabSize } = translated(() => model.info);
  if (!(prompt instanceof LatePrompt)) checks.prompt(vocabSize)(prompt, "prompt");
  const graph = graphOf(options);
  checkPicks(graph);
  checkGuides(graph, options.guides ?? {}, vocabSize);
  const inputs = guidesOf(graph).map(({ input }) => input);
  checkRoom(graph, 1 + inputs.length, scheduler, options.place);
  const begun = typeof prompt === "string" || prompt instanceof LatePrompt ? prompt : copied(prompt);
  const guidePrompts = copiedGuides(options.guides);
  const { speculate } = options;
  if (speculate) checkSpeculation({ ...options, speculate }, graph, room.model);
  const feed = modelFeed(model, room.model.binding, graph, options);
  const first = options.resume
    ? restoreSequence(graph, vocabSize, options.resume, feed)
    : startSequence(graph, vocabSize, { uniforms: options.uniforms, feed });
  let before = withUniforms(first, endValues(options));
  // with the seeds of this sequence
  const stages = settledStages((options.resume && restoredStages(graph, options.resume)) ?? graph.tail, NO_PARAMS);
  let writer: Writer | undefined;
  let isOver = false;

  async function* pieces(): AsyncGenerator<Piece, void, void> {
    const given = begun instanceof LatePrompt ? await begun.tokens() : await promptLater(model, begun, options);
    const healing = options.resume
      ? healedAgain(model, given, options.resume)
      : options.heal
        ? healingOf(model, given)
        : undefined;
    const isTaken = healing !== undefined && !options.resume;
    const tokens = isTaken ? given.subarray(0, -1) : given;
    // a place is taken by a text that can begin
    await unlessAborted(grammarsReady(before.features), options.signal);
    using tail = openTailLine(graph, settledStages(stages, before.params), tokens, room.model, options.resume);
    const columns = columnsOf(graph, before.features);
    using placed = place(graph, room, columns);
    let slot: Slot | undefined;
    let speculator: Speculator | undefined;
    try {
      const opened = openGuides(graph, { special: options.special, guides: guidePrompts }, model);
      const guides = isTaken ? withoutLast(opened, given.at(-1)!) : opened;
      const prompts = [tokens, ...guides.map((guide) => guide.tokens)];
      const { signal, lane, place: wanted } = options;
      const count = speculate ? 1 + tokensOf(speculate) : 1;
      const work = options.inEveryDecode ? undefined : (): number => effortOf(graph, vocabSize);
      const asked = { words: placed.words, columns, inputs, prompts, signal, rows: count, place: wanted, work, lane };
      slot = await scheduler.acquire(asked);
      checkPromptLength(tokens.length, slot.contextSize);
      checkGuideLengths(guides, slot.contextSize);
      const sequence = options.resume ? before : acceptPrompt(before, tokens);
      if (speculate) {
        const place = { placed, columns, contextSize: slot.contextSize, prompt: tokens, sequence };
        speculator = await openSpeculator(room, { ...options, speculate }, place);
      }
      using rows = await rowsFor(options, sequence);
      if (options.bannedPhrases?.length || healing) await prepareBackend();
      const checksLogits = room.options.checkLogits === true;
      const held = { slot, placed, tail, rows, guides, speculator, checksLogits, healing };
      writer = new Writer({ model, binding: room.model.binding, graph, options, prompt: tokens, sequence, ...held });
      for (;;) {
        const piece = await writer.next();
        if (!piece) break;
        yield piece;
      }
    } catch (error) {
      throw translate(error, options.signal);
    } finally {
      isOver = true;
      if (writer) writer.close();
      else releaseGrammars(before.features);
      speculator?.dispose();
      slot?.release();
      atEnd();
    }
  }

  // before the first piece
  const unbegun = (): SavedTail | undefined => {
    if (stages.length === 0) return undefined;
    const rows = options.resume?.tail?.rows ?? (remembersRows(stages) ? [] : undefined);
    return { values: valuesOf(graph, settledStages(stages, before.params)), ...(rows && { rows }) };
  };
  const checkRunning = (): void => {
    if (isOver) throw ended();
  };
  return {
    [Symbol.asyncIterator]: oneLoop(new PieceStream(pieces(), () => writer), () => isOver),
    setUniforms(values) {
      checks.uniformValues(values, "values");
      checkRunning();
      if (writer) writer.setUniforms(values);
      else before = withUniforms(before, values);
    },
    rewind(count) {
      is.integer(0)(count, "count");
      if (writer) writer.rewind(count);
      else if (count > 0) throw invalid(`\`count\` must be 0 before the first piece, found ${count}`);
    },
    stats() {
      if (!writer) throw new InputError("there are no statistics before the first token", { code: "NOT_READY" });
      return writer.meter.latest;
    },
    save: () => writer?.save() ?? { tokens: new Int32Array(), sequence: withoutEnds(saveSequence(before, unbegun())) },
  };
}

/** What reads the rows of the alternatives; a host tail has them itself, and so does a graph that gives them. */
async function rowsFor(options: SequenceRequest, sequence: SequenceState): Promise<RowReader | undefined> {
  const { alternatives = 0 } = options;
  const { tail, outputs } = sequence.graph;
  if (alternatives === 0 || tail.length > 0 || outputs.probs !== undefined) return undefined;
  await prepareBackend();
  return openRows(rowsGraphOf(options), sequence);
}
