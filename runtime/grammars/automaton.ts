/** Positions of the engine of grammars in the addon or in WebAssembly: bounded by steps, in this thread. */
import { invalid, translated } from "../core/errors.js";
import { textsOf, type Vocabulary } from "../core/vocabulary.js";
import type { AutomatonBinding, AutomatonPosition, TokenTrie } from "../backends/native/automatonBinding.js";
import { followed } from "./followed.js";
import type { Rules } from "./text/rules.js";
import type { GrammarState } from "./types.js";
import { tokenBytes } from "./tokenBytes.js";
import { wordsOfRules } from "./words.js";

const tries = new WeakMap<AutomatonBinding, WeakMap<Vocabulary, TokenTrie>>();

/** Made once for a vocabulary. */
function trieOf(binding: AutomatonBinding, vocabulary: Vocabulary): TokenTrie {
  const known = tries.get(binding) ?? new WeakMap<Vocabulary, TokenTrie>();
  tries.set(binding, known);
  const before = known.get(vocabulary);
  if (before) return before;
  const { bytes, offsets } = tokenBytes(vocabulary);
  const ends = Uint32Array.from(vocabulary.classes?.end ?? []);
  const trie = new binding.TokenTrie(bytes, new Uint32Array(offsets), ends);
  known.set(vocabulary, trie);
  return trie;
}

/** The tokens of a text up to a position. */
interface Tokens {
  readonly before: Tokens | undefined;
  readonly token: number;
}

function listed(last: Tokens | undefined): number[] {
  const tokens: number[] = [];
  for (let at = last; at; at = at.before) tokens.push(at.token);
  return tokens.toReversed();
}

/** The beginning of a text that the rules constrain. Throws `InputError`. */
export function openAutomaton(binding: AutomatonBinding, rules: Rules, vocabulary: Vocabulary): GrammarState {
  const ends = new Set(vocabulary.classes?.end ?? []);
  const count = Math.ceil(textsOf(vocabulary).length / 32);
  const automaton = translated(() => new binding.Automaton(trieOf(binding, vocabulary), wordsOfRules(rules)));
  const state = (opened: AutomatonPosition, tokens: Tokens | undefined): GrammarState => {
    const { mayEnd } = opened;
    let kept: AutomatonPosition | undefined = opened;
    // one that was released is read again
    const position = (): AutomatonPosition =>
      (kept ??= listed(tokens).reduce((at, token) => at.after(token)!, automaton.begin()));
    let known: Uint32Array | undefined;
    const bits = (): Uint32Array => {
      if (known) return known;
      const words = new Uint32Array(count);
      translated(() => position().allowed(words));
      return (known = words);
    };
    const accept = (token: number): GrammarState => {
      const isEnd = ends.has(token);
      if (isEnd && mayEnd) return self;
      const next = isEnd ? undefined : translated(() => position().after(token));
      if (!next) throw invalid(`the grammar does not accept token ${token} here`);
      return state(next, { before: tokens, token });
    };
    const self: GrammarState = {
      ready: () => undefined,
      bits,
      accept,
      follow: (tokens) => Promise.resolve(followed(self, tokens, (token) => ends.has(token))),
      // the others are freed with their objects
      release() {
        kept?.dispose?.();
        if (kept?.dispose) kept = undefined;
      },
    };
    return self;
  };
  return state(
    translated(() => automaton.begin()),
    undefined,
  );
}
