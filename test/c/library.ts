/** The C library's sequences, by the addon for tests. */
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Vocabulary } from "../../runtime/core/vocabulary.js";
import type { Vector } from "../../runtime/backends/reference/kernels.js";

export interface CSequence {
  set(param: string, value: number): void;
  setTokens(set: string, items: readonly (number | string)[]): void;
  give(input: string, numbers: Float32Array): void;
  give(input: string, tokens: Int32Array, numbers: Float32Array): void;
  acceptPrompt(tokens: Int32Array): void;
  accept(token: number, scalars: Float32Array): void;
  uniforms(): Float32Array;
  inputs(): Vector[];
  columns(): Float32Array[];
  states(): Float32Array;
  /** The token that comes next in place of the pick. */
  written(): number | undefined;
}

/** The texts of tokens, as `TextOutput` has them; `stop` is the place of the stop text that has ended the text. */
interface COutput {
  push(bytes: Uint8Array): { readonly text: string; readonly rest: Uint8Array }[];
  flush(): { readonly text: string; readonly rest: Uint8Array }[];
  restart(rest: Uint8Array): void;
  readonly stop: number | undefined;
}

interface Addon {
  /** Throws for an empty text. */
  readonly COutput: new (stops: readonly string[]) => COutput;
  readonly CSequence: new (spec: string, texts: readonly string[], control: Int32Array, end: Int32Array) => CSequence;
  /** The code and the message of a spec that is refused. */
  specFault(spec: string): string | undefined;
}

export const addon = createRequire(import.meta.url)(
  join(import.meta.dirname, "../../build/Release/ggsl_sequence.node"),
) as Addon;

export function sequenceOf(spec: string, { pieces, classes }: Vocabulary): CSequence {
  const { control = [], end = [] } = classes ?? {};
  return new addon.CSequence(spec, pieces, Int32Array.from(control), Int32Array.from(end));
}
