/** The pieces of a generation: its tokens with their texts, which are read here or told by the context's text. */
import { fromBytes, toBytes } from "../core/vocabulary.js";
import type { TextPiece } from "../decode/scheduler/written.js";
import type { FoundPhrase, PhraseFinder } from "../sequence/phrases/finder.js";
import { TextOutput, type Given } from "./output.js";
import type { Piece } from "./pieces.js";

/** A piece without its text. */
export type Facts = Omit<Piece, "text">;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** What a text in the context goes on after. */
export interface Shown {
  readonly stop: readonly string[];
  /** Bytes of known texts that are no whole character. */
  readonly rest: Uint8Array;
  /** The tokens whose texts are not known. */
  readonly held: Int32Array;
}

const NONE = new Uint8Array();

export class PieceTexts {
  private readonly output: TextOutput<Facts>;
  /** Whether the output has read all tokens. */
  private isRead = true;
  /** Tokens whose texts are not known. */
  private held: Facts[] = [];
  /** Those whose texts are known, and that were not given yet. */
  private ready: Given<Facts>[] = [];
  /** By how many pieces were given, the bytes after these that are no whole character, if any. */
  private readonly rests = new Map<number, Uint8Array>();
  /** The number of pieces that were given. */
  given = 0;
  /** A stop text that something else has found. */
  private told: string | undefined;

  constructor(
    private readonly stops: readonly string[],
    /** The bytes of the token at a place of the text. */
    private readonly bytesOf: (token: number, place: number) => Uint8Array,
    private phrases?: PhraseFinder,
  ) {
    this.output = new TextOutput(stops, phrases);
  }

  /** The next token, whose bytes are read here. */
  read(piece: Facts): void {
    this.catchUp();
    this.push(piece);
  }

  /** The stop text that has ended the text. */
  get stop(): string | undefined {
    return this.told ?? this.output.stop?.text;
  }

  /** A phrase that the text has now, which is taken back or stays. */
  get phrase(): FoundPhrase | undefined {
    return this.output.phrase;
  }

  /** The number of tokens from the one in which the phrase begins on. */
  get phraseTokens(): number {
    return this.output.phraseTokens;
  }

  /** Looks for other phrases, also in what is held. */
  lookFor(phrases: PhraseFinder): void {
    this.phrases = phrases;
    this.output.lookFor(phrases);
  }

  /** Forgets the last tokens, with the phrase that begins in the first of them. */
  takeBack(count: number): void {
    this.held.splice(this.held.length - count);
    this.output.takeBack(count);
  }

  keepPhrase(): void {
    this.settle(this.output.keepPhrase());
  }

  /** The text goes on after these tokens, in which a phrase may begin. */
  goOn(tokens: readonly Uint8Array[]): void {
    this.output.goOn(tokens);
  }

  /**
   * The next token, read elsewhere; here again where phrases are looked for.
   * @param pieces the texts that are known with it
   * @param stop the place of the stop text that ends the text; -1: none
   */
  tell(piece: Facts, pieces: readonly TextPiece[], stop: number): void {
    if (this.phrases) return this.read(piece);
    this.isRead = false;
    const [only] = pieces;
    if (only && pieces.length === 1 && this.held.length === 0)
      this.ready.push({ token: piece, text: only.text, rest: only.rest });
    else {
      this.held.push(piece);
      for (const { text, rest } of pieces) this.ready.push({ token: this.held.shift()!, text, rest });
    }
    if (stop >= 0) this.told = fromBytes(toBytes(this.stops[stop]!));
  }

  /** The text is over: that of all tokens is known. */
  flush(): void {
    if (this.held.length === 0) return;
    this.catchUp();
    this.settle(this.output.flush());
  }

  /** The number of tokens whose texts are known. */
  get settled(): number {
    return this.given + this.ready.length;
  }

  /** Whether a piece is there. */
  get hasNext(): boolean {
    return this.ready.length > 0;
  }

  /** The next piece, if it is there. */
  next(): Piece | undefined {
    const next = this.ready.shift();
    if (!next) return undefined;
    this.given++;
    if (next.rest.length > 0) this.rests.set(this.given, next.rest);
    // Object.assign takes as long as all the rest
    const piece = next.token as Writable<Piece>;
    piece.text = next.text;
    return piece;
  }

  /** After the tokens that were read; nothing where the texts of the next ones are read here in any case. */
  get shown(): Shown {
    if (this.phrases) return { stop: [], rest: NONE, held: new Int32Array() };
    return { stop: this.stops, rest: this.rest, held: Int32Array.from(this.held, ({ token }) => token) };
  }

  /** Goes on after the first pieces. */
  rewind(given: number): void {
    for (const count of this.rests.keys()) if (count > given) this.rests.delete(count);
    this.given = given;
    this.ready = [];
    this.held = [];
    this.told = undefined;
    this.isRead = true;
    this.output.restart(given, this.rest);
  }

  /** After the texts that are known. */
  private get rest(): Uint8Array {
    return this.ready.at(-1)?.rest ?? this.rests.get(this.given) ?? NONE;
  }

  private catchUp(): void {
    if (this.isRead) return;
    this.isRead = true;
    this.output.restart(this.settled, this.rest);
    for (const piece of this.held.splice(0)) this.push(piece);
  }

  private push(piece: Facts): void {
    const place = this.settled + this.held.length;
    this.held.push(piece);
    this.settle(this.output.push(piece, this.bytesOf(piece.token, place)));
  }

  private settle(given: readonly Given<Facts>[]): void {
    this.held.splice(0, given.length);
    for (const one of given) this.ready.push(one);
  }
}
