/** Types, and the scope of an expression. */
import type { Rate, Result } from "../builtins/builtin.js";
import { builtinKind } from "../builtins/builtins.js";
import type { Expr, Name, Repeat, ScalarType } from "../syntax/ast.js";
import type { Span } from "../syntax/source.js";
import { namesIn } from "../syntax/walk.js";
import type { Diagnostic, Sink } from "./diagnostics.js";
import { declaredTwice, shadowsBuiltin } from "./diagnostics/names.js";
import type { Module } from "./program.js";
import { greatest } from "../extremes.js";

export interface Type {
  /** `error` is already reported; it suppresses subsequent errors. */
  readonly type: ScalarType | "error";
  readonly shape: "scalar" | "column";
  readonly rate: Rate;
}

export const ERROR: Type = { type: "error", shape: "scalar", rate: "static" };
export const scalarType = (type: Type["type"], rate: Rate): Type => ({ type, shape: "scalar", rate });

/** A parameter, a `let` or a state, and the span of its declaration. */
export interface Local {
  readonly type: Type;
  readonly isLet?: boolean;
  readonly span: Span;
}

/** The scope of an expression. */
export interface Scope {
  readonly module: Module;
  readonly names: ReadonlyMap<string, Local>;
  /** The parameters that can change with every token. */
  readonly uniforms: ReadonlySet<string>;
  /** In a sampler. Whether its rows are sorted is known when a chain is lowered. */
  readonly hasRows: boolean;
  /** Inside `after pick`. */
  readonly isAfterPick: boolean;
  /** Inside the `after pick` of a sampler that picks. */
  readonly canUsePicked: boolean;
  readonly diagnostics: Sink;
  /** In a constant expression: functions are not called in it. */
  readonly isConstant?: true;
  /** What the expression is the body of, where no draw is allowed. */
  readonly drawless?: "fn" | "loop";
  /** The types of the values of the `repeat`s around and in the expression so far, by `repeat`. */
  readonly repeats?: Map<Repeat, Type>;
}

/** How the parts of expressions find the types of what is in them. */
export interface Typing {
  readonly typeOf: (scope: Scope, expr: Expr) => Type;
  readonly numberType: (scope: Scope, expr: Expr) => Type;
  readonly valueType: (scope: Scope, expr: Expr) => Type;
  readonly conditionType: (scope: Scope, expr: Expr) => Type;
}

/** A scope in which a name has a type; the name must be new. */
export function withName<S extends Scope>(scope: S, { text, span }: Name, type: Type): S {
  const builtin = builtinKind(text);
  const first = scope.names.get(text);
  if (builtin !== undefined) scope.diagnostics.push(shadowsBuiltin(span, text, builtin));
  else if (first) scope.diagnostics.push(declaredTwice(span, text, first.span));
  return { ...scope, names: new Map(scope.names).set(text, { type, span }) };
}

const KINDS: Readonly<Record<Type["type"], string>> = {
  ...{
    f32: "a number",
    i32: "a number",
    bool: "a condition",
    seed: "a seed",
    text: "a text",
    list: "a list",
    tokens: "a set of tokens",
    grammar: "a grammar",
    error: "",
  },
};

export const kindOf = ({ type }: Type): string => KINDS[type];

export function report(scope: Scope, diagnostic: Diagnostic): Type {
  scope.diagnostics.push(diagnostic);
  return ERROR;
}

/** The type of an operation by its operands. */
export const resultType = (result: Result, operands: readonly Type[]): ScalarType =>
  result === "argument"
    ? (operands[0]!.type as ScalarType)
    : result === "number"
      ? operands.every((t) => t.type === "i32")
        ? "i32"
        : "f32"
      : result;

export const RATES: readonly Rate[] = ["static", "uniform", "runtime"];

/** Combines operand types: a column or an error if any operand is, with the latest rate. */
export function join(type: Type["type"], ...parts: readonly Type[]): Type {
  if (parts.some((p) => p.type === "error")) return ERROR;
  const isColumn = parts.some((p) => p.shape === "column");
  const rate = RATES[greatest(parts.map((p) => RATES.indexOf(p.rate)))]!;
  return { type, shape: isColumn ? "column" : "scalar", rate: isColumn ? "runtime" : rate };
}

/** The uniform parameters that an expression names directly. */
export const uniformsIn = (scope: Scope, expr: Expr): string[] => [
  ...new Set(namesIn(expr).filter((name) => scope.uniforms.has(name))),
];
