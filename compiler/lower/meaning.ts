/** Statements that do not mean what they seem to: banning a token by a logit of minus infinity, and asking rows about the text. */
import type { Diagnostic, Fix } from "../diagnostics/diagnostic.js";
import { infiniteLogit, textOfRows } from "../diagnostics/statements.js";
import { isStdSource } from "../std/library.js";
import type { Expr, Stmt } from "../check/tree.js";
import { expressionsOf } from "../check/walk.js";
import { textAt } from "../source/source.js";
import { aboutOf, combined, LOGIT, type About } from "./about.js";
import type { ChainLowering } from "./chainLowering.js";
import type { Scope } from "./scope.js";

/** Checks a statement before it is lowered; the standard library means what it says. */
export function checkMeaning(cx: ChainLowering, scope: Scope, s: Stmt): void {
  if (isStdSource(scope.source)) return;
  const report = (d: Diagnostic): void => void cx.diagnostics.push(d);
  const known = { ...scope, meter: cx.meter };
  const abouts = expressionsOf(s).map((e) =>
    aboutOf(known, e, ({ callee }, argument) => {
      if (argument.readsText && !argument.readsRows && cx.dropped)
        report(textOfRows(callee.span, callee.text, placeOf(cx.dropped, cx)));
    }),
  );
  if (s.kind === "let") scope.abouts.set(s.local, abouts[0]!);
  if (s.kind === "assign" && !s.state && assigned(s, abouts[0]!).bounds.lo === -Infinity)
    report(infiniteLogit(s.span, fixOf(s)));
}

/** The statement that dropped rows, or its stage if that is another one. */
const placeOf = ({ statement, call }: NonNullable<ChainLowering["dropped"]>, cx: ChainLowering): Diagnostic["span"] =>
  call && call !== cx.call ? call : statement;

type Assign = Extract<Stmt, { kind: "assign" }>;

const assigned = ({ op }: Assign, value: About): About => (op === "=" ? value : combined(op[0]!, LOGIT, value));

/** `logit = c ? -inf : logit` drops the rows where c holds. */
function fixOf({ target, op, value, span }: Assign): Fix | undefined {
  if (op !== "=" || value.kind !== "conditional") return undefined;
  const condition = textAt(value.cond.span);
  const [then, other] = [value.then, value.else];
  const isSame = (e: Expr): boolean => e.kind === "builtin" && e.name === target.text;
  if (isMinusInfinity(then) && isSame(other)) return { kind: "replace", span, text: `keep not (${condition})` };
  if (isSame(then) && isMinusInfinity(other)) return { kind: "replace", span, text: `keep ${condition}` };
  return undefined;
}

const isMinusInfinity = (e: Expr): boolean =>
  e.kind === "unary" && e.op === "-" && e.operand.kind === "number" && e.operand.value === Infinity;
