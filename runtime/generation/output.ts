/** The text of tokens, in whole characters and without what a stop text begins with. */
import type { FoundPhrase, PhraseFinder } from "../sequence/phrases/finder.js";
import { PHRASE_LIMITS } from "../sequence/phrases/phrases.js";
import { StopFinder, type Stop } from "./stops.js";

/** The bytes of a token. */
interface Read {
  readonly bytes: Uint8Array;
  /** Where they end in the text. */
  readonly end: number;
}

/** A token whose text is not known yet. */
interface Held<T> extends Read {
  readonly token: T;
}

/** A token and its text. */
export interface Given<T> {
  readonly token: T;
  readonly text: string;
  /** Bytes after it that are no whole character. */
  readonly rest: Uint8Array;
}

const NONE = new Uint8Array();

/** Those of a token's bytes that come after a place of the text. */
const after = ({ bytes, end }: Read, place: number): Uint8Array =>
  bytes.subarray(Math.min(bytes.length, Math.max(0, place - (end - bytes.length))));

/**
 * Gives each token when its whole text is known: a token is held back while its bytes may be part of a stop text, or of a phrase that
 * must not be written. The bytes of a character that is not complete come with the token that completes it.
 */
export class TextOutput<T> {
  private readonly hasNoStops: boolean;
  private readonly finder: StopFinder;
  private held: Held<T>[] = [];
  /** Bytes of all tokens so far. */
  private length = 0;
  /** Bytes of given tokens that are no whole character. */
  private rest: Uint8Array = NONE;
  stop: Stop | undefined;
  /** A phrase that the text has now; it is taken back, or stays. Of what is complete at the same byte it comes before a stop text. */
  phrase: FoundPhrase | undefined;
  /** Phrases that begin in the first bytes do not count. */
  private free = 0;
  /** With phrases: the bytes of the tokens that were given, and of those before the text. */
  private readonly past: Read[] = [];
  private before = 0;

  constructor(
    stops: readonly string[],
    private phrases?: PhraseFinder,
  ) {
    this.hasNoStops = stops.length === 0;
    this.finder = new StopFinder(stops);
  }

  /** The next token; the result has those whose text is known now. After a stop text, these are all. */
  push(token: T, bytes: Uint8Array): Given<T>[] {
    this.length += bytes.length;
    if (this.hasNoStops && !this.phrases && this.held.length === 0) return [this.given(token, bytes)];
    this.held.push({ token, bytes, end: this.length });
    this.read(bytes);
    return this.known();
  }

  /** The number of tokens from the one in which the phrase begins on; a token that was given is none of them. */
  get phraseTokens(): number {
    const { begin } = this.phrase!;
    return this.held.length - this.held.findIndex(({ end }) => end > begin);
  }

  /** Looks for other phrases, also in what is held. */
  lookFor(phrases: PhraseFinder): void {
    this.phrases = phrases;
    this.reread();
  }

  /** Forgets the last tokens, with the phrase that begins in the first of them. */
  takeBack(count: number): void {
    this.held.splice(this.held.length - count);
    this.reread();
  }

  /** The phrase stays; the result has the tokens whose text is known now, unless there is another phrase. */
  keepPhrase(): Given<T>[] {
    const { begin } = this.phrase!;
    this.free = begin < this.heldFrom ? begin + 1 : this.held.at(-this.phraseTokens)!.end;
    this.reread();
    return this.known();
  }

  /** The tokens that are left at the end of the text. */
  flush(): Given<T>[] {
    return this.give(this.length);
  }

  /** Goes on after the first `count` given tokens, the last of them with its `rest`. */
  restart(count: number, rest: Uint8Array = NONE): void {
    this.held = [];
    this.rest = rest;
    this.past.length = Math.min(this.past.length, this.before + count);
    this.reread();
  }

  /** The text goes on after these tokens: a phrase may begin in them, too. */
  goOn(tokens: readonly Uint8Array[]): void {
    for (const bytes of tokens) this.past.push({ bytes, end: (this.length += bytes.length) });
    this.before = this.past.length;
    this.reread();
  }

  /** Where the bytes of the tokens begin that are not given. */
  private get heldFrom(): number {
    const first = this.held[0];
    return first ? first.end - first.bytes.length : this.length;
  }

