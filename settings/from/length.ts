/** How long settings may be. */
import { ImportError } from "./notes.js";

/** Settings longer than this are refused, in UTF-16 code units; so are programs. */
export const MAX_LENGTH = 1 << 20;

export function checkLength({ length }: { readonly length: number }, name: string): void {
  if (length > MAX_LENGTH)
    throw new ImportError(`${name}: expected settings of at most ${MAX_LENGTH} characters, found ${length}`);
}
