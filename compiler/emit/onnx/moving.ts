/** Emitters of ops that move rows. */
import type { OpName } from "../../graph/ops.js";
import { TO_END, type Builder, type Emitter, type Name, type Value } from "./builder.js";

const getRows: Emitter = (b, { operands: [x, rows] }) => {
  const [from, at] = together(b, [x!, inside(b, rows!, x!)]);
  return b.add("GatherElements", [from!, at!], { axis: 1 });
};

const setRows: Emitter = (b, { operands: [x, y, rows] }) => {
  const [to, values, at] = together(b, [x!, y!, inside(b, rows!, x!)]);
  return b.add("ScatterElements", [to!, at!, values!], { axis: 1 });
};

/** These operators do not broadcast over the batch. */
function together(b: Builder, values: readonly Value[]): Name[] {
  const isBatched = values.some((value) => value.isBatched);
  return values.map((value) => (isBatched ? b.batched(value) : value.name));
}

/** Ops whose positions are in range; those of an input are the host's, and wrong ones an error. */
const IN_RANGE: readonly OpName[] = ["argmax", "argsort", "top_k", "input"];

/** Positions that were computed, within the rows that they index. */
function inside(b: Builder, rows: Value, { dim }: Value): Value {
  if (IN_RANGE.includes(rows.op)) return rows;
  const known = b.knownRows(dim);
  const last = known === undefined ? b.add("Sub", [b.rows(dim), b.i64s(1)]) : b.i64s(known - 1);
  return { ...rows, name: b.add("Max", [b.add("Min", [rows.name, last]), b.i64s(0)]) };
}

const view: Emitter = (b, { operands: [x], attrs, dim }) => {
  const offset = attrs["offset"] as number;
  // a view from the end ends there
  const end = offset < 0 || dim === "V" ? TO_END : offset + dim;
  return b.slice(x!.name, offset, end);
};

const roll: Emitter = (b, { operands: [x], attrs, dim }) => {
  const shift = attrs["shift"] as number;
  const rows = b.knownRows(dim);
  const first =
    rows === undefined ? b.add("Mod", [b.i64s(-shift), b.rows(dim)]) : b.i64s(((-shift % rows) + rows) % rows);
  return b.add("Concat", [b.slice(x!.name, first, TO_END), b.slice(x!.name, 0, first)], { axis: 1 });
};

const cast: Emitter = (b, { operands: [x], attrs }) => b.cast(x!.name, attrs["to"] === "f32" ? "f32" : "i64");

export const MOVING = { get_rows: getRows, set_rows: setRows, view, roll, cast };
