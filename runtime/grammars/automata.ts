/** The automata of a binding: one for a grammar and a vocabulary, so that what is worked out for one text is there for the next. */
import { translate, translated } from "../core/errors.js";
import { textsOf, toBytes, type Vocabulary } from "../core/vocabulary.js";
import {
  hasThreads,
  type Automaton,
  type AnyAutomatonBinding,
  type AutomatonPosition,
  type TokenTrie,
} from "../backends/native/automatonBinding.js";
import { GRAMMAR_LIMITS } from "./limits.js";
import { tokenBytes } from "./tokenBytes.js";
import { wordsFor, type Table, type Tokens } from "./words.js";

/** A grammar over a vocabulary. */
export interface OpenAutomaton {
  readonly automaton: Automaton;
  readonly start: AutomatonPosition;
  readonly vocabulary: OpenVocabulary;
}

/** What automata need of a vocabulary. */
class OpenVocabulary implements Tokens {
  readonly #trie: TokenTrie;
  /** Those that were used last, the oldest first, by what they are made of. */
  readonly #kept = new Map<string, OpenAutomaton>();
  readonly ends: ReadonlySet<number>;
  /** Tokens. */
  readonly size: number;
  /** Words of a mask. */
  readonly words: number;

  constructor(
    readonly binding: AnyAutomatonBinding,
    private readonly given: Vocabulary,
  ) {
    const { bytes, offsets } = tokenBytes(given);
    const ends = given.classes?.end ?? [];
    this.#trie = new binding.TokenTrie(bytes, new Uint32Array(offsets), Uint32Array.from(ends));
    this.ends = new Set(ends);
    this.size = textsOf(given).length;
    this.words = Math.ceil(this.size / 32);
  }

  /** One that is still there: not of a WebAssembly module that has failed meanwhile. */
  kept(key: string): OpenAutomaton | undefined {
    const known = this.#kept.get(key);
    if (!known) return undefined;
    try {
      this.#keep(key, known);
      return known;
    } catch {
      this.#kept.delete(key);
      return undefined;
    }
  }

  /** Throws `InputError` for a grammar with a token that the vocabulary has not, or that nothing matches. */
  open(key: string, table: Table): OpenAutomaton {
    const automaton = translated(() => new this.binding.Automaton(this.#trie, wordsFor(table, this)));
    return this.#opened(key, automaton);
  }

  /** The same without holding this thread, where there are others. */
  async openLater(key: string, table: Table): Promise<OpenAutomaton> {
    const { binding } = this;
    if (!hasThreads(binding)) return this.open(key, table);
    try {
      const automaton = await binding.openAutomaton(this.#trie, wordsFor(table, this));
      // another text may have opened it meanwhile
      return this.kept(key) ?? this.#opened(key, automaton);
    } catch (error) {
      throw translate(error);
    }
  }

  #opened(key: string, automaton: Automaton): OpenAutomaton {
    const start = translated(() => automaton.begin());
    const opened = { automaton, start, vocabulary: this };
    this.#keep(key, opened);
    return opened;
  }

  /** A control token before another one with that text. */
  tokenNamed(name: string): number | undefined {
    const texts = textsOf(this.given);
    const text = toBytes(name);
    const control = this.given.classes?.control.find((token) => texts[token] === text);
    const token = control ?? texts.indexOf(text);
    return token < 0 ? undefined : token;
  }

  /** As the one that was used last. The oldest are dropped while all together are too large; their texts go on. */
  #keep(key: string, opened: OpenAutomaton): void {
    this.#kept.delete(key);
    this.#kept.set(key, opened);
    let bytes = 0;
    for (const { automaton } of this.#kept.values()) bytes += automaton.bytes;
    for (const [oldest, { automaton }] of this.#kept) {
      if (oldest === key || (this.#kept.size <= GRAMMAR_LIMITS.kept && bytes <= GRAMMAR_LIMITS.keptBytes)) return;
      bytes -= automaton.bytes;
      this.#kept.delete(oldest);
    }
  }
}

const known = new WeakMap<AnyAutomatonBinding, WeakMap<Vocabulary, OpenVocabulary>>();

/** Made once for a binding and a vocabulary. */
export function openVocabulary(binding: AnyAutomatonBinding, vocabulary: Vocabulary): OpenVocabulary {
  const ofBinding = known.get(binding) ?? new WeakMap<Vocabulary, OpenVocabulary>();
  known.set(binding, ofBinding);
  const opened = ofBinding.get(vocabulary) ?? new OpenVocabulary(binding, vocabulary);
  ofBinding.set(vocabulary, opened);
  return opened;
}
