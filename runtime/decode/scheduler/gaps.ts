/** Gaps between the texts of a context: with a cache for each sequence, neighbours are computed at once (native/llama/runs.h). */
import type { NativeContext } from "../../backends/native/binding.js";
import type { Place } from "./places.js";

/** Whether a quarter of the places up to the last one with a text has none. */
function hasGaps(places: readonly Place[]): boolean {
  const width = 1 + places.findLastIndex(({ isTaken }) => isTaken);
  const taken = places.filter(({ isTaken }) => isTaken).length;
  return 4 * taken <= 3 * width;
}

/**
 * Exchanges free places with the last texts until there is no gap, or none that can be closed. What free places hold stays. Throws what the
 * context throws; the two places are empty then.
 */
export function closeGaps(context: NativeContext, places: Place[]): void {
  if (!context.hasOwnCaches || !hasGaps(places)) return;
  for (const [gap, free] of places.entries()) {
    if (free.isTaken || free.isReserved) continue;
    const from = places.findLastIndex((place, i) => i > gap && canMove(place, free));
    if (from < 0) continue;
    const moved = places[from]!;
    moved.exchange(context, free);
    [places[gap], places[from]] = [moved, free];
  }
}

/** To a sequence with another chain it cannot: llama.cpp would reserve its memory again. */
const canMove = (place: Place, { chain, isGuide }: Place): boolean =>
  place.isTaken && !place.isFixed && chain !== undefined && place.fits(chain, isGuide);
