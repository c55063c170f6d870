/** Where the lines of the log go: to a stream whose reader may stall. */
import type { Writable } from "node:stream";
import { guarded } from "./guarded.js";

/** Bytes that wait for the reader; what comes beyond them is dropped, and counted. */
const ROOM = 2 ** 20;

/**
 * Writes lines while no more than `room` bytes wait. Those that are dropped are counted in a line of their own once the reader has
 * caught up; a reader that has ended gets none.
 * @param dropped the line that tells how many there were
 */
export function boundedWriter(
  stream: Writable,
  dropped: (lines: number) => string,
  room: number = ROOM,
): (line: string) => void {
  let lost = 0;
  const tell = guarded("drain", () => {
    const lines = lost;
    lost = 0;
    if (lines > 0 && stream.writable) stream.write(dropped(lines));
  });
  return (line) => {
    // a line that is larger than the room goes alone
    const isFull = stream.writableLength > 0 && stream.writableLength + line.length > room;
    if (isFull || !stream.writable) {
      // the first of those that are dropped
      if (lost++ === 0) stream.once("drain", tell);
      return;
    }
    stream.write(line);
  };
}
