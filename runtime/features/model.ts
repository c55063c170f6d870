/** What a model provides for the features of its sequences: its vocabulary, and grammars over it. */
import type { ModelBinding, NativeModel } from "../native/binding.js";
import { translated } from "../errors.js";
import type { NativeGrammar } from "../native/samplerBinding.js";
import type { Vocabulary } from "./breakers.js";
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { IN_GRAPH, type Feed, type GrammarState, type ModelFeed } from "./feed.js";

/** Adds the model's vocabulary and grammars to the feed of a graph. */
export function modelFeed(model: NativeModel, { Grammar }: ModelBinding, graph: Graph, given: Feed = {}): ModelFeed {
  return {
    ...given,
    ...(guidesOf(graph).length > 0 && { [IN_GRAPH]: new Float32Array(model.info.vocabSize) }),
    get vocabulary(): Vocabulary {
      return vocabularyOf(model);
    },
    openGrammar: (text) => grammarState(translated(() => new Grammar(model, text, "root"))),
  };
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** One character per byte, with the byte as its code. `TextDecoder` has no such encoding: its latin1 is windows-1252. */
function textOfBytes(bytes: Uint8Array): string {
  // in pieces, because the number of arguments of a call is limited
  const pieces = Array.from({ length: Math.ceil(bytes.length / 4096) }, (_, i) =>
    String.fromCharCode(...bytes.subarray(4096 * i, 4096 * (i + 1))),
  );
  return pieces.join("");
}

const vocabularies = new WeakMap<NativeModel, Vocabulary>();

/** The texts of a model's tokens, prepared once. */
export function vocabularyOf(model: NativeModel): Vocabulary {
  const known = vocabularies.get(model);
  if (known) return known;
  const { bytes, offsets } = model.pieces();
  const text = textOfBytes(bytes);
  const pieces = Array.from({ length: model.info.vocabSize }, (_, token) =>
    text.slice(offsets[token], offsets[token + 1]),
  );
  const tokenize = (text: string): Int32Array =>
    model.tokenize(utf8.decode(Uint8Array.from(text, (byte) => byte.charCodeAt(0))), false, false);
  const vocabulary = { pieces, tokenize };
  vocabularies.set(model, vocabulary);
  return vocabulary;
}

/** Accepting works on a copy, so that the earlier state stays valid. */
function grammarState(grammar: NativeGrammar): GrammarState {
  return {
    allowed: () => translated(() => grammar.allowed()),
    accept: (token) =>
      translated(() => {
        const next = grammar.clone();
        next.accept(token);
        return grammarState(next);
      }),
  };
}
