/** Columns that the host feeds, sparse pairs or dense rows, in the table's order. */
import { emit } from "../../graph/build.js";
import type { Dim, Feature, NodeId } from "../../graph/graph.js";
import type { Interval } from "../../graph/interval.js";
import { inputName } from "../../graph/sets.js";
import { column } from "./columns.js";
import type { Lowering } from "./lowering.js";
import type { NodeValue } from "./value.js";

/** The column of a feature with values in `range`. Each feature is fed once, however often it is used. */
export function featureColumn(cx: Lowering, feature: Feature, range: Interval): NodeValue {
  const key = JSON.stringify(feature);
  const known = cx.featureColumns.get(key);
  const whole = known ?? addFeature(cx, feature, range);
  cx.featureColumns.set(key, whole);
  const { ids } = cx.table;
  return column(cx, ids === undefined ? whole : emit(cx.builder, "get_rows", [whole, ids]));
}

function addFeature(cx: Lowering, feature: Feature, range: Interval): NodeId {
  cx.meter.check("features", cx.features.length + 1);
  const index = cx.features.push(feature) - 1;
  const leaf = (kind: "dense" | "ids" | "values", dtype: "f32" | "i32", dim: Dim): NodeId => {
    cx.meter.check("inputs", cx.inputs.length + 1);
    const input = cx.inputs.push({ name: inputName(feature, kind), dtype, dim, source: { kind, feature: index } }) - 1;
    return emit(cx.builder, "input", [], { index: input, dtype, dim }, { range });
  };
  const { form } = feature;
  if (form.kind === "dense") return leaf("dense", "f32", "V");
  const rest = emit(cx.builder, "fill", [], { value: form.fill, dim: "V" });
  const ids = leaf("ids", "i32", form.capacity);
  const values = leaf("values", "f32", form.capacity);
  return emit(cx.builder, "set_rows", [rest, values, ids], {}, { range });
}
