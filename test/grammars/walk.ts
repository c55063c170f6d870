/** The beginnings of grammars, and texts that they accept: random walks over their masks. */
import { loadBinding } from "../../runtime/backends/native/loader.js";
import type { AutomatonBinding } from "../../runtime/backends/native/automatonBinding.js";
import type { NativeModel } from "../../runtime/backends/native/binding.js";
import { vocabularyOf } from "../../runtime/sequence/features/model.js";
import type { Vocabulary } from "../../runtime/core/vocabulary.js";
import { openVocabulary } from "../../runtime/grammars/automata.js";
import { beginAutomaton } from "../../runtime/grammars/automaton.js";
import { hasBit } from "../../runtime/grammars/bits.js";
import type { Rules } from "../../runtime/grammars/text/rules.js";
import type { GrammarState } from "../../runtime/grammars/types.js";
import { tableOf } from "../../runtime/grammars/words.js";

export interface Words {
  /** Of the model file. */
  readonly path: string;
  readonly model: NativeModel;
  readonly vocabulary: Vocabulary;
  /** Byte strings. */
  readonly texts: readonly string[];
}

/** The vocabulary of a model file. */
export async function wordsOf(path: string): Promise<Words> {
  const model = await loadBinding().loadModel(path, { gpuLayers: 0, vocabOnly: true });
  const vocabulary = vocabularyOf(model);
  return { path, model, vocabulary, texts: vocabulary.texts! };
}

/** The beginning of a text of rules, in this thread. */
export const beginRules = (
  rules: Rules,
  { vocabulary }: Words,
  binding: AutomatonBinding = loadBinding(),
): GrammarState =>
  beginAutomaton(openVocabulary(binding, vocabulary).open("", tableOf(rules)), { now: true, lane: "" });

/** Random integers below n, the same for the same seed. */
export function randomIntegers(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** The tokens whose bits are set. */
export function tokensOf(bits: Uint32Array): number[] {
  const tokens: number[] = [];
  for (let token = 0; token < 32 * bits.length; token++) if (hasBit(bits, token)) tokens.push(token);
  return tokens;
}

export const endsOf = ({ classes }: Vocabulary): ReadonlySet<number> => new Set(classes!.end);

interface Walk {
  readonly text: string;
  readonly tokens: readonly number[];
  /** Whether the grammar may end there. */
  readonly isWhole: boolean;
}

/** Ends where it can after `most` characters, and tries to get there with marks that close something. */
export function walk(
  start: GrammarState,
  { model, vocabulary, texts }: Words,
  random: (n: number) => number,
  most: number,
): Walk {
  const tokens: number[] = [];
  let bytes = "";
  let state = start;
  const ends = endsOf(vocabulary);
  const isWhole = (bits: Uint32Array): boolean => hasBit(bits, model.info.eos);
  for (let steps = 0; steps < most + 200; steps++) {
    const bits = state.bits();
    const allowed = tokensOf(bits).filter((token) => !ends.has(token));
    if (isWhole(bits) && (allowed.length === 0 || bytes.length > most || random(4) === 0))
      return { text: asText(bytes), tokens, isWhole: true };
    if (allowed.length === 0) break;
    const closing = allowed.filter((token) => /^[\]}"]+$/.test(texts[token]!));
    const from = bytes.length > most && closing.length > 0 && random(5) > 0 ? closing : allowed;
    const token = from[random(from.length)]!;
    tokens.push(token);
    bytes += texts[token]!;
    state = state.accept(token);
  }
  return { text: asText(bytes), tokens, isWhole: false };
}

const asText = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8");
