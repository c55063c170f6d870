/** A text that goes on by itself: it is asked for tokens as soon as a draft may pay, and not before. */
import { describe, expect, test } from "@jest/globals";
import { compilePipeline } from "../../runtime/index.js";
import { acceptPrompt, startSequence } from "../../runtime/sequence/sequence.js";
import { Costs } from "../../runtime/decode/scheduler/costs.js";
import type { Slot } from "../../runtime/decode/scheduler/step.js";
import type { Drafter } from "../../runtime/decode/speculation/drafter.js";
import { openLookup } from "../../runtime/decode/speculation/lookup.js";
import { Speculator } from "../../runtime/decode/speculation/speculator.js";

const VOCABULARY = 16;
const ROOM = 100;
const { graph } = compilePipeline("greedy()");

/** Decodes without drafts have taken 10 ms. */
function measured(): Costs {
  const costs = new Costs();
  for (let i = 0; i < 3; i++) costs.add({ sequences: 1, extra: 0, milliseconds: 10 }, false);
  return costs;
}

/** For each token after the first `count`, whether the text is better asked for the next one. */
function askedAfter(text: readonly number[], count: number, drafter: Drafter, costs = measured()): boolean[] {
  const refused = (): never => {
    throw new Error("no decode is asked for");
  };
  const speculator = new Speculator({
    ...{ graph, vocabSize: VOCABULARY, drafter, most: 15, isAdaptive: true },
    isEnd: () => false,
    settled: (sequence) => sequence,
    evaluate: refused,
  });
  // the only part of a slot that is read
  const slot = { costs } as unknown as Slot;
  const soFar = (length: number) => {
    const tokens = Int32Array.from(text.slice(0, length));
    return { tokens, sequence: acceptPrompt(startSequence(graph, VOCABULARY), tokens) };
  };
  // the prompt is read first
  expect(speculator.rests({ slot, ...soFar(count), room: ROOM, isBehind: true })).toBe(true);
  const asked = text.slice(count).map((_, i) => speculator.pass(soFar(count + 1 + i), ROOM, true));
  speculator.dispose();
  return asked;
}

const lookup = (): Drafter => openLookup({ min: 2, max: 8, tokens: 15, adapt: true });

describe("prompt lookup", () => {
  test("asks once a guess was right", () => {
    const repeating = Array.from({ length: 20 }, (_, i) => 3 + (i % 4));
    // the first token has no guess before it; the second one is as guessed
    expect(askedAfter(repeating, 8, lookup()).slice(0, 4)).toEqual([false, true, true, true]);
  });

  test("leaves a text alone until it is known what its decodes take", () => {
    const repeating = Array.from({ length: 20 }, (_, i) => 3 + (i % 4));
    expect(askedAfter(repeating, 8, lookup(), new Costs())).toEqual(repeating.slice(8).map(() => false));
  });

  test("leaves a text alone whose guesses are wrong", () => {
    const other = [1, 2, 3, 1, 2, 4, 1, 2, 5, 1, 2, 6, 1, 2, 7, 1, 2, 8];
    expect(askedAfter(other, 6, lookup())).toEqual(other.slice(6).map(() => false));
  });

  test("leaves a text alone where decodes are known to cost too much", () => {
    const costs = new Costs();
    for (let i = 0; i < 8; i++) {
      costs.add({ sequences: 1, extra: 0, milliseconds: 10 }, false);
      for (const extra of [1, 3, 7, 15]) costs.add({ sequences: 1, extra, milliseconds: 20 * (1 + extra) }, false);
    }
    const repeating = Array.from({ length: 20 }, (_, i) => 3 + (i % 4));
    expect(askedAfter(repeating, 8, lookup(), costs)).toEqual(repeating.slice(8).map(() => false));
  });
});

test("a model that drafts asks at once", () => {
  const drafter: Drafter = {
    isFree: false,
    draft: () => undefined,
    rewind: () => undefined,
    dispose: () => undefined,
  };
  expect(askedAfter([1, 2, 3, 4], 2, drafter)).toEqual([true, true]);
});
