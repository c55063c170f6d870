/** Statements: each changes the candidate table, or picks. */
import { writeUnknown } from "../diagnostics/statements.js";
import { countTooLarge, runtimeOrder } from "../diagnostics/types.js";
import * as I from "../graph/interval.js";
import { LIMITS } from "../limits/format.js";
import type { Expr, Stmt } from "../check/tree.js";
import { allExpressions, partsOf, statementsIn } from "../check/walk.js";
import { isStdSource } from "../std/library.js";
import { lineColumn, type Span } from "../source/source.js";
import * as A from "../table/arith.js";
import { noteFirst, under } from "../table/asked.js";
import * as C from "../table/conditions.js";
import type { ChainLowering } from "./chainLowering.js";
import { checkMeaning } from "./meaning.js";
import { rejectRule } from "./grammarRules.js";
import { lowerCondition, lowerExpr, lowerIndex, lowerStream, oneText } from "./expr.js";
import { drawFrom } from "../table/draws.js";
import { readState, stateValue, type Scope } from "./scope.js";
import { keepRows } from "../rows/keep.js";
import { pickArgmax, pickSample } from "../rows/pick.js";
import { assignLogit, replaceTable, sortRows, topRows } from "../rows/changes.js";
import { aliveOf, logitOf } from "../table/columns.js";
import { cloneTable, type Mask, type Table } from "../table/table.js";
import { numberOf, unchecked } from "../table/unchecked.js";
import { constant, uniformOp, uniformValue, type NodeValue, type Value } from "../table/value.js";

type Of<Kind extends Stmt["kind"]> = Extract<Stmt, { kind: Kind }>;

export function lowerBody(cx: ChainLowering, scope: Scope, body: readonly Stmt[]): void {
  for (const statement of body) lowerStmt(cx, scope, statement);
}

function lowerStmt(cx: ChainLowering, scope: Scope, s: Stmt): void {
  if (!cx.picked && isAfterPick(s)) return defer(cx, scope, s);
  setOrigin(cx, s.span);
  checkMeaning(cx, scope, s);
  const { table } = cx;
  const { version } = table;
  lowerKind(cx, scope, s);
  const mayDrop = s.kind === "keep" || s.kind === "top";
  if (mayDrop && table.version !== version) cx.dropped ??= { statement: s.span, call: cx.call };
}

/** Whether a statement is about the picked row. */
const isAfterPick = (s: Stmt): boolean =>
  (s.kind === "after" || s.kind === "stop") && allExpressions([s]).some(readsPicked);

const readsPicked = (e: Expr): boolean =>
  (e.kind === "call" && e.builtin.needs === "pick") || partsOf(e).some(readsPicked);

/** Leaves a statement for after the chain's pick, with the table as it is here. */
function defer(cx: ChainLowering, scope: Scope, s: Stmt): void {
  const { call } = cx;
  const here = { table: cloneTable(cx.table), lateStage: cx.stages.length - 1, call };
  cx.deferred.push({
    span: s.span,
    lower: () => {
      const { table, lateStage, call: last } = cx;
      Object.assign(cx, here);
      lowerStmt(cx, scope, s);
      Object.assign(cx, { table, lateStage, call: last });
    },
  });
}

function lowerKind(cx: ChainLowering, scope: Scope, s: Stmt): void {
  switch (s.kind) {
    case "let":
      cx.table.lets.set(s.local, { value: lowerExpr(cx, scope, s.value), version: cx.table.version });
      return;
    case "assign":
      return lowerAssign(cx, scope, s);
    case "keep": {
      const condition = lowerCondition(cx, scope, s.cond);
      const least = s.atLeast ? lowerExpr(cx, scope, s.atLeast) : constant(1);
      if (!cx.dropped && !cx.blend) noteFirst(cx, condition, least);
      return keepRows(cx, condition, least);
    }
    case "sort":
      if (rejectInBlend(cx, s.span, "sort")) return;
      sortRows(cx, s.by && asKey(cx, lowerExpr(cx, scope, s.by)), s.order);
      return noteKey(cx, s.by);
    case "top": {
      if (rejectInBlend(cx, s.span, "top")) return;
      const k = numberOf(lowerExpr(cx, scope, s.count), "a count of `top`");
      if (k > LIMITS.dim) {
        cx.diagnostics.push(countTooLarge(s.count.span, "the count of `top`", LIMITS.dim, k));
        return;
      }
      const by = s.by && asKey(cx, lowerExpr(cx, scope, s.by));
      topRows(cx, Math.max(1, Math.trunc(k)), by);
      return noteKey(cx, s.by);
    }
    case "if":
      return lowerIf(cx, scope, s);
    case "pick":
      if (rejectInBlend(cx, s.span, "pick")) return;
      return lowerPick(cx, scope, s);
    case "state":
      return declareState(cx, scope, s);
    case "after":
      return s.body.forEach((t) => lowerStmt(cx, scope, t));
    case "measure":
      cx.meter.check("measures", cx.measures.length + 1);
      cx.measures.push({
        name: unusedName(cx.measures, s.name.text),
        node: A.scalarNode(cx, lowerExpr(cx, scope, s.value)),
      });
      return;
    case "stop": {
      const condition = lowerCondition(cx, scope, s.cond);
      if (condition.range.hi <= 0) return;
      cx.meter.check("stops", cx.stops.length + 1);
      const stage = cx.lateStage ?? cx.stages.length - 1;
      cx.stops.push({ name: s.reason, node: A.scalarNode(cx, condition), stage, start: s.span.start });
      return;
    }
    case "write":
      return lowerWrite(cx, scope, s);
  }
}

