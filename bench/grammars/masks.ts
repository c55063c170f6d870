/** Times of masks, over texts that the engine and XGrammar allow. */
import { join } from "node:path";
import { loadBinding } from "ggsl/backends/native/loader.js";
import type { NativeModel } from "ggsl/backends/native/binding.js";
import { openAutomaton } from "ggsl/grammars/automaton.js";
import { hasBit } from "ggsl/grammars/bits.js";
import { budgeted } from "ggsl/grammars/budget.js";
import { llamaState } from "ggsl/grammars/llama.js";
import { openGrammar } from "ggsl/grammars/open.js";
import { readSchema } from "ggsl/grammars/schema/schema.js";
import { readGbnf } from "ggsl/grammars/text/gbnf.js";
import type { Rules } from "ggsl/grammars/text/rules.js";
import type { GrammarState } from "ggsl/grammars/types.js";
import { vocabularyOf } from "ggsl/sequence/features/model.js";
import type { Vocabulary } from "ggsl/core/vocabulary.js";
import { ROOT } from "../tool.js";
import type { Case } from "./cases.js";

export interface OpenVocabulary {
  readonly model: NativeModel;
  readonly vocabulary: Vocabulary;
  /** Tokens that the engines judge otherwise: control tokens, and texts that are no whole characters. */
  readonly others: ReadonlySet<number>;
}

/** One of llama.cpp's. */
export async function openVocabulary(name: string): Promise<OpenVocabulary> {
  const path = join(ROOT, "build", "llama.cpp", "models", `ggml-vocab-${name}.gguf`);
  const model = await loadBinding().loadModel(path, { gpuLayers: 0, vocabOnly: true });
  const vocabulary = vocabularyOf(model);
  const decoder = new TextDecoder();
  const partial = vocabulary.texts!.flatMap((text, token) =>
    text.startsWith("\0") || decoder.decode(Buffer.from(text, "latin1")).includes("\ufffd") ? [token] : [],
  );
  return { model, vocabulary, others: new Set([...vocabulary.classes!.control, ...partial]) };
}

export interface Measured {
  /** Tokens that one of both allows. */
  readonly differences: number;
  /** Milliseconds; the first of a text includes it. Absent where XGrammar refuses. */
  readonly prepared: { readonly ours: number; readonly theirs: number | undefined };
  /** Milliseconds of each mask. */
  readonly masks: { readonly ours: number[]; readonly theirs: number[] };
}

/** The same languages for both: XGrammar's schemas are a part of what the other path writes. */
const rulesOf = (source: Case["source"]): Rules =>
  budgeted("the grammar", () => ("gbnf" in source ? readGbnf(source.gbnf) : readSchema(source.jsonSchema, [])));

function timed<T>(into: number[], work: () => T): T {
  const start = performance.now();
  const result = work();
  into.push(performance.now() - start);
  return result;
}

/** With its first mask; undefined for what exceeds XGrammar's time. */
function opened(open: () => GrammarState): GrammarState | undefined {
  try {
    const state = open();
    state.bits();
    return state;
  } catch (error) {
    if ((error as { readonly code?: string }).code === "LIMIT_EXCEEDED") return undefined;
    throw error;
  }
}

export function measured(
  { model, vocabulary, others }: OpenVocabulary,
  source: Case["source"],
  { texts, tokens }: { readonly texts: number; readonly tokens: number },
): Measured {
  const binding = loadBinding();
  const random = randomIntegers(7);
  const masks = { ours: [] as number[], theirs: [] as number[] };
  const first = { ours: [] as number[], theirs: [] as number[] };
  let differences = 0;
  // one grammar for all texts, as in a server
  const start = timed(first.ours, () => openAutomaton(binding, rulesOf(source), vocabulary));
  const openLlama = (gbnf: string): GrammarState => llamaState(new binding.Grammar(model, gbnf));
  for (let i = 0; i < texts; i++) {
    let ours = start;
    let theirs = timed(i === 0 ? first.theirs : [], () =>
      opened(() => openGrammar(source, { vocabulary, openLlama, now: true })),
    );
    if (!theirs) first.theirs = [];
    const begin = theirs;
    for (let n = 0; n < tokens; n++) {
      const a = timed(masks.ours, () => ours.bits());
      const b = theirs ? timed(n === 0 ? [] : masks.theirs, () => theirs!.bits()) : a;
      const both: number[] = [];
      for (let token = 0; token < 32 * a.length; token++) {
        if (hasBit(a, token) !== hasBit(b, token) && !others.has(token)) differences++;
        if (hasBit(a, token) && hasBit(b, token) && !vocabulary.classes!.end.includes(token)) both.push(token);
      }
      if (both.length === 0) break;
      const token = both[random(both.length)]!;
      [ours, theirs] = [ours.accept(token), theirs?.accept(token)];
    }
    begin?.release();
  }
  return { differences, prepared: { ours: first.ours[0]!, theirs: first.theirs[0] }, masks };
}

/** Random integers below n, the same for the same seed. */
function randomIntegers(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}
