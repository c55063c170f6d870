/** Reads a generation with its one iterator, in several steps. */
import type { Generation, Piece } from "../../runtime/index.js";

const iterators = new WeakMap<Generation, AsyncIterator<Piece>>();

/** The one iterator of a generation. */
export function iteratorOf(generation: Generation): AsyncIterator<Piece> {
  const iterator = iterators.get(generation) ?? generation[Symbol.asyncIterator]();
  iterators.set(generation, iterator);
  return iterator;
}

/** Reads pieces without ending the generation. */
export async function take(generation: Generation, count: number): Promise<Piece[]> {
  const iterator = iteratorOf(generation);
  const pieces: Piece[] = [];
  while (pieces.length < count) pieces.push((await iterator.next()).value as Piece);
  return pieces;
}

/** All pieces that are left. */
export async function rest(generation: Generation): Promise<Piece[]> {
  const iterator = iteratorOf(generation);
  const pieces: Piece[] = [];
  for (;;) {
    const next = await iterator.next();
    if (next.done) return pieces;
    pieces.push(next.value);
  }
}
