/** Streams that one loop reads. */
import { InputError } from "./errors.js";

/**
 * The iterator of a stream, for the first that asks: two loops would get a part of the pieces each.
 * @param isOver whether the stream has ended
 * @throws InputError for any other: `BUSY` while the stream runs, `ENDED` after its end
 */
export function oneLoop<I extends AsyncIterator<unknown>>(iterator: I, isOver: () => boolean) {
  let isTaken = false;
  return (): I => {
    if (isOver()) throw ended();
    if (isTaken)
      throw new InputError(
        "this generation is read by another loop, and each would get a part of the pieces: read it with one loop, or one iterator",
        { code: "BUSY" },
      );
    isTaken = true;
    return iterator;
  };
}

export const ended = (): InputError =>
  new InputError("this generation has ended: start another one, with `resume` to go on", { code: "ENDED" });
