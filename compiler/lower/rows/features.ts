/** Columns that the host feeds: sparse pairs scattered over the vocabulary, or dense rows, brought into the table's order. */
import { evaluateConstant } from "../../check/constants.js";
import type { Module } from "../../check/program.js";
import { countTooLarge, mustBeWhole } from "../../check/diagnostics/types.js";
import { emit } from "../../graph/build.js";
import { LIMITS } from "../../graph/verify.js";
import type { Dim, Feature, FeatureSource, NodeId } from "../../graph/graph.js";
import type { Interval } from "../../graph/interval.js";
import * as I from "../../graph/interval.js";
import type { Arg, Expr, InputDecl } from "../../syntax/ast.js";
import type { Lowering } from "./lowering.js";
import { lowerExpr } from "../expr.js";
import type { Scope } from "../scope.js";
import { column } from "./columns.js";
import { isConstant, type NodeValue } from "./value.js";

/** The most pairs that `bias` takes: as many as the APIs that requests come from. */
const BIAS_CAPACITY = 300;

const COUNTS = I.interval(0, 2 ** 24);

/** The column of a feature function, or nothing if `name` is not one. */
export function featureOf(cx: Lowering, scope: Scope, name: string, args: readonly Arg[]): NodeValue | undefined {
  const first = args[0]?.value;
  if (name === "allowed")
    return featureColumn(
      cx,
      { form: { kind: "dense" }, from: { kind: "allowed", grammar: textOf(scope, first!) } },
      I.UNIT,
    );
  if (name !== "occurrences" && name !== "repeat_len") return undefined;
  const last = lowerExpr(cx, scope, first!);
  if (!isConstant(last)) throw new Error("the window of a feature is known when compiling");
  if (!Number.isInteger(last.expr))
    cx.diagnostics.push(mustBeWhole(first!.span, `the window of \`${name}\``, String(last.expr)));
  if (last.expr > LIMITS.dim)
    cx.diagnostics.push(countTooLarge(first!.span, `the window of \`${name}\``, LIMITS.dim, last.expr));
  const from: FeatureSource =
    name === "occurrences"
      ? { kind: "occurrences", last: last.expr }
      : { kind: "repeat_len", last: last.expr, breakers: listOf(scope, args[1]?.value) };
  const capacity: Dim = last.expr < 0 ? "V" : Math.max(1, last.expr);
  return featureColumn(cx, { form: { kind: "sparse", capacity, fill: 0 }, from }, COUNTS);
}

export const biasColumn = (cx: Lowering): NodeValue =>
  featureColumn(cx, { form: { kind: "sparse", capacity: BIAS_CAPACITY, fill: 0 }, from: { kind: "bias" } }, I.FINITE);

export function inputColumn(cx: Lowering, { name, sparse }: InputDecl, module: Module): NodeValue {
  const constant = (e: Expr): number => evaluateConstant(e, module) ?? 0;
  const form: Feature["form"] = sparse
    ? { kind: "sparse", capacity: constant(sparse.capacity), fill: constant(sparse.fill) }
    : { kind: "dense" };
  return featureColumn(cx, { form, from: { kind: "input", name: name.text } }, I.FINITE);
}

/** The same feature is fed once, however often it is used. */
function featureColumn(cx: Lowering, feature: Feature, range: Interval): NodeValue {
  const key = JSON.stringify(feature);
  const known = cx.featureColumns.get(key);
  const whole = known ?? addFeature(cx, feature, range);
  cx.featureColumns.set(key, whole);
  const { ids } = cx.table;
  return column(cx, ids === undefined ? whole : emit(cx.builder, "get_rows", [whole, ids]));
}

function addFeature(cx: Lowering, feature: Feature, range: Interval): NodeId {
  const index = cx.features.push(feature) - 1;
  const name = feature.from.kind === "input" ? feature.from.name : feature.from.kind;
  const leaf = (kind: "dense" | "ids" | "values", dtype: "f32" | "i32", dim: Dim): NodeId => {
    const label = kind === "dense" ? name : `${name}.${kind}`;
    const input = cx.inputs.push({ name: label, dtype, dim, source: { kind, feature: index } }) - 1;
    return emit(cx.builder, "input", [], { index: input, dtype, dim }, { range });
  };
  const { form } = feature;
  if (form.kind === "dense") return leaf("dense", "f32", "V");
  const rest = emit(cx.builder, "fill", [], { value: form.fill, dim: "V" });
  const ids = leaf("ids", "i32", form.capacity);
  const values = leaf("values", "f32", form.capacity);
  return emit(cx.builder, "set_rows", [rest, values, ids], {}, { range });
}

function textOf(scope: Scope, expr: Expr): string {
  const value = expr.kind === "name" ? scope.args.get(expr.text) : expr;
  if (value?.kind !== "string") throw new Error("a text passed the checker that is none");
  return value.value;
}

function listOf(scope: Scope, expr: Expr | undefined): (string | number)[] {
  const list = expr?.kind === "name" ? scope.args.get(expr.text) : expr;
  if (list?.kind !== "list") throw new Error("a list passed the checker that is none");
  return list.values.map((v) => (v.kind === "string" ? v.value : (evaluateConstant(v, scope.module) ?? 0)));
}
