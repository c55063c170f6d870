/** The phrases of a text that must not be written: where they are found, and the tokens that are masked at its places. */
import { MOST_MASKED } from "@ggsl/compiler/graph/phrases.js";
import { grammarOf } from "../../sequence/features/feed.js";
import { PhraseFinder, preparedPhrases } from "../../sequence/phrases/finder.js";
import type { SequenceState } from "../../sequence/sequence.js";
import { PHRASE_LIMITS } from "../../sequence/phrases/phrases.js";
import type { SavedSequence } from "../../sequence/savedSequence.js";
import type { NativeModel } from "../../backends/native/binding.js";
import { REWINDS, type PhraseOptions } from "./options.js";

/** What is counted of a text with phrases. */
interface PhraseCounts {
  /** How often the text was taken back. */
  rewinds: number;
  /** The tokens that were taken back. */
  takenBackTokens: number;
  /** Phrases that stayed, where no other token was left. */
  keptPhrases: number;
}

/** A text that goes on. */
interface Resumed {
  readonly model: Pick<NativeModel, "piece">;
  /** Its tokens, after those of its prompt. */
  readonly prompt: Int32Array;
  readonly options: { readonly resume?: SavedSequence | undefined };
}

/** Whether a text has phrases that it must not have, or may get some. */
export const bansPhrases = ({ bannedPhrases = [] }: PhraseOptions, { phrases }: SequenceState): boolean =>
  bannedPhrases.length > 0 || phrases.size > 0;

/** What is masked at a place of the text. */
interface Masked {
  readonly tokens: Set<number>;
  /** No other token is left: a phrase that begins here stays. */
  isFree: boolean;
}

export class BannedPhrases {
  readonly counts: PhraseCounts = { rewinds: 0, takenBackTokens: 0, keptPhrases: 0 };
  finder: PhraseFinder;
  private readonly most: number;
  /** By number of tokens before it. */
  private places = new Map<number, Masked>();

  constructor(
    private readonly options: PhraseOptions,
    sequence: SequenceState,
  ) {
    this.finder = this.finderOf(sequence);
    this.most = options.maxRewinds ?? REWINDS;
  }

  /** The chain's own phrases may be others now. */
  change(sequence: SequenceState): void {
    this.finder = this.finderOf(sequence);
  }

  private finderOf({ phrases }: SequenceState): PhraseFinder {
    const { bannedPhrases = [] } = this.options;
    return new PhraseFinder(preparedPhrases([...bannedPhrases, ...[...phrases.values()].flat()], "bannedPhrases"));
  }

  /** The last tokens of a text that was saved, in which a phrase may begin. */
  before({ model, prompt, options }: Resumed): Uint8Array[] {
    const { step = 0, healed = [] } = options.resume ?? {};
    const count = Math.min(step, PHRASE_LIMITS.longest, prompt.length);
    // the bytes of the prompt that the text begins with are none of it
    let cut = count === step ? healed.length : 0;
    return Array.from(prompt.subarray(prompt.length - count), (token) => {
      const bytes = model.piece(token, false);
      const own = bytes.subarray(Math.min(cut, bytes.length));
      cut -= bytes.length - own.length;
      return own;
    });
  }

  /** Whether tokens are masked at this place. */
  masksAt(place: number): boolean {
    return this.places.get(place)?.isFree === false;
  }

  /** Whether a phrase that begins here stays. */
  staysAt(place: number): boolean {
    return this.places.get(place)?.isFree === true;
  }

  /**
   * The tokens that are masked at a place where the sequence is; its grammars are ready. Undefined where none are.
   * @param allowed the only tokens that may come there anyway
   */
  maskedAt(place: number, sequence: SequenceState, allowed?: ReadonlySet<number>): ReadonlySet<number> | undefined {
    const masked = this.places.get(place);
    if (!masked || masked.isFree) return undefined;
    const leavesNoOther = allowed !== undefined && [...allowed].every((token) => masked.tokens.has(token));
    masked.isFree =
      leavesNoOther ||
      sequence.features.some((feature) => {
        const grammar = grammarOf(feature);
        return grammar !== undefined && leavesNone(grammar.state.bits(), masked.tokens);
      });
    return masked.isFree ? undefined : masked.tokens;
  }

  /** The token that was picked at a place: where it is one that is masked, no other one was left. */
  accept(place: number, token: number): void {
    const masked = this.places.get(place);
    if (masked?.tokens.has(token)) masked.isFree = true;
  }

  /**
   * The text is taken back to a place, whose token begins a phrase.
   * @param count the tokens that are taken back
   * @returns whether the text may go on there
   */
  takeBack(place: number, token: number, count: number): boolean {
    for (const other of this.places.keys()) if (other > place) this.places.delete(other);
    const masked = this.places.get(place) ?? { tokens: new Set(), isFree: false };
    this.places.set(place, masked);
    masked.tokens.add(token);
    this.counts.takenBackTokens += count;
    if (this.counts.rewinds >= this.most || masked.tokens.size > MOST_MASKED) return false;
    this.counts.rewinds++;
    return true;
  }

  /** A reader has taken tokens back: nothing is known of the places after those that are left. */
  forget(): void {
    this.places = new Map();
  }
}

/** Whether all tokens whose bits are set are among these, and there are any. */
function leavesNone(bits: Uint32Array, tokens: ReadonlySet<number>): boolean {
  let count = 0;
  for (let i = 0; i < bits.length; i++)
    for (let word = bits[i]!; word !== 0; word &= word - 1) {
      if (!tokens.has(32 * i + 31 - Math.clz32(word & -word))) return false;
      count++;
    }
  return count > 0;
}
