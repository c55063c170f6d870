/** Columns that the host feeds, sparse pairs, dense rows or bits, in the table's order. */
import { emit } from "../graph/build.js";
import type { Dim, Feature, FeaturePart, NodeId, TextSource } from "../graph/graph.js";
import type { Interval } from "../graph/interval.js";
import { inputName } from "../graph/sets.js";
import { LIMITS } from "../limits/format.js";
import { askGrammar } from "../table/asked.js";
import { clampLogits, column, scalar } from "../table/columns.js";
import type { Lowering } from "../table/lowering.js";
import { pickedToken } from "./pick.js";
import type { NodeValue } from "../table/value.js";

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
  askGrammar(cx, key, feature);
  const known = cx.featureColumns.get(key);
  const whole = known ?? make();
  cx.featureColumns.set(key, whole);
  return inTableOrder(cx, whole);
}

/** The most tokens that a window of these sizes can have; a negative size means all of the text. */
export function windowCapacity({ lo, hi }: Interval, source: TextSource | undefined): Dim {
  const given = typeof source === "object" ? source.capacity : Infinity;
  const isAll = lo < 0 || hi > LIMITS.dim;
  if (isAll && given === Infinity) return "V";
  return isAll ? given : Math.max(1, Math.min(Math.floor(hi), given));
}

/** A column over the whole vocabulary in the table's order. */
function inTableOrder(cx: Lowering, whole: NodeId): NodeValue {
  const { ids } = cx.table;
  return column(cx, ids === undefined ? whole : emit(cx.builder, "get_rows", [whole, ids]));
}

/** The model's logits, whatever stages came before. */
export const rawLogitOf = (cx: Lowering): NodeValue => inTableOrder(cx, wholeRawLogit(cx));

/** The softmax of the model's logits over the whole vocabulary. */
export const rawProbOf = (cx: Lowering): NodeValue => inTableOrder(cx, wholeRawProb(cx));

/** Their values in the picked row: those of the token, whatever order the table has. */
export const pickedRawLogit = (cx: Lowering): NodeValue => ofPickedToken(cx, wholeRawLogit(cx));
export const pickedRawProb = (cx: Lowering): NodeValue => ofPickedToken(cx, wholeRawProb(cx));

const ofPickedToken = (cx: Lowering, whole: NodeId): NodeValue =>
  scalar(cx, emit(cx.builder, "get_rows", [whole, pickedToken(cx)]));

const wholeRawLogit = (cx: Lowering): NodeId => clampLogits(cx, 0);

const wholeRawProb = (cx: Lowering): NodeId => emit(cx.builder, "soft_max", [wholeRawLogit(cx)]);

/** Without a range, the values may also be infinite. */
function addFeature(cx: Lowering, feature: Feature, range: Interval | undefined): NodeId {
  cx.meter.check("features", cx.features.length + 1);
  const index = cx.features.push(feature) - 1;
  const leaf = (kind: FeaturePart, dtype: "f32" | "i32", dim: Dim): NodeId => {
    cx.meter.check("inputs", cx.inputs.length + 1);
    const input = cx.inputs.push({ name: inputName(feature, kind), dtype, dim, source: { kind, feature: index } }) - 1;
    return emit(cx.builder, "input", [], { index: input, dtype, dim }, range ? { range } : {});
  };
  const { form } = feature;
  if (form.kind !== "sparse") return leaf(form.kind, "f32", "V");
  const rest = emit(cx.builder, "fill", [], { value: form.fill, dim: "V" });
  const ids = leaf("ids", "i32", form.capacity);
  const values = leaf("values", "f32", form.capacity);
  return emit(cx.builder, "set_rows", [rest, values, ids], {}, range ? { range } : {});
}
