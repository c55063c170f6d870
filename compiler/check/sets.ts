/** Sets of tokens in a program: literals, their entries, and the classes of tokens. */
import type { TokenItem } from "../graph/graph.js";
import { patternFault } from "../graph/patterns.js";
import { TOKEN_CLASSES, type TokenClass } from "../graph/sets.js";
import { isToken } from "../graph/values.js";
import type { Call, Expr, Part } from "../syntax/ast.js";
import type { Span } from "../syntax/source.js";
import { namesIn } from "../syntax/walk.js";
import { evaluateConstant } from "./constants.js";
import type { Sink } from "./diagnostics.js";
import { badPattern, emptyTokenText, notAnItem, notATokenId, unknownPart } from "./diagnostics/sets.js";
import { namedBuiltinArgument } from "./diagnostics/types.js";
import type { Module } from "./program.js";

/** The word of types, literals and classes. It is a name everywhere else. */
const WORD = "tokens";

export type SetLiteral = Call | Part;

/** `tokens(...)`, or a class such as `tokens.end`. */
export const isSetLiteral = (expr: Expr): expr is SetLiteral =>
  expr.kind === "part" || (expr.kind === "call" && expr.callee.text === WORD);

const isClass = (name: string): name is TokenClass => TOKEN_CLASSES.some((known) => known === name);

/** Reports the faults of a literal; `locals` are the names that are not constants. */
export function checkSetLiteral(
  module: Module,
  locals: ReadonlyMap<string, unknown>,
  literal: SetLiteral,
  diagnostics: Sink,
): void {
  if (literal.kind === "part") {
    const { of, name } = literal;
    if (of.text !== WORD || !isClass(name.text))
      diagnostics.push(unknownPart(of.text === WORD ? name.span : literal.span, of.text, name.text, TOKEN_CLASSES));
    return;
  }
  for (const { name, value } of literal.args) {
    if (name) diagnostics.push(namedBuiltinArgument(name.span, WORD, []));
    checkItem(module, locals, value, diagnostics);
  }
}

function checkItem(module: Module, locals: ReadonlyMap<string, unknown>, item: Expr, diagnostics: Sink): void {
  if (item.kind === "string") {
    if (item.value === "") diagnostics.push(emptyTokenText(item.span));
    return;
  }
  if (item.kind === "pattern") {
    const fault = patternFault(item.value);
    if (fault) diagnostics.push(badPattern(inside(item.span, fault.at), fault.message));
    return;
  }
  const isConstant = namesIn(item).every((name) => !locals.has(name));
  const id = isConstant && item.kind !== "bool" ? evaluateConstant(item, module) : undefined;
  if (id === undefined) diagnostics.push(notAnItem(item.span));
  else if (!isToken(id)) diagnostics.push(notATokenId(item.span, id));
}

/** The part of a pattern between the slashes. */
const inside = ({ source, start }: Span, at: { readonly start: number; readonly end: number }): Span => ({
  source,
  start: start + 1 + at.start,
  end: start + 1 + at.end,
});

/** The entries of a checked literal. */
export function itemsOf(literal: SetLiteral, module: Module): TokenItem[] {
  if (literal.kind === "part") return [{ class: literal.name.text as TokenClass }];
  return literal.args.map(({ value }): TokenItem => {
    if (value.kind === "string") return value.value;
    return value.kind === "pattern" ? { pattern: value.value } : (evaluateConstant(value, module) ?? 0);
  });
}

/** The entries of a literal, or of a constant that is one. */
export function itemsNamed(expr: Expr, module: Module): readonly TokenItem[] | undefined {
  if (isSetLiteral(expr)) return itemsOf(expr, module);
  const declared = expr.kind === "name" ? module.scope.get(expr.text) : undefined;
  return declared?.declaration.kind === "const" ? itemsNamed(declared.declaration.value, declared.module) : undefined;
}
