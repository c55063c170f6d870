/** The engine of grammars (native/wasm/automaton.cc) in a module's memory. */
import type { Automaton, AutomatonBinding, AutomatonPosition, TokenTrie } from "../native/automatonBinding.js";
import type { AutomatonExports } from "./exports.js";
import { nativeError, type Instance, type Pointer } from "./instance.js";
import { Owned } from "./owned.js";

// beside the classes: what frees an object must not hold its wrapper
const closeTrie = (e: AutomatonExports, at: Pointer): void => e.ggsl_trie_close(at);
const closeAutomaton = (e: AutomatonExports, at: Pointer): void => e.ggsl_automaton_close(at);
const closePosition = (e: AutomatonExports, at: Pointer): void => e.ggsl_position_close(at);

/** Whose instances the objects are in. */
interface AutomatonHost<E extends AutomatonExports> {
  /** The instance for new objects. */
  current(): Instance<E>;
  /** An instance with objects is not discarded. A trie does not count: it is made anew in another one. */
  entered(instance: Instance<E>): void;
  left(instance: Instance<E>): void;
}

export function automatonBinding<E extends AutomatonExports>(host: AutomatonHost<E>): AutomatonBinding {
  const counted = (
    owner: object,
    what: string,
    instance: Instance<E>,
    at: Pointer,
    close: (exports: E, at: Pointer) => void,
  ): Owned<E> => {
    host.entered(instance);
    return new Owned<E>(owner, what, instance, at, (exports, pointer) => {
      close(exports, pointer);
      host.left(instance);
    });
  };

  const tries = new WeakMap<TokenTrie, Trie>();
  class Trie {
    private readonly parts: TrieParts;
    private opened: Owned<E> | undefined;

    constructor(bytes: Uint8Array, offsets: Uint32Array, ends: Uint32Array) {
      if (!(bytes instanceof Uint8Array)) throw nativeError("INVALID_ARGUMENT", "bytes: expected a Uint8Array");
      checkWords(offsets, "offsets");
      checkWords(ends, "ends");
      this.parts = { bytes: bytes.slice(), offsets: offsets.slice(), ends: ends.slice() };
      this.in(host.current());
      tries.set(this, this);
    }
    in(instance: Instance<E>): Owned<E> {
      if (this.opened?.instance === instance) return this.opened;
      this.opened?.dispose();
      return (this.opened = new Owned<E>(this, "trie", instance, openTrie(instance, this.parts), closeTrie));
    }
  }

  class Position implements AutomatonPosition {
    readonly mayEnd: boolean;
    private readonly owned: Owned<E>;

    constructor(
      instance: Instance<E>,
      at: Pointer,
      private readonly words: number,
    ) {
      this.owned = counted(this, "position", instance, at, closePosition);
      this.mayEnd = this.owned.call((e, position) => e.ggsl_position_may_end(position)) !== 0;
    }
    get marks(): number {
      return this.owned.call((e, position) => e.ggsl_position_marks(position)) >>> 0;
    }
    allowed(bits: Uint32Array): void {
      checkWords(bits, "bits");
      if (bits.length !== this.words)
        throw nativeError("INVALID_ARGUMENT", `bits: expected ${this.words} words, found ${bits.length}`);
      const mask = this.owned.checked((e, at) => e.ggsl_position_allowed(at));
      bits.set(this.owned.instance.u32(mask, this.words));
    }
    after(token: number): AutomatonPosition | undefined {
      if ((token | 0) !== token) throw nativeError("INVALID_ARGUMENT", "token: expected an integer");
      const next = this.owned.checked((e, at) => e.ggsl_position_after(at, token));
      return next === this.owned.at ? undefined : new Position(this.owned.instance, next, this.words);
    }
    dispose(): void {
      this.owned.dispose();
    }
  }

  return {
    TokenTrie: Trie,
    Automaton: class implements Automaton {
      private readonly owned: Owned<E>;
      private readonly words: number;

      constructor(trie: TokenTrie, words: Uint32Array) {
        const known = tries.get(trie);
        if (!known) throw nativeError("INVALID_ARGUMENT", "trie: expected a TokenTrie");
        checkWords(words, "words");
        const instance = host.current();
        const of = known.in(instance);
        const at = instance.with(words, (from) => of.checked((e, t) => e.ggsl_automaton_open(t, from, words.length)));
        this.owned = counted(this, "automaton", instance, at, closeAutomaton);
        this.words = of.call((e, t) => e.ggsl_trie_words(t));
      }
      get bytes(): number {
        return this.owned.call((e, automaton) => e.ggsl_automaton_bytes(automaton));
      }
      begin(): AutomatonPosition {
        const at = this.owned.checked((e, automaton) => e.ggsl_position_begin(automaton));
        return new Position(this.owned.instance, at, this.words);
      }
      dispose(): void {
        this.owned.dispose();
      }
    },
  };
}

interface TrieParts {
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
  readonly ends: Uint32Array;
}

const openTrie = <E extends AutomatonExports>(instance: Instance<E>, { bytes, offsets, ends }: TrieParts): Pointer =>
  instance.with(bytes, (a) =>
    instance.with(offsets, (b) =>
      instance.with(ends, (c) =>
        instance.checked((e) => e.ggsl_trie_open(a, bytes.length, b, offsets.length, c, ends.length)),
      ),
    ),
  );

function checkWords(value: unknown, what: string): void {
  // also one of another realm
  if (Object.prototype.toString.call(value) !== "[object Uint32Array]")
    throw nativeError("INVALID_ARGUMENT", `${what}: expected a Uint32Array`);
}
