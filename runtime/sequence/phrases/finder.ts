/** Finds phrases in a text that comes byte by byte, in one pass over it: texts at once, and the places of regular expressions at once. */
import { Cache } from "../../core/cache.js";
import { Characters, NO_CHARACTER } from "./characters.js";
import { eachByte, lowered, phraseBytes } from "./letters.js";
import { addPlaces, type Place, type Places } from "./pattern.js";
import { ignoresCase, textIn, type PatternPhrase, type Phrase } from "./phrases.js";
import { sortedTexts, TextSearch, type SortedTexts } from "./texts.js";

/** Phrases as they are looked for. */
interface PreparedPhrases {
  /** Of texts as they are. */
  readonly exact: SortedTexts | undefined;
  /** Of texts in lower case. */
  readonly folded: SortedTexts | undefined;
  readonly places: readonly Place[];
  /** The places where a match begins: those that take each ASCII character, and all. */
  readonly firstOf: readonly (readonly number[])[];
  readonly first: readonly number[];
}

/** Lists that are kept for the next text, and their bytes. */
const MAX_KEPT = 64;
const KEPT_BYTES = 2 ** 20;
const kept = new Cache<PreparedPhrases>(MAX_KEPT, KEPT_BYTES);

/** @throws InputError for a regular expression that is not right, or not bounded */
export function preparedPhrases(list: readonly Phrase[], name: string): PreparedPhrases {
  const key = JSON.stringify(list);
  const known = kept.get(key);
  if (known) return known;
  const texts = (isFolded: boolean): string[] =>
    list.flatMap((phrase) => {
      const text = textIn(phrase);
      if (text === undefined || ignoresCase(phrase) !== isFolded) return [];
      return [phraseBytes(text, isFolded)];
    });
  const added: Places = { all: [], ways: 0, classes: new Map() };
  const first = list.flatMap((phrase, i) =>
    textIn(phrase) === undefined ? addPlaces(added, phrase as PatternPhrase, `${name}[${i}]`) : [],
  );
  const places = added.all;
  const prepared: PreparedPhrases = {
    exact: sortedTexts(texts(false)),
    folded: sortedTexts(texts(true)),
    places,
    first,
    firstOf: Array.from({ length: 0x80 }, (_, character) => first.filter((one) => places[one]!.takes(character))),
  };
  kept.set(key, prepared, key.length);
  return prepared;
}

/** A phrase in a text: where it begins and ends, in bytes. */
export interface FoundPhrase {
  readonly begin: number;
  readonly end: number;
}

export class PhraseFinder {
  /** Bytes read so far. */
  length = 0;
  private readonly exact: TextSearch | undefined;
  private readonly folded: TextSearch | undefined;
  private readonly characters: Characters | undefined;
  /** The places that took the last character, and for each the earliest byte where a match to it begins. */
  private active: number[] = [];
  private spare: number[] = [];
  private begins: Float64Array;
  private spareBegins: Float64Array;
  /** For each place the last character that it took. */
  private readonly takenAt: Float64Array;
  private count = 0;
  /** Where the earliest match begins that ends here. */
  private found = Infinity;
  /** Bytes of whole characters so far. */
  private whole = 0;

  constructor(private readonly phrases: PreparedPhrases) {
    this.exact = phrases.exact && new TextSearch(phrases.exact);
    this.folded = phrases.folded && new TextSearch(phrases.folded);
    const { length } = phrases.places;
    if (this.folded || length > 0) this.characters = new Characters();
    this.begins = new Float64Array(length);
    this.spareBegins = new Float64Array(length);
    this.takenAt = new Float64Array(length);
  }

  /** The first bytes so far, which cannot be part of a phrase. */
  get settled(): number {
    const { exact, folded, active, begins, whole } = this;
    let least = this.characters ? whole : this.length;
    if (exact) least = Math.min(least, exact.first(this.length));
    if (folded) least = Math.min(least, folded.first(whole));
    for (const place of active) least = Math.min(least, begins[place]!);
    return least;
  }

  /** Reads more bytes, up to a phrase. Of those that are complete first it is the longest. */
  read(bytes: Uint8Array): FoundPhrase | undefined {
    const { exact, characters } = this;
    for (const byte of bytes) {
      this.found = exact ? exact.read(byte, this.length) : Infinity;
      this.length++;
      characters?.read(byte, this.take);
      if (this.found < Infinity) return { begin: this.found, end: this.length };
    }
    return undefined;
  }

  /** Goes on from `length` bytes: phrases that begin before do not count. */
  restart(length: number): void {
    this.exact?.restart();
    this.folded?.restart();
    this.characters?.restart();
    this.active = [];
    this.length = this.whole = length;
  }

  private readonly take = (character: number, bytes: number): void => {
    const { folded } = this;
    const begin = this.whole;
    this.whole += bytes;
    // bytes that are no character are part of no text
    if (folded && character === NO_CHARACTER) folded.restart();
    else if (folded) {
      let at = begin;
      eachByte(lowered(character), (byte) => {
        this.found = Math.min(this.found, folded.read(byte, at++));
      });
    }
    if (this.phrases.places.length > 0) this.takeAll(character, begin);
  };

  private takeAll(character: number, begin: number): void {
    const { places, first, firstOf } = this.phrases;
    const { active, begins } = this;
    this.count++;
    this.spare.length = 0;
    for (const one of active)
      for (const next of places[one]!.next) if (places[next]!.takes(character)) this.reach(next, begins[one]!);
    if (character < 0x80) for (const one of firstOf[character]!) this.reach(one, begin);
    else for (const one of first) if (places[one]!.takes(character)) this.reach(one, begin);
    this.active = this.spare;
    this.spare = active;
    this.begins = this.spareBegins;
    this.spareBegins = begins;
  }

  /** The character was taken by a place, of a match that begins at a byte. */
  private reach(one: number, from: number): void {
    if (this.takenAt[one] !== this.count) {
      this.takenAt[one] = this.count;
      this.spareBegins[one] = from;
      this.spare.push(one);
    } else if (from < this.spareBegins[one]!) this.spareBegins[one] = from;
    if (this.phrases.places[one]!.isLast && from < this.found) this.found = from;
  }
}
