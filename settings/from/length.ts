/** The maximum length of settings. */
import { ImportError } from "./notes.js";

/** Longer settings and programs are refused; in UTF-16 code units. */
export const MAX_LENGTH = 1 << 20;

export function checkLength({ length }: { readonly length: number }, name: string): void {
  if (length > MAX_LENGTH)
    throw new ImportError(`${name}: expected settings of at most ${MAX_LENGTH} characters, found ${length}`);
}
