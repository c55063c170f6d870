/** What a search in a whole text finds. */
interface Found {
  readonly begin: number;
  readonly stop: string;
}

/** The stop text that ends first, of several the longest; places are in bytes. */
export function firstStop(text: Buffer, stops: readonly string[]): Found | undefined {
  let best: (Found & { readonly end: number }) | undefined;
  for (const stop of stops) {
    const bytes = Buffer.from(stop);
    const begin = text.indexOf(bytes);
    if (begin < 0) continue;
    const end = begin + bytes.length;
    if (!best || end < best.end || (end === best.end && begin < best.begin)) best = { begin, end, stop };
  }
  return best;
}
