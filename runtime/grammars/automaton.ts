/** Positions of the engine of grammars in the addon: bounded by steps, in this thread. */
import { invalid, translated } from "../core/errors.js";
import { textsOf, type Vocabulary } from "../core/vocabulary.js";
import type { AutomatonBinding, AutomatonPosition, TokenTrie } from "../backends/native/automatonBinding.js";
import { hasBit } from "./bits.js";
import type { Rules } from "./text/rules.js";
import type { GrammarState } from "./types.js";
import { tokenBytes } from "./tokenBytes.js";
import { wordsOfRules } from "./words.js";

const tries = new WeakMap<Vocabulary, TokenTrie>();

/** Made once for a vocabulary. */
function trieOf({ TokenTrie }: AutomatonBinding, vocabulary: Vocabulary): TokenTrie {
  const before = tries.get(vocabulary);
  if (before) return before;
  const { bytes, offsets } = tokenBytes(vocabulary);
  const trie = new TokenTrie(bytes, new Uint32Array(offsets), Uint32Array.from(vocabulary.classes?.end ?? []));
  tries.set(vocabulary, trie);
  return trie;
}

/** The beginning of a text that the rules constrain. Throws `InputError`. */
export function openAutomaton(binding: AutomatonBinding, rules: Rules, vocabulary: Vocabulary): GrammarState {
  const ends = new Set(vocabulary.classes?.end ?? []);
  const count = Math.ceil(textsOf(vocabulary).length / 32);
  const state = (position: AutomatonPosition): GrammarState => {
    let known: Uint32Array | undefined;
    const bits = (): Uint32Array => {
      if (known) return known;
      const words = new Uint32Array(count);
      translated(() => position.allowed(words));
      return (known = words);
    };
    const accept = (token: number): GrammarState => {
      const isEnd = ends.has(token);
      if (isEnd && position.mayEnd) return self;
      const next = isEnd ? undefined : translated(() => position.after(token));
      if (!next) throw invalid(`the grammar does not accept token ${token} here`);
      return state(next);
    };
    const self: GrammarState = {
      ready: () => undefined,
      bits,
      accept,
      follow(tokens) {
        const states: GrammarState[] = [];
        for (const token of Array.from(tokens)) {
          const at = states.at(-1) ?? self;
          if (ends.has(token) || !hasBit(at.bits(), token)) break;
          states.push(at.accept(token));
        }
        return Promise.resolve(states);
      },
      // positions are freed with their objects
      release: () => undefined,
    };
    return self;
  };
  return state(translated(() => new binding.Automaton(trieOf(binding, vocabulary), wordsOfRules(rules)).begin()));
}
