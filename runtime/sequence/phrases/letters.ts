/** Letters whose case is ignored: each character stands for one of as many bytes, so that places in a text stay the same. */
import { toBytes } from "../../core/vocabulary.js";

const bytesOf = (character: number): number =>
  character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;

const lower = new Map<number, number>();
const upper = new Map<number, number>();

/** The character as the other case has it; the character itself where that is several, or of another length. */
function cased(character: number, known: Map<number, number>, change: (text: string) => string): number {
  const found = known.get(character);
  if (found !== undefined) return found;
  const text = change(String.fromCodePoint(character));
  const other = text.codePointAt(0) ?? character;
  const isOne = text.length === (other > 0xffff ? 2 : 1) && bytesOf(other) === bytesOf(character);
  const result = isOne ? other : character;
  known.set(character, result);
  return result;
}

/** In lower case. */
export const lowered = (character: number): number =>
  character < 0x80
    ? character >= 0x41 && character <= 0x5a
      ? character + 32
      : character
    : cased(character, lower, (text) => text.toLowerCase());

/** In upper case. */
export const raised = (character: number): number =>
  character < 0x80
    ? character >= 0x61 && character <= 0x7a
      ? character - 32
      : character
    : cased(character, upper, (text) => text.toUpperCase());

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** The bytes of a text, one a character; with `isLowered` in lower case, as many as it had. */
export function phraseBytes(text: string, isLowered: boolean): string {
  if (isAscii(text)) return isLowered ? text.toLowerCase() : text;
  if (!isLowered) return toBytes(text);
  return toBytes(Array.from(text, (one) => String.fromCodePoint(lowered(one.codePointAt(0)!))).join(""));
}

/** Calls `each` with the bytes of a character. */
export function eachByte(character: number, each: (byte: number) => void): void {
  if (character < 0x80) return each(character);
  const count = bytesOf(character);
  each([0xc0, 0xe0, 0xf0][count - 2]! | (character >> (6 * (count - 1))));
  for (let at = count - 2; at >= 0; at--) each(0x80 | ((character >> (6 * at)) & 0x3f));
}
