/** The scope of an expression, and types of operations. */
import type { Rate, Result } from "../builtins/builtin.js";
import { builtinKind, findName } from "../builtins/builtins.js";
import type { Expr, Name, Repeat, ScalarType, NameRef } from "../syntax/ast.js";
import { children, namesIn } from "../syntax/walk.js";
import type { Diagnostic, Sink } from "../diagnostics/diagnostic.js";
import { declaredTwice, shadowsBuiltin } from "../diagnostics/names.js";
import { noteUse, topLevel } from "./names.js";
import type * as T from "./tree.js";
import { greatest } from "../core/extremes.js";

type Type = T.Type;

const NOWHERE = { source: { name: "", text: "" }, start: 0, end: 0 };

export const ERROR: T.Invalid = { kind: "error", type: "error", shape: "scalar", rate: "static", span: NOWHERE };
export const typeOf = ({ type, shape, rate }: Type): Type => ({ type, shape, rate });
export const scalarType = (type: Type["type"], rate: Rate): Type => ({ type, shape: "scalar", rate });

/** The scope of an expression. */
export interface Scope {
  readonly module: T.Module;
  readonly names: ReadonlyMap<string, T.Local>;
  /** The parameters that can change with every token. */
  readonly uniforms: ReadonlySet<string>;
  /** It is in a sampler. Whether its rows are sorted is known when a chain is lowered. */
  readonly hasRows: boolean;
  /** Inside `after pick`. */
  readonly isAfterPick: boolean;
  /** Inside the `after pick` of a sampler that picks. */
  readonly canUsePicked: boolean;
  /** In what a sampler that does not pick does after the chain's pick: what depends on the token alone is known there. */
  readonly isAfterChain?: boolean;
  readonly diagnostics: Sink;
  /** The names in it. */
  readonly used: Set<string>;
  /** Where the meanings of names are noted; absent for what is checked again. */
  readonly uses?: T.Module["uses"] | undefined;
  /** It is a constant expression: functions are not called in it. */
  readonly isConstant?: true;
  /** What the expression is the body of, where no draw is allowed. */
  readonly drawless?: "fn" | "loop";
  /** The types of the values of the `repeat`s around and in the expression so far, by `repeat`. */
  readonly repeats?: Map<Repeat, Type>;
}

/** The typed tree of an expression in a scope. */
type Typed = (scope: Scope, expr: Expr) => T.Expr;

/** How the parts of expressions make typed trees of what is in them. */
export interface Typing {
  readonly typed: Typed;
  readonly typedNumber: Typed;
  readonly typedValue: Typed;
  readonly typedCondition: Typed;
  readonly typedSet: Typed;
  /** Of a name, whatever it holds. */
  readonly typedName: (scope: Scope, name: NameRef) => T.Expr;
  readonly constOf: (binding: T.ConstBinding) => T.Found<T.Expr>;
}

/** The scope of a constant expression. */
export const constantScope = (module: T.Module, diagnostics: Sink): Scope => ({
  module,
  names: new Map(),
  uniforms: new Set(),
  hasRows: false,
  isAfterPick: false,
  canUsePicked: false,
  diagnostics,
  used: new Set(),
  uses: module.uses,
  isConstant: true,
});

/** Notes what a name in an expression means. */
export function noteName({ used, uses, names, module }: Scope, name: Name): void {
  const { text } = name;
  used.add(text);
  if (!uses) return;
  const builtin = findName(text) ? ({ kind: "column" } as const) : undefined;
  const seed = text === "random" ? ({ kind: "seed" } as const) : undefined;
  noteUse(uses, name, names.get(text) ?? topLevel(module, text) ?? builtin ?? seed);
}

/** Notes the names in an expression where another fault is reported. */
export const visit = ({ typed }: Typing, scope: Scope, expr: Expr): void =>
  void typed({ ...scope, diagnostics: { push: () => undefined } }, expr);

/** Notes the names in the parts of an expression that is at fault as a whole. */
export const visitParts = (typing: Typing, scope: Scope, expr: Expr): void =>
  children(expr).forEach((part) => visit(typing, scope, part));

/** Declares a name; `names` is where it is added. */
export function declare(scope: Scope, names: Map<string, T.Local>, { text, span }: Name, local: T.Local): void {
  const builtin = builtinKind(text);
  const first = names.get(text);
  if (builtin !== undefined) scope.diagnostics.push(shadowsBuiltin(span, text, builtin));
  else if (first) scope.diagnostics.push(declaredTwice(span, text, first.span));
  noteUse(scope.uses, { text, span }, local, { isDeclaration: true });
  names.set(text, local);
}

/** A scope in which a name has a meaning; the name must be new. */
export function withName<S extends Scope>(scope: S, name: Name, local: T.Local): S {
  const names = new Map(scope.names);
  declare(scope, names, name, local);
  return { ...scope, names };
}

const KINDS: Readonly<Record<Type["type"], string>> = {
  f32: "a number",
  i32: "a number",
  bool: "a condition",
  seed: "a seed",
  text: "a text",
  list: "a list",
  tokens: "a set of tokens",
  grammar: "a grammar",
  phrases: "phrases",
  error: "",
};

export const kindOf = ({ type }: Type): string => KINDS[type];

export function report(scope: Scope, diagnostic: Diagnostic): T.Invalid {
  scope.diagnostics.push(diagnostic);
  return ERROR;
}

/** A node of a type; one with a faulty part is faulty. */
export const node = <N extends T.Expr>({ type, shape, rate }: Type, rest: Omit<N, keyof Type>): T.Expr =>
  type === "error" ? ERROR : ({ type, shape, rate, ...rest } as unknown as N);

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
