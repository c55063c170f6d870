/**
 * When the grammars of a chain are asked. A grammar under a condition that the host knows before the graph runs is asked only where the
 * condition holds; one under a condition of rows or logits counts as asked.
 */
import type { Feature } from "../graph/graph.js";
import type { Lowering } from "./lowering.js";
import { constant, isConstant, uniformOp, type UniformValue, type Value } from "./value.js";

/** Notes that a column is evaluated where the present conditions hold. */
export function askGrammar(cx: Lowering, key: string, { from }: Feature): void {
  if (from.kind === "allowed")
    note(
      cx,
      key,
      cx.conditions.reduce((a, b) => uniformOp("and", a, b), constant(1)),
    );
}

function note(cx: Lowering, key: string, when: UniformValue, isFirst = false): void {
  const before = cx.asked.get(key);
  const both =
    before === undefined || isAlways(when) ? when : isAlways(before.when) ? before.when : either(before.when, when);
  cx.asked.set(key, { when: both, isFirst: isFirst || before?.isFirst === true });
}

const isAlways = (when: UniformValue): boolean => when.range.lo >= 1;

const either = (a: UniformValue, b: UniformValue): UniformValue =>
  JSON.stringify(a.expr) === JSON.stringify(b.expr) ? a : uniformOp("or", a, b);

/** Evaluates where a condition holds too, or does not hold. */
export function under<T>(cx: Lowering, condition: Value, holds: boolean, evaluate: () => T): T {
  if (condition.kind === "node") return evaluate();
  const before = cx.conditions;
  cx.conditions = [...before, holds ? condition : uniformOp("not", condition)];
  try {
    return evaluate();
  } finally {
    cx.conditions = before;
  }
}

/** `a and b`, `a or b`: where one of them decides, the grammars of the other are not asked. */
export function eitherSide(cx: Lowering, needed: boolean, left: () => Value, right: () => Value): [a: Value, b: Value] {
  const before = cx.asked;
  cx.asked = new Map();
  const a = left();
  const ofLeft = cx.asked;
  cx.asked = before;
  const b = under(cx, a, needed, right);
  for (const [key, { when }] of ofLeft) {
    const asked = b.kind === "node" ? when : uniformOp("and", when, needed ? b : uniformOp("not", b));
    note(cx, key, asked);
  }
  return [a, b];
}

/** Notes that the rows where `condition` holds are kept, if these are what a grammar allows and none was dropped before. */
export function noteFirst(cx: Lowering, condition: Value, minimum: Value): void {
  if (condition.kind !== "node" || !isConstant(minimum) || minimum.expr > 1) return;
  for (const [key, { when }] of cx.asked)
    if (isAlways(when) && cx.featureColumns.get(key) === condition.id) note(cx, key, when, true);
}

/** The features of a chain that is lowered, with when its grammars are asked. */
export const askedFeatures = ({ features, asked }: Pick<Lowering, "features" | "asked">): Feature[] =>
  features.map((feature) => {
    const { from } = feature;
    const found = from.kind === "allowed" ? asked.get(JSON.stringify(feature)) : undefined;
    if (from.kind !== "allowed" || !found) return feature;
    const { when, isFirst } = found;
    const facts = { ...(!isAlways(when) && { when: when.expr }), ...(isFirst && { first: true as const }) };
    return { ...feature, from: { ...from, ...facts } };
  });
