/** What a model gives to the features of its sequences: its vocabulary, and grammars over it. */
import type { NativeModel } from "../native/binding.js";
import type { NativeGrammar } from "../native/hostBinding.js";
import { loadBinding } from "../native/loader.js";
import type { Vocabulary } from "./breakers.js";
import type { Feed, GrammarState } from "./feed.js";

/** A feed completed by what the model knows. */
export function modelFeed(model: NativeModel, given: Feed = {}): Feed {
  return {
    ...given,
    get vocabulary(): Vocabulary {
      return vocabularyOf(model);
    },
    openGrammar: (text) => grammarState(new (loadBinding().Grammar)(model, text, "root")),
  };
}

const vocabularies = new WeakMap<NativeModel, Vocabulary>();

function vocabularyOf(model: NativeModel): Vocabulary {
  const known = vocabularies.get(model);
  if (known) return known;
  const { bytes, offsets } = model.pieces();
  const text = Buffer.from(bytes).toString("latin1");
  const pieces = Array.from({ length: model.info.vocabSize }, (_, token) =>
    text.slice(offsets[token], offsets[token + 1]),
  );
  const tokenize = (text: string): Int32Array =>
    model.tokenize(Buffer.from(text, "latin1").toString("utf8"), false, false);
  const vocabulary = { pieces, tokenize };
  vocabularies.set(model, vocabulary);
  return vocabulary;
}

/** Accepting goes on with a copy, so that the grammar as it was can still be gone back to. */
function grammarState(grammar: NativeGrammar): GrammarState {
  return {
    allowed: () => grammar.allowed(),
    accept(token) {
      const next = grammar.clone();
      next.accept(token);
      return grammarState(next);
    },
  };
}
