/** The columns of a graph's constant inputs, for a module's memory. */
import { nativeError } from "./instance.js";

/** Throws INVALID_ARGUMENT unless they are Float32Arrays of one size. */
export function checkedColumns(columns: readonly Float32Array[]): readonly Float32Array[] {
  const isList: boolean = Array.isArray(columns);
  if (!isList || columns.some((column) => !(column instanceof Float32Array)))
    throw nativeError("INVALID_ARGUMENT", "columns: expected an array of Float32Arrays");
  if (columns.some(({ length }) => length !== columns[0]!.length))
    throw nativeError("INVALID_ARGUMENT", "columns: expected Float32Arrays of the same length");
  return columns;
}

/** One after the other. */
export function joinColumns(columns: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const size = columns[0]?.length ?? 0;
  const joined = new Float32Array(columns.length * size);
  columns.forEach((column, i) => joined.set(column, i * size));
  return joined;
}
