/** Generations: text after a prompt, a token at a time, with the chain in the model's graph. */
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import { InputError, translate, translated } from "./errors.js";
import { columnsOf, releaseGrammars } from "./features/feed.js";
import { modelFeed } from "./features/model.js";
import type { Generation, Piece } from "./generation/generation.js";
import {
  checkPicks,
  checkRoom,
  checkSequence,
  graphOf,
  type GenerateOptions,
  type SequenceRequest,
} from "./generation/request.js";
import { openScheduler, place, type LoadedModel, type Room } from "./generation/room.js";
import { checkSpeculation, openSpeculator } from "./generation/speculation.js";
import { Writer } from "./generation/writer.js";
import { checkGuideLengths, checkGuides, openGuides } from "./guides.js";
import * as checks from "./optionChecks.js";
import { checkPromptLength, promptTokens, type LatePrompt } from "./prompt.js";
import { restoreSequence, saveSequence } from "./savedSequence.js";
import type { Slot } from "./scheduler/step.js";
import { acceptPrompt, startSequence, withUniforms } from "./sequence.js";
import { tokensOf } from "./speculation/options.js";
import type { Speculator } from "./speculation/step.js";
import { openTail } from "./tail.js";

export type { Generation, GenerationStats, Piece, Saved } from "./generation/generation.js";
export type { GenerateOptions, RunOptions, SequenceRequest } from "./generation/request.js";
export { openScheduler, type LoadedModel, type Room } from "./generation/room.js";

/** A generation in a context of its own: a scheduler with one sequence. */
export function startGeneration(model: LoadedModel, prompt: string | Int32Array, options: GenerateOptions): Generation {
  checkSequence(options);
  const scheduler = openScheduler(model, 1 + guidesOf(graphOf(options)).length, options);
  return generateIn({ scheduler, model, options }, prompt, options, () => scheduler.dispose());
}

/** A generation in a slot of a scheduler. */
export function generateIn(
  room: Room,
  prompt: string | Int32Array | LatePrompt,
  options: SequenceRequest,
  atEnd: () => void = () => undefined,
): Generation {
  const { scheduler } = room;
  const model = room.model.native;
  const { vocabSize } = translated(() => model.info);
  if (typeof prompt !== "function") checks.prompt(vocabSize)(prompt, "prompt");
  checkSequence(options);
  const graph = graphOf(options);
  checkPicks(graph);
  checkGuides(graph, options.guides ?? {}, vocabSize);
  const inputs = guidesOf(graph).map(({ input }) => input);
  checkRoom(graph, 1 + inputs.length, scheduler.sequences);
  const { speculate } = options;
  if (speculate) checkSpeculation(speculate, graph, room.model);
  const feed = modelFeed(model, room.model.binding, graph, options.feed);
  let before = options.resume
    ? restoreSequence(graph, vocabSize, options.resume, feed)
    : startSequence(graph, vocabSize, { uniforms: options.uniforms, feed });
  let writer: Writer | undefined;

  async function* pieces(): AsyncGenerator<Piece, void, void> {
    const tokens = typeof prompt === "function" ? await prompt() : promptTokens(model, prompt, options);
    using tail = openTail(graph.tail, before.params, room.model);
    const columns = columnsOf(graph, before.features);
    using placed = place(graph, room, columns);
    let slot: Slot | undefined;
    let speculator: Speculator | undefined;
    try {
      const guides = openGuides(graph, options, model);
      const prompts = [tokens, ...guides.map((guide) => guide.tokens)];
      const { signal } = options;
      const rows = speculate ? 1 + tokensOf(speculate) : 1;
      slot = await scheduler.acquire({ words: placed.words, columns, inputs, prompts, signal, rows });
      checkPromptLength(tokens.length, slot.contextSize);
      checkGuideLengths(guides, slot.contextSize);
      tail?.acceptPrompt(tokens);
      const sequence = options.resume ? before : acceptPrompt(before, tokens);
      if (speculate) {
        const place = { placed, columns, contextSize: slot.contextSize, prompt: tokens, signal };
        speculator = await openSpeculator(room, speculate, graph, place);
      }
      writer = new Writer({ model, graph, options, prompt: tokens, slot, placed, tail, guides, speculator, sequence });
      for (;;) {
        const piece = await writer.step();
        if (!piece) break;
        yield piece;
      }
    } catch (error) {
      throw translate(error, options.signal);
    } finally {
      speculator?.dispose();
      slot?.release();
      releaseGrammars((writer?.sequence ?? before).features);
      atEnd();
    }
  }

  const iterator = pieces();
  return {
    [Symbol.asyncIterator]: () => iterator,
    setUniforms(values) {
      checks.uniformValues(values, "values");
      if (writer) writer.sequence = withUniforms(writer.sequence, values);
      else before = withUniforms(before, values);
    },
    stats() {
      if (!writer) throw new InputError("there are no statistics before the first token");
      return writer.meter.latest;
    },
    save: () => writer?.save() ?? { tokens: new Int32Array(), sequence: saveSequence(before) },
  };
}
