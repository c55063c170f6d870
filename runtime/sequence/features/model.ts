/** What a model provides for the features of its sequences: its vocabulary, and grammars over it. */
import type { ModelBinding, NativeModel } from "../../backends/native/binding.js";
import type { Pieces } from "../../backends/native/samplerBinding.js";
import { fromBytes, type Vocabulary } from "../../core/vocabulary.js";
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { openGrammar, type GrammarPlace } from "../../grammars/open.js";
import { IN_GRAPH, type Feed, type ModelFeed } from "./feed.js";

/** Adds the model's vocabulary and grammars to the feed of a graph. */
export function modelFeed(
  model: NativeModel,
  binding: ModelBinding,
  graph: Graph,
  { feed = {}, lane }: { readonly feed?: Feed | undefined; readonly lane?: string | undefined } = {},
): ModelFeed {
  return {
    ...feed,
    ...(guidesOf(graph).length > 0 && { [IN_GRAPH]: new Float32Array(model.info.vocabSize) }),
    get vocabulary(): Vocabulary {
      return vocabularyOf(model);
    },
    openGrammar: (source) => openGrammar(source, grammarPlace(model, binding, lane)),
  };
}

/** Where the grammars of a model's texts are opened. */
export const grammarPlace = (model: NativeModel, binding: ModelBinding, lane?: string): GrammarPlace => ({
  vocabulary: vocabularyOf(model),
  binding,
  now: false,
  lane,
});

/** One character per byte, with the byte as its code. `TextDecoder` has no such encoding: its latin1 is windows-1252. */
function textOfBytes(bytes: Uint8Array): string {
  // in pieces, because the number of arguments of a call is limited
  const pieces = Array.from({ length: Math.ceil(bytes.length / 4096) }, (_, i) =>
    // oxlint-disable-next-line ggsl/no-long-spread -- 4096 bytes
    String.fromCharCode(...bytes.subarray(4096 * i, 4096 * (i + 1))),
  );
  return pieces.join("");
}

const vocabularies = new WeakMap<NativeModel, Vocabulary>();

/** The texts of a model's tokens, prepared once. */
export function vocabularyOf(model: NativeModel): Vocabulary {
  const known = vocabularies.get(model);
  if (known) return known;
  let texts: readonly string[] | undefined;
  let classes: Vocabulary["classes"];
  const vocabulary: Vocabulary = {
    pieces: split(model.pieces()),
    // read on first use: only sets of tokens need them
    get texts() {
      return (texts ??= split(model.texts()));
    },
    get classes() {
      return (classes ??= classesOf(model.classes()));
    },
    tokenize: (text) => model.tokenize(fromBytes(text), false, false),
    tokenizeSpecial: (text) => model.tokenize(fromBytes(text), false, true),
  };
  vocabularies.set(model, vocabulary);
  return vocabulary;
}

/** A byte string for each token. */
function split({ bytes, offsets }: Pieces): string[] {
  const text = textOfBytes(bytes);
  return Array.from({ length: offsets.length - 1 }, (_, token) => text.slice(offsets[token], offsets[token + 1]));
}

/** The bits of `NativeModel.classes`. */
function classesOf(bits: Uint8Array): NonNullable<Vocabulary["classes"]> {
  const having = (bit: number): number[] => [...bits.keys()].filter((token) => (bits[token]! & bit) !== 0);
  return { control: having(1), end: having(2) };
}