/** A text that begins where the condition holds and did not hold at the place before, which a state remembers. */
function lowerWrite(cx: ChainLowering, scope: Scope, s: Of<"write">): void {
  const text = oneText(scope, s.text);
  const holds = lowerExpr(cx, scope, s.cond);
  if (text === "" || holds.range.hi <= 0) return;
  if (holds.kind !== "uniform") {
    // an argument of a function
    cx.diagnostics.push(writeUnknown(s.cond.span));
    return;
  }
  cx.meter.check("writes", cx.writes.length + 1);
  cx.meter.check("states", cx.states.length + 1);
  const state = cx.states.push({ name: unusedName(cx.states, "writing"), init: 0 }) - 1;
  cx.stateNames[state] = undefined;
  cx.next.set(state, holds);
  cx.writes.push({ text, when: uniformOp("and", holds, uniformOp("not", uniformValue({ state }, I.UNIT))).expr });
}

/** Sets the source location of the nodes that follow. */
export function setOrigin(cx: ChainLowering, span: Span): void {
  cx.at = span;
  cx.meter.spend(1);
  const stage = cx.lateStage ?? cx.stages.length - 1;
  cx.builder.origin = { stage, file: span.source.name, ...lineColumn(span.source, span.start) };
}

/** New logits, or, after the pick, the next value of a state. */
function lowerAssign(cx: ChainLowering, scope: Scope, { state: assigned, op, value }: Of<"assign">): void {
  const state = assigned && scope.states.get(assigned);
  if (state === undefined) return assign(cx, lowerAssigned(cx, scope, op, logitOf(cx), value));
  cx.next.set(state, lowerAssigned(cx, scope, op, readState(cx, state), value));
}

/** A name that no earlier state or measure of the chain has: a sampler that is used twice has `x`, then `x2`. */
function unusedName(present: readonly { readonly name: string }[], name: string): string {
  const taken = new Set(present.map((p) => p.name));
  let own = name;
  for (let use = 2; taken.has(own); use++) own = `${name}${use}`;
  return own;
}

function declareState(cx: ChainLowering, scope: Scope, { name: declared, local, init: given }: Of<"state">): void {
  const init = lowerExpr(cx, scope, given);
  rejectRule(cx, init, given, "before the first token, where a state begins");
  const name = declared.text;
  const { type } = local.type;
  if (init.kind !== "uniform") unchecked("a state that does not begin with a uniform value");
  cx.meter.check("states", cx.states.length + 1);
  const index =
    cx.states.push({ name: unusedName(cx.states, name), ...(type === "i32" && { type }), init: init.expr }) - 1;
  cx.stateNames[index] = isStdSource(scope.source) ? undefined : declared;
  scope.states.set(local, index);
}

/** `target op value` as one value. */
function lowerAssigned(cx: ChainLowering, scope: Scope, op: string, target: Value, value: Expr): Value {
  const v = lowerExpr(cx, scope, value);
  switch (op) {
    case "+=":
      return A.add(cx, target, v);
    case "-=":
      return A.sub(cx, target, v);
    case "*=":
      return A.mul(cx, target, v);
    case "/=":
      return A.div(cx, target, v);
    default:
      return v;
  }
}

const assign = (cx: ChainLowering, value: Value): void => assignLogit(cx, A.asColumn(cx, value, cx.table.dim));

