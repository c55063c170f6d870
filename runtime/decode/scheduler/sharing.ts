/** Sequences share what their texts begin with: one computes it, the others copy it. */
import type { NativeContext } from "../../backends/native/binding.js";
import type { Place } from "./places.js";
import { MIN_SHARED, sharedLength } from "./prefix.js";
import type { Reading } from "./reading.js";

/**
 * Begins a text with what its own place or another one holds of it. It waits instead, and is asked again, if an earlier reading will
 * have read more of it: only for earlier ones, so that the first of them never waits.
 */
export function begin(
  context: NativeContext,
  reading: Reading,
  earlier: readonly Reading[],
  places: readonly Place[],
): void {
  const { text, place, waitsFor, follows } = reading;
  if (follows && !follows.isOver) return;
  reading.leave();
  if (waitsFor && !waitsFor.source.isOver && !hasRead(waitsFor.source, waitsFor.length)) return;
  reading.waitsFor = undefined;
  const held = reading.held;
  if (text === undefined) return reading.begin(context, held);
  if (context.hasFollowers && follow(context, reading, earlier)) return;
  const own = held >= MIN_SHARED && place.canKeep(context, held) ? held : 0;
  const enough = own + MIN_SHARED;
  const [copy] = places
    .filter((other) => other !== place && other.tokens.length >= enough)
    .map((from) => ({ from, length: Math.min(sharedLength(from.tokens, text), text.length - 1) }))
    .filter(({ from, length }) => length >= enough && from.canKeep(context, length))
    .sort(byLength);
  const [wait] = earlier
    .filter((other) => !other.isOver && other.text !== undefined)
    .map((source) => ({
      source,
      length: Math.min(sharedLength(source.text!, text), text.length - 1, source.length - 1),
    }))
    .filter(({ source, length }) => length >= (copy?.length ?? own) + MIN_SHARED && !hasRead(source, length))
    .sort(byLength);
  if (wait) {
    // attention passes over all that is held, so what nobody will need is gone before the other one reads
    place.cut(context, own);
    reading.waitsFor = wait;
    return;
  }
  if (copy) place.copy(context, copy.from, copy.length);
  reading.begin(context, copy?.length ?? own);
}

/** Copying as many tokens takes about as long as computing one. */
const COPIED = 64;

/** Whether an earlier reading has the same text, so that one output is enough for both. */
function follow(context: NativeContext, reading: Reading, earlier: readonly Reading[]): boolean {
  const { place, length, isAlone } = reading;
  const text = reading.text!;
  const source = earlier.find(
    (other) =>
      other.isAlone &&
      isAlone &&
      !other.follows &&
      !other.isOver &&
      other.length === length &&
      isText(other.text, text),
  );
  if (!source) return false;
  const held = sharedLength(place.tokens, text);
  const isWhole = held === length && place.canKeep(context, length);
  if (!isWhole && (length - held) * COPIED < length) return false;
  place.cut(context, isWhole ? length : 0);
  reading.follows = source;
  return true;
}

const isText = (a: ArrayLike<number> | undefined, b: ArrayLike<number>): boolean =>
  a !== undefined && sharedLength(a, b) === b.length;

const hasRead = ({ isBegun, read }: Reading, length: number): boolean => isBegun && read >= length;

const byLength = (a: { readonly length: number }, b: { readonly length: number }): number => b.length - a.length;
