/** Texts that are continued later: `--save` writes what `--resume` reads. */
import { InputError } from "ggsl/core/errors.js";
import type { Saved } from "ggsl/generation/generate.js";
import { MAX_BYTES, readJson, writeOutput } from "./files.js";

/** Writes a result of `Generation.save()` as JSON. */
export function writeSaved(path: string, { tokens, sequence, guides }: Saved): void {
  const lists = guides && Object.fromEntries(Object.entries(guides).map(([name, ids]) => [name, [...ids]]));
  writeOutput(path, `${JSON.stringify({ tokens: [...tokens], ...(lists && { guides: lists }), sequence })}\n`);
}

/** Reads such a file. Throws `InputError`; whether the sequence is one of the chain is for the caller to check. */
export function readSaved(path: string): Saved {
  const data = readJson(path, MAX_BYTES.spec);
  const { tokens, sequence, guides = {} } = (data ?? {}) as Record<string, unknown>;
  const lists = Object.entries((guides ?? {}) as Record<string, unknown>);
  if (!isTokens(tokens) || typeof sequence !== "object" || !lists.every(([, ids]) => isTokens(ids)))
    throw new InputError(`"${path}" is no saved text: expected what \`ggsl run --save\` has written`, {
      code: "INVALID_FILE",
    });
  return {
    tokens: Int32Array.from(tokens),
    sequence: sequence as Saved["sequence"],
    ...(lists.length > 0 && {
      guides: Object.fromEntries(lists.map(([name, ids]) => [name, Int32Array.from(ids as number[])])),
    }),
  };
}

const isTokens = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((token) => Number.isInteger(token) && token >= 0 && token < 2 ** 31);