/** A sort key; undefined for the logits themselves. */
function asKey(cx: ChainLowering, by: Value): NodeValue | undefined {
  const column = A.asColumn(cx, by, cx.table.dim);
  return column.id === logitOf(cx).id ? undefined : column;
}

/** A key that is not `logit` is one of its own, also where its values are the present logits: the order does not change with them. */
function noteKey(cx: ChainLowering, by: Expr | undefined): void {
  if (by && !(by.kind === "builtin" && by.builtin.isAssignable))
    cx.table.order = { isOwn: false, ...cx.table.order, by: "byKey" };
}

function rejectInBlend(cx: ChainLowering, span: Span, what: string): boolean {
  if (!cx.blend) return false;
  cx.diagnostics.push(runtimeOrder(span, what, cx.blend));
  return true;
}

function lowerPick(cx: ChainLowering, scope: Scope, s: Of<"pick">): void {
  cx.picked =
    s.how === "sample"
      ? pickSample(
          cx,
          drawFrom(cx, "f64", lowerStream(cx, scope, s.value, undefined), s.at && lowerIndex(cx, scope, s.at)),
        )
      : pickArgmax(cx, lowerExpr(cx, scope, s.value));
}

// ---------------------------------------------------------------- if

/** A constant condition selects a branch; any other runs both and blends their results. */
function lowerIf(cx: ChainLowering, scope: Scope, s: Of<"if">): void {
  const condition = lowerExpr(cx, scope, s.cond);
  const isThen = condition.range.lo >= 1;
  if (isThen || condition.range.hi <= 0) {
    const [taken, other] = isThen ? [s.then, s.else] : [s.else, s.then];
    cx.sortsOtherwise ||= sorts(other);
    return taken.forEach((t) => lowerStmt(cx, scope, t));
  }
  const before = { table: cx.table, next: cx.next, blend: cx.blend };
  // each branch copies them
  cx.meter.spend(2 * (cx.table.lets.size + cx.table.cache.size + cx.next.size));
  cx.blend = s.cond.span;
  const [whenTrue, whenFalse] = [s.then, s.else].map((body, i): Branch => {
    cx.table = cloneTable(before.table);
    cx.next = new Map(before.next);
    under(cx, condition, i === 0, () => body.forEach((t) => lowerStmt(cx, scope, t)));
    return { table: cx.table, next: cx.next };
  }) as [Branch, Branch];
  Object.assign(cx, before);
  blendTables(cx, condition, whenTrue.table, whenFalse.table);
  blendStates(cx, condition, whenTrue.next, whenFalse.next);
}

/** Whether a body sorts the rows, in some branch. */
const sorts = (body: readonly Stmt[]): boolean =>
  body.some((s) => s.kind === "sort" || s.kind === "top" || (s.kind === "if" && sorts(statementsIn(s))));

/** The result of one branch of an `if`. */
type Branch = Pick<ChainLowering, "table" | "next">;

/** A state that only one branch assigns keeps its value in the other. */
function blendStates(cx: ChainLowering, condition: Value, a: Branch["next"], b: Branch["next"]): void {
  for (const state of new Set([...a.keys(), ...b.keys()])) {
    const present = stateValue(cx, state);
    cx.next.set(state, C.select(cx, condition, a.get(state) ?? present, b.get(state) ?? present));
  }
}

function blendTables(cx: ChainLowering, condition: Value, a: Table, b: Table): void {
  const before = cx.table;
  const inside = <T>(t: Table, read: () => T): T => {
    cx.table = t;
    const result = read();
    cx.table = before;
    return result;
  };
  const hasSameMask = a.mask?.value === b.mask?.value;
  if (!hasSameMask || a.assigned !== b.assigned) {
    const [logitA, logitB] = [inside(a, () => logitOf(cx)), inside(b, () => logitOf(cx))];
    const [aliveA, aliveB] = [inside(a, () => aliveOf(cx)), inside(b, () => aliveOf(cx))];
    const isPacked = a.isPacked && b.isPacked;
    const logit = A.asColumn(cx, C.select(cx, condition, logitA, logitB), before.dim);
    const full = (): Mask => ({
      value: A.asColumn(cx, C.select(cx, condition, aliveA, aliveB), before.dim),
      isFull: true,
    });
    const mask = hasSameMask && a.raw.id === b.raw.id ? a.mask : full();
    replaceTable(cx, logit, { mask, isPacked });
  }
}
