/**
 * Parts of the language that are checked in full but compiled only where they are switched on: what uses one that is off
 * is reported, wherever it stands.
 */
import type { Declaration, Expr, Param, StageCall, Stmt } from "../syntax/ast.js";
import type { Span } from "../syntax/source.js";
import { children, expressionsOf } from "../syntax/walk.js";
import { FUNCTIONS, NAMES } from "./builtins.js";
import type { Diagnostic } from "./diagnostics.js";
import { notAvailable } from "./diagnostics/names.js";

/**
 * `state`: `state` and `after pick`. `input`: `input` declarations. `history`: columns made from the text so far.
 * `test`: test blocks. `host`: the host tail.
 */
export type Feature = "state" | "input" | "history" | "test" | "host";

interface Use {
  readonly feature: Feature;
  readonly span: Span;
  readonly what: string;
}

/** The uses in a declaration of features that are off. */
export const unavailableIn = (declaration: Declaration, features: ReadonlySet<Feature>): Diagnostic[] =>
  usesIn(declaration)
    .filter(({ feature }) => !features.has(feature))
    .map(({ span, what }) => notAvailable(span, what));

function usesIn(d: Declaration): Use[] {
  switch (d.kind) {
    case "import":
      return [];
    case "const":
      return inExpr(d.value);
    case "input":
      return [{ feature: "input", span: d.span, what: "`input`" }];
    case "test":
      return [{ feature: "test", span: d.span, what: "`test`" }];
    case "sampler":
      return [...d.params.flatMap(inParam), ...d.body.flatMap(inStmt)];
    case "chain":
      return [...d.params.flatMap(inParam), ...d.stages.flatMap(inStage)];
  }
}

const inParam = (p: Param): Use[] => (p.default ? inExpr(p.default) : []);

const inStage = (s: StageCall): Use[] => [
  ...(s.isHost ? [{ feature: "host", span: s.span, what: "`host`" } as const] : []),
  ...s.args.flatMap(({ value }) => inExpr(value)),
];

function inStmt(s: Stmt): Use[] {
  const inside = s.kind === "if" ? [...s.then, ...(s.else ?? [])] : s.kind === "after" ? s.body : [];
  const own: Use[] =
    s.kind === "state"
      ? [{ feature: "state", span: s.span, what: "`state`" }]
      : s.kind === "after"
        ? [{ feature: "state", span: s.span, what: "`after pick`" }]
        : [];
  return [...own, ...expressionsOf(s).flatMap(inExpr), ...inside.flatMap(inStmt)];
}

function inExpr(e: Expr): Use[] {
  const inside = children(e).flatMap(inExpr);
  if (e.kind !== "name" && e.kind !== "call") return inside;
  const name = e.kind === "name" ? e.text : e.callee.text;
  const table: Readonly<Record<string, { readonly feature?: Feature }>> = e.kind === "name" ? NAMES : FUNCTIONS;
  const feature = Object.hasOwn(table, name) ? table[name]?.feature : undefined;
  return feature ? [{ feature, span: e.span, what: `\`${name}\`` }, ...inside] : inside;
}
