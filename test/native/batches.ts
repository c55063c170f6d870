/** Batches, generation and error codes for the tests of the native runtime. */
import type { Batch, DecodeOutput, NativeContext } from "../../runtime/backends/native/binding.js";

export interface Part {
  readonly sequence: number;
  readonly tokens: ArrayLike<number>;
  readonly at: number;
}

/** A batch in which each part wants an output after its last token. */
export function batchOf(...parts: Part[]): Batch {
  const each = (f: (part: Part, i: number) => number): number[] =>
    parts.flatMap((part) => Array.from({ length: part.tokens.length }, (_, i) => f(part, i)));
  return {
    tokens: Int32Array.from(each((part, i) => part.tokens[i]!)),
    positions: Int32Array.from(each((part, i) => part.at + i)),
    sequences: Int32Array.from(each((part) => part.sequence)),
    outputs: Uint8Array.from(each((part, i) => (i === part.tokens.length - 1 ? 1 : 0))),
  };
}

/** Generates `count` tokens in sequence 0, each picked from its output by `pick`. */
export async function generateWith(
  context: NativeContext,
  prompt: Int32Array,
  count: number,
  pick: (output: DecodeOutput) => number,
): Promise<number[]> {
  const tokens: number[] = [];
  let [next, at]: [Int32Array, number] = [prompt, 0];
  while (tokens.length < count) {
    const [output] = await context.decode(batchOf({ sequence: 0, tokens: next, at }));
    at += next.length;
    tokens.push(pick(output!));
    next = Int32Array.of(tokens.at(-1)!);
  }
  return tokens;
}

/** The code of the error that a promise rejects with. */
export const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no error",
    (error: unknown) => (error as { code?: unknown }).code,
  );

/** The code and message of the error that an action throws, e.g. "BUSY: this context ...". */
export function thrownBy(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return `${code}: ${message}`;
  }
  return "no error";
}
