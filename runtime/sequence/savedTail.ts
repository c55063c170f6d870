/**
 * Host tails in saved sequences. llama.cpp's samplers cannot be written down, so they are led through the text again: with the same
 * seeds and tokens, and where what they remember depends on it with the same rows.
 */
import { byteString } from "../core/vocabulary.js";
import type { Graph, TailStage } from "@ggsl/compiler/graph/graph.js";
import { TAIL_SAMPLERS } from "@ggsl/compiler/llama/samplers.js";
import * as is from "../core/check.js";
import { invalid } from "../core/errors.js";
import { finite } from "../core/sharedOptions.js";
import { rowsOf, type Rows } from "./tail.js";

/** A host tail as JSON. */
export interface SavedTail {
  /** For each stage the seed that was drawn for it, and its arguments that are parameters of the chain. */
  readonly values: readonly Readonly<Record<string, number>>[];
  /** The rows of each generated token, if the tail remembers them: ids, then logits, 32 bits each, in base64. */
  readonly rows?: readonly string[];
}

const SAVED: is.Checks<SavedTail> = {
  values: is.listOf("a list of objects", is.recordOf("an object of numbers by name", finite)),
  rows: is.listOf("a list of texts", is.text),
};
export const savedTail = is.object(SAVED);

/** Whether what the stages remember depends on the rows that they had. */
export const remembersRows = (stages: readonly TailStage[]): boolean =>
  stages.some(({ name }) => TAIL_SAMPLERS[name]?.remembersRows === true);

/** What the stages have that the graph does not. */
export const valuesOf = ({ tail }: Graph, stages: readonly TailStage[]): Record<string, number>[] =>
  stages.map(({ args }, i) =>
    Object.fromEntries(
      Object.entries(args).flatMap(([name, value]) =>
        typeof value === "number" && value !== tail[i]!.args[name] ? [[name, value]] : [],
      ),
    ),
  );

/** The stages of a saved tail; undefined if it is not of this chain. */
export function restoredStages(
  { tail }: Graph,
  { tail: saved, step }: { readonly tail?: SavedTail; readonly step: number },
): TailStage[] | undefined {
  if (tail.length === 0) return saved ? undefined : [];
  if (saved?.values.length !== tail.length) return undefined;
  if (remembersRows(tail) && saved.rows?.length !== step) return undefined;
  const isOpen = (stage: TailStage, name: string): boolean =>
    typeof stage.args[name] === "object" ||
    (name === "seed" && TAIL_SAMPLERS[stage.name]?.params["seed"] !== undefined);
  if (!tail.every((stage, i) => Object.keys(saved.values[i]!).every((name) => isOpen(stage, name)))) return undefined;
  return tail.map(({ name, args }, i) => ({ name, args: { ...args, ...saved.values[i] } }));
}

export function packedRows(rows: Rows): string {
  const { tokens, logits } = rowsOf(rows);
  const view = new DataView(new ArrayBuffer(8 * tokens.length));
  tokens.forEach((token, i) => view.setInt32(4 * i, token, true));
  logits.forEach((logit, i) => view.setFloat32(4 * (tokens.length + i), logit, true));
  return btoa(byteString(new Uint8Array(view.buffer)));
}

/** Throws `InputError` for a text that does not come from `packedRows`. */
export function unpackedRows(text: string): Rows {
  const bytes = bytesOf(text);
  if (!bytes || bytes.length === 0 || bytes.length % 8 !== 0)
    throw invalid("`resume.tail.rows` must have rows in base64, as they were saved");
  const view = new DataView(bytes.buffer);
  const count = bytes.length / 8;
  return {
    candidates: Int32Array.from({ length: count }, (_, i) => view.getInt32(4 * i, true)),
    logits: Float32Array.from({ length: count }, (_, i) => view.getFloat32(4 * (count + i), true)),
  };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}
