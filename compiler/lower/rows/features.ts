/** Columns that the host feeds, sparse pairs or dense rows, in the table's order. */
import { emit } from "../../graph/build.js";
import type { Dim, Feature, NodeId } from "../../graph/graph.js";
import type { Interval } from "../../graph/interval.js";
import { clampLogits, column } from "./columns.js";
import type { Lowering } from "./lowering.js";
import type { NodeValue } from "./value.js";

/** The column of a feature with values in `range`. Each feature is fed once, however often it is used. */
export const featureColumn = (cx: Lowering, feature: Feature, range: Interval): NodeValue =>
  columnOf(cx, feature, () => addFeature(cx, feature, range));

/** The logits of another sequence, finite like the sequence's own. */
export function guideColumn(cx: Lowering, name: string): NodeValue {
  const feature: Feature = { form: { kind: "dense" }, from: { kind: "guide", name } };
  return columnOf(cx, feature, () => clampLogits(cx, addFeature(cx, feature, undefined), name));
}

function columnOf(cx: Lowering, feature: Feature, make: () => NodeId): NodeValue {
  const key = JSON.stringify(feature);
  const known = cx.featureColumns.get(key);
  const whole = known ?? make();
  cx.featureColumns.set(key, whole);
  const { ids } = cx.table;
  return column(cx, ids === undefined ? whole : emit(cx.builder, "get_rows", [whole, ids]));
}

/** Without a range, the values may also be infinite. */
function addFeature(cx: Lowering, feature: Feature, range: Interval | undefined): NodeId {
  cx.meter.check("features", cx.features.length + 1);
  const index = cx.features.push(feature) - 1;
  const name = "name" in feature.from ? feature.from.name : feature.from.kind;
  const leaf = (kind: "dense" | "ids" | "values", dtype: "f32" | "i32", dim: Dim): NodeId => {
    cx.meter.check("inputs", cx.inputs.length + 1);
    const label = kind === "dense" ? name : `${name}.${kind}`;
    const input = cx.inputs.push({ name: label, dtype, dim, source: { kind, feature: index } }) - 1;
    return emit(cx.builder, "input", [], { index: input, dtype, dim }, range ? { range } : {});
  };
  const { form } = feature;
  if (form.kind === "dense") return leaf("dense", "f32", "V");
  const rest = emit(cx.builder, "fill", [], { value: form.fill, dim: "V" });
  const ids = leaf("ids", "i32", form.capacity);
  const values = leaf("values", "f32", form.capacity);
  return emit(cx.builder, "set_rows", [rest, values, ids], {}, range ? { range } : {});
}