  private read(bytes: Uint8Array, counted = bytes): void {
    this.phrase = this.phrases?.read(counted);
    this.stop = this.finder.read(bytes);
    if (this.phrase && this.stop)
      if (this.stop.end < this.phrase.end) this.phrase = undefined;
      else this.stop = undefined;
  }

  /** Reads what is held again, after what was given, in which a phrase may begin. */
  private reread(): void {
    this.stop = this.phrase = undefined;
    const from = this.held.length > 0 ? this.heldFrom : (this.past.at(-1)?.end ?? 0);
    this.length = this.held.at(-1)?.end ?? from;
    this.finder.restart(from);
    if (!this.phrases) return;
    this.free = Math.min(this.free, this.length);
    while (this.restartPhrases(this.phrases, from) !== undefined);
    for (const one of this.held) {
      this.read(one.bytes, after(one, this.free));
      if (this.stop || this.phrase) return;
    }
  }

  /** @returns a phrase that stayed in what was given: those that begin with it do not count */
  private restartPhrases(phrases: PhraseFinder, from: number): FoundPhrase | undefined {
    const begin = Math.max(Math.min(this.free, from), from - PHRASE_LIMITS.longest);
    phrases.restart(Math.max(begin, this.free));
    let first = this.past.length;
    while (first > 0 && this.past[first - 1]!.end > begin) first--;
    for (const one of this.past.slice(first)) {
      const found = phrases.read(after(one, begin));
      if (found) this.free = found.begin + 1;
      if (found) return found;
    }
    return undefined;
  }

  private known(): Given<T>[] {
    if (this.phrase) return [];
    if (this.stop) return this.give(this.length, this.stop.begin);
    return this.give(Math.min(this.finder.settled, this.phrases?.settled ?? Infinity));
  }

  /** The tokens that end up to `settled`, with their bytes up to `limit`. */
  private give(settled: number, limit = Infinity): Given<T>[] {
    let count = 0;
    while (count < this.held.length && this.held[count]!.end <= settled) count++;
    return this.held.splice(0, count).map(({ token, bytes, end }) => {
      if (this.phrases) this.past.push({ bytes, end });
      const begin = end - bytes.length;
      const kept = bytes.subarray(0, Math.max(0, Math.min(bytes.length, limit - begin)));
      return this.given(token, kept);
    });
  }

  private given(token: T, bytes: Uint8Array): Given<T> {
    const { text, rest } = decode(this.rest, bytes);
    this.rest = rest;
    return { token, text, rest };
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The whole characters of bytes, and the bytes of a last one that is not complete. */
function decode(before: Uint8Array, bytes: Uint8Array): { text: string; rest: Uint8Array } {
  if (bytes.length === 0) return { text: "", rest: before };
  const ascii = before.length === 0 ? asciiOf(bytes) : undefined;
  if (ascii !== undefined) return { text: ascii, rest: NONE };
  const all = before.length === 0 ? bytes : Uint8Array.from([...before, ...bytes]);
  const whole = all.length - incomplete(all);
  return {
    text: decoder.decode(all.subarray(0, whole)),
    rest: whole === all.length ? NONE : all.slice(whole),
  };
}

/** Longer texts are faster with a decoder. */
const SHORT = 24;

/** The text of few bytes that are all ASCII, else undefined. A decoder costs a microsecond for any text. */
function asciiOf(bytes: Uint8Array): string | undefined {
  if (bytes.length > SHORT) return undefined;
  let text = "";
  for (const byte of bytes) {
    if (byte >= 0x80) return undefined;
    text += String.fromCharCode(byte);
  }
  return text;
}

/** The number of bytes at the end that begin a character and lack others. */
export function incomplete(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const lead = bytes[bytes.length - back]!;
    if ((lead & 0xc0) === 0x80) continue;
    const needed = lead >= 0xf0 && lead <= 0xf4 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
    return lead <= 0xf4 && needed > back && canFollow(lead, bytes[bytes.length - back + 1]) ? back : 0;
  }
  return 0;
}

/** Whether a byte can come second: not in a character that is longer than it must be, a surrogate, or beyond U+10FFFF. */
function canFollow(lead: number, second: number | undefined): boolean {
  if (second === undefined) return true;
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second < 0xa0;
  if (lead === 0xf0) return second >= 0x90;
  if (lead === 0xf4) return second < 0x90;
  return true;
}
