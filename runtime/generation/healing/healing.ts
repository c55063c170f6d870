/**
 * Token healing: the last token of a prompt is taken back, and the first tokens of the text begin with its bytes. A prompt that ends inside
 * a word so goes on with the tokens that the model knows the word by.
 */
import type { NativeModel } from "../../backends/native/binding.js";
import { invalid } from "../../core/errors.js";
import { byteString, fromBytes } from "../../core/vocabulary.js";
import { MOST_HEALED, type SavedSequence } from "../../sequence/savedSequence.js";
import { spellable, spelled, textTokensOf, type TextTokens } from "./vocabulary.js";

/** How the end of a prompt is written. */
export interface HealOptions {
  /**
   * Token healing: the last token of the prompt is taken back, and the first tokens must begin with its bytes, so that a prompt may end
   * inside a word. Pieces have what comes after the prompt. A special token, the only token of a prompt, and one whose bytes no
   * longer token begins with stay.
   * @default false
   */
  readonly heal?: boolean | undefined;
}

/** Throws `InputError` for a conversation whose prompt is to be healed. */
export function checkNotHealed({ heal }: HealOptions): void {
  if (heal)
    throw invalid("`heal` is for prompts that are texts: that of a conversation ends as its template does, so omit it");
}

const NONE: ReadonlySet<number> = new Set();

/** Where a text is in the bytes that were taken back, by number of its tokens. */
export class Healing {
  /** How many of the bytes are written before each place. */
  private written: number[] = [0];
  /** By number of bytes that are written. */
  private readonly allowed = new Map<number, ReadonlySet<number>>();
  /** By number of bytes that are written, whether tokens can write the rest and nothing more. */
  private readonly hasRest: readonly boolean[];

  /**
   * @param bytes as a byte string
   * @param before the tokens of the text that were written before, where it goes on
   */
  constructor(
    private readonly tokens: TextTokens,
    readonly bytes: string,
    before: Iterable<number> = [],
  ) {
    this.hasRest = spellable(bytes, tokens);
    for (const token of before) this.accept(token);
    this.written = [this.written.at(-1)!];
  }

  /** The text of what was taken back. */
  get text(): string {
    return fromBytes(this.bytes);
  }

  /** Whether the token at a place must begin with what is left of the bytes, or be a part of it. */
  isAt(place: number): boolean {
    return this.writtenAt(place) < this.bytes.length;
  }

  /**
   * The tokens that may come at such a place: those that begin with what is left, and those that it begins with, if others can write the
   * rest.
   */
  tokensAt(place: number): ReadonlySet<number> {
    const written = this.writtenAt(place);
    const known = this.allowed.get(written) ?? this.tokensAfter(written);
    this.allowed.set(written, known);
    return known;
  }

  /** How many bytes of the token at a place the prompt has. */
  cutAt(place: number, token: number): number {
    return Math.min(this.bytes.length - this.writtenAt(place), this.tokens.texts[token]!.length);
  }

  /** What a token at a place adds to the text after the prompt, as a byte string. */
  restAt(place: number, token: number): string {
    return this.tokens.texts[token]!.slice(this.cutAt(place, token));
  }

  /** Tokens that grammars read in place of the one at a place: they begin after the prompt. */
  readAt(place: number, token: number): readonly number[] | undefined {
    return this.spell(this.restAt(place, token));
  }

  spell(bytes: string): readonly number[] | undefined {
    return bytes === "" ? [] : spelled(bytes, this.tokens);
  }

  /** The next token of the text. */
  accept(token: number): void {
    const written = this.written.at(-1)!;
    const left = this.bytes.slice(written);
    if (left === "") return;
    const text = this.tokens.texts[token] ?? "";
    const isRight = text !== "" && (text.startsWith(left) || left.startsWith(text));
    this.written.push(isRight ? Math.min(this.bytes.length, written + text.length) : this.bytes.length);
  }

  /** The text has only so many tokens. */
  rewind(count: number): void {
    this.written.length = Math.min(this.written.length, count + 1);
  }

  private writtenAt(place: number): number {
    return this.written[place] ?? this.bytes.length;
  }

  private tokensAfter(written: number): ReadonlySet<number> {
    const left = this.bytes.slice(written);
    if (left === "") return NONE;
    const first = left.charCodeAt(0);
    const tokens = new Set<number>();
    for (const [token, text] of this.tokens.texts.entries()) {
      if (text.charCodeAt(0) !== first) continue;
      const isRight =
        text.length >= left.length
          ? text.startsWith(left)
          : this.hasRest[written + text.length]! && left.startsWith(text);
      if (isRight) tokens.add(token);
    }
    return tokens;
  }
}

/** What is healed of a prompt, without its last token; undefined if it stays as it is. */
export function healingOf(model: NativeModel, prompt: Int32Array): Healing | undefined {
  if (prompt.length < 2) return undefined;
  const tokens = textTokensOf(model);
  const bytes = tokens.texts[prompt.at(-1)!]!;
  const first = bytes.charCodeAt(0);
  const isBetter = (text: string): boolean =>
    text.length > bytes.length && text.charCodeAt(0) === first && text.startsWith(bytes);
  const isHealed = bytes !== "" && bytes.length <= MOST_HEALED && tokens.texts.some(isBetter);
  return isHealed ? new Healing(tokens, bytes) : undefined;
}

/** What is healed of a text that goes on. */
export function healedAgain(
  model: NativeModel,
  tokens: Int32Array,
  { healed, step }: SavedSequence,
): Healing | undefined {
  if (!healed) return undefined;
  const generated = tokens.subarray(Math.max(0, tokens.length - step));
  const healing = new Healing(textTokensOf(model), byteString(Uint8Array.from(healed)), generated);
  // not a text of this model
  return healing.isAt(0) && healing.tokensAt(0).size === 0 ? undefined : healing;
}

/** The part of a saved sequence. */
export const savedHealing = (healing: Healing | undefined): Pick<SavedSequence, "healed"> =>
  healing ? { healed: Array.from(healing.bytes, (byte) => byte.charCodeAt(0)) } : {};
