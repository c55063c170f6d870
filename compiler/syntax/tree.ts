/** ohm's matches to syntax trees. */
import type { MatchResult, Node } from "ohm-js";
import { ggsl } from "./ggsl.generated.js";
import type * as Ast from "./ast.js";
import type { SourceFile, Span } from "../source/source.js";

/** The place of the text in its file; set during one conversion. */
let place: { source: SourceFile; offset: number };

/** The tree of a text that begins at `offset` of its file. */
export function toAst(match: MatchResult, source: SourceFile, offset: number): unknown {
  place = { source, offset };
  return (semantics(match) as Node & { ast(): unknown }).ast();
}

const spanOf = (node: Node): Span => ({
  source: place.source,
  start: node.source.startIdx + place.offset,
  end: node.source.endIdx + place.offset,
});

const ast = <T>(node: Node): T => (node as Node & { ast(): T }).ast();
const optional = <T>(node: Node): T | undefined => (node.children[0] ? ast<T>(node.children[0]) : undefined);
const all = <T>(node: Node): T[] => node.children.map((child) => ast<T>(child));
/** The items of `Items`, or of ohm's lists. */
function itemsOf(node: Node): readonly Node[] {
  if (node.ctorName !== "Items") return node.asIteration().children;
  const [inside] = node.children;
  return inside!.ctorName === "Items_some" ? inside!.children[0]!.asIteration().children : [];
}
const list = <T>(node: Node): T[] => itemsOf(node).map((child) => ast<T>(child));
const nameOf = (node: Node): Ast.Name => ({ text: node.sourceString, span: spanOf(node) });
const docOf = (docs: Node): { doc?: string } =>
  docs.children.length > 0
    ? { doc: docs.children.map((d) => d.sourceString.replace(/^\/\/\/ ?/, "").trimEnd()).join("\n") }
    : {};
const binary = function (this: Node, left: Node, op: Node, right: Node): Ast.Expr {
  return {
    kind: "binary",
    op: op.sourceString as Ast.BinaryOp,
    left: ast(left),
    right: ast(right),
    span: spanOf(this),
  };
};

/** `a - b - c` is `(a - b) - c`. */
function leftToRight(first: Node, operators: Node, operands: Node): Ast.Expr {
  const { start } = spanOf(first);
  // ohm makes `children` anew at each access
  const { children: ops } = operators;
  return operands.children.reduce<Ast.Expr>((left, operand, i) => {
    const op = ops[i]!.sourceString as Ast.BinaryOp;
    return { kind: "binary", op, left, right: ast(operand), span: { ...spanOf(operand), start } };
  }, ast(first));
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
const unquote = (text: string): string => text.slice(1, -1).replace(/\\(.)/g, (_, c: string) => ESCAPES[c] ?? c);

const semantics = ggsl.createSemantics().addOperation<unknown>("ast", {
  File: (declarations) => all(declarations),
  Stages: (pipeline, _end) => ast(pipeline),

  Import(_import, _open, names, _close, _from, from) {
    return {
      kind: "import",
      names: list(names),
      from: unquote(from.sourceString),
      fromSpan: spanOf(from),
      span: spanOf(this),
    };
  },
  ImportName_renamed: (name, _as, own) => ({ ...nameOf(name), as: nameOf(own) }),
  ImportName_plain: nameOf,
  Const(doc, _const, name, _eq, value) {
    return { kind: "const", ...docOf(doc), name: nameOf(name), value: ast(value), span: spanOf(this) };
  },
  Input(doc, _input, name, _colon, type, size, sparse) {
    const most = optional(size);
    const pairs = optional(sparse);
    return {
      kind: "input",
      ...docOf(doc),
      name: nameOf(name),
      type: type.sourceString,
      ...(most !== undefined && { size: most }),
      ...(pairs !== undefined && { sparse: pairs }),
      span: spanOf(this),
    };
  },
  Sparse: (_sparse, _open, capacity, _close, _eq, fill) => ({ capacity: ast(capacity), fill: ast(fill) }),
  Fn(doc, _fn, name, params, _arrow, type, body) {
    return {
      kind: "fn",
      ...docOf(doc),
      name: nameOf(name),
      params: ast(params),
      type: type.sourceString,
      typeSpan: spanOf(type),
      ...ast<object>(body),
      span: spanOf(this),
    };
  },
  FnBody_expression: (_eq, result) => ({ lets: [], result: ast(result) }),
  FnBody_block: (_open, lets, result, _close) => ({ lets: all(lets), result: ast(result) }),
  FnLet: (statement, _semicolons) => ast(statement),
  Sampler(doc, _sampler, name, params, body) {
    return {
      kind: "sampler",
      ...docOf(doc),
      name: nameOf(name),
      params: ast(params),
      body: ast(body),
      span: spanOf(this),
    };
  },
  Chain(doc, _chain, name, params, _eq, stages) {
    return {
      kind: "chain",
      ...docOf(doc),
      name: nameOf(name),
      params: optional(params) ?? [],
      stages: ast(stages),
      span: spanOf(this),
    };
  },
  Test(_doc, _test, title, _open, clauses, _close) {
    return { kind: "test", title: unquote(title.sourceString), clauses: all(clauses), span: spanOf(this) };
  },

  Params: (_open, params, _close) => list(params),
  Param(doc, isStatic, name, _colon, type, size, range, value) {
    const most = optional<Ast.Expr>(size);
    const bounds = optional<Ast.ParamRange>(range);
    const given = optional<Ast.Expr>(value);
    const { start } = spanOf(isStatic.children[0] ?? name);
    return {
      ...docOf(doc),
      name: nameOf(name),
      type: type.sourceString,
      isStatic: isStatic.children.length > 0,
      ...(most && { size: most }),
      ...(bounds && { range: bounds }),
      ...(given && { default: given }),
      span: { ...spanOf(this), start },
    };
  },
  Size: (_open, most, _close) => ast(most),
  Default: (_eq, value) => ast(value),
  Range_in(_in, _open, min, _comma, max, _close) {
    return { kind: "in", min: ast(min), max: ast(max), span: spanOf(this) };
  },
  Range_bound(op, bound) {
    return { kind: "bound", op: op.sourceString, bound: ast(bound), span: spanOf(this) };
  },

  Pipeline: (stages) => list(stages),
  Stage(host, name, args) {
    return { name: nameOf(name), isHost: host.children.length > 0, args: optional(args) ?? [], span: spanOf(this) };
  },
  Args: (_open, args, _close) => list(args),
  Arg_named(name, _colon, value) {
    return { name: nameOf(name), value: ast(value), span: spanOf(this) };
  },
  CallArg_named(name, _colon, value) {
    return { name: nameOf(name), value: ast(value), span: spanOf(this) };
  },
  Arg_positional(value) {
    return { value: ast(value), span: spanOf(this) };
  },

  Clause_values(kind, values) {
    return { kind: kind.sourceString, values: ast<Ast.ListLit>(values).values, span: spanOf(this) };
  },
  Clause_text(_text, value) {
    return { kind: "text", text: ast<Ast.StringLit>(value).value, span: spanOf(this) };
  },
  Clause_state(_expect, _state, name, values) {
    return { kind: "state", name: nameOf(name), values: ast<Ast.ListLit>(values).values, span: spanOf(this) };
  },
  Clause_bias(_bias, _open, pairs, _close) {
    return { kind: "bias", pairs: list(pairs), span: spanOf(this) };
  },
  Pair: (token, _colon, value) => [ast(token), ast(value)],
  Clause_input(_input, name, values) {
    return { kind: "input", name: nameOf(name), values: ast<Ast.ListLit>(values).values, span: spanOf(this) };
  },
  Clause_steps(_steps, count) {
    return { kind: "steps", count: ast(count), span: spanOf(this) };
  },
  Clause_run(_run, stages) {
    return { kind: "run", stages: ast(stages), span: spanOf(this) };
  },
  Clause_list(_expect, what, values) {
    return { kind: "expect", what: what.sourceString, values: ast<Ast.ListLit>(values).values, span: spanOf(this) };
  },
  Clause_token(_expect, _token, value) {
    return { kind: "expect", what: "token", values: [ast(value)], span: spanOf(this) };
  },
  Clause_measure(_expect, _measure, name, values) {
    return { kind: "measure", name: nameOf(name), values: ast<Ast.ListLit>(values).values, span: spanOf(this) };
  },
  Clause_stop(_expect, _stop, text) {
    return { kind: "stop", text: ast<Ast.StringLit>(text).value, span: spanOf(this) };
  },
  List(_open, values, _close) {
    return { kind: "list", values: list(values), span: spanOf(this) };
  },

  Block: (_open, statements, _close) => all(statements),
  Statement: (statement, _semicolons) => ast(statement),
  Let(_let, name, _eq, value) {
    return { kind: "let", name: nameOf(name), value: ast(value), span: spanOf(this) };
  },
  Assign(name, op, value) {
    return { kind: "assign", target: nameOf(name), op: op.sourceString, value: ast(value), span: spanOf(this) };
  },
  Keep(_keep, cond, atLeast) {
    const least = optional<Ast.Expr>(atLeast);
    return { kind: "keep", cond: ast(cond), ...(least && { atLeast: least }), span: spanOf(this) };
  },
  AtLeast: (_at, _least, count) => ast(count),
  Top(_top, count, by) {
    const key = optional<Ast.Expr>(by);
    return { kind: "top", count: ast(count), ...(key && { by: key }), span: spanOf(this) };
  },
  Sort(_sort, by, order) {
    const key = optional<Ast.Expr>(by);
    return {
      kind: "sort",
      ...(key && { by: key }),
      order: order.sourceString === "asc" ? "asc" : "desc",
      span: spanOf(this),
    };
  },
  By: (_by, key) => ast(key),
  If(_if, cond, then, other) {
    const otherwise = optional<Ast.Stmt[]>(other);
    return { kind: "if", cond: ast(cond), then: ast(then), ...(otherwise && { else: otherwise }), span: spanOf(this) };
  },
  Else_block: (_else, body) => ast(body),
  Else_if: (_else, statement) => [ast(statement)],
  Pick(_pick, how, _open, value, index, _close) {
    const at = optional<Ast.Expr>(index);
    return { kind: "pick", how: how.sourceString, value: ast(value), ...(at && { at }), span: spanOf(this) };
  },
  DrawIndex: (_comma, index) => ast(index),
  State(_state, name, _colon, type, _eq, init) {
    return { kind: "state", name: nameOf(name), type: type.sourceString, init: ast(init), span: spanOf(this) };
  },
  After(_after, _pick, body) {
    return { kind: "after", body: ast(body), span: spanOf(this) };
  },
  Measure(_measure, name, _eq, value) {
    return { kind: "measure", name: nameOf(name), value: ast(value), span: spanOf(this) };
  },
  Stop(_stop, _when, cond, _as, reason) {
    return { kind: "stop", cond: ast(cond), reason: ast(reason), span: spanOf(this) };
  },
  Write(_write, text, _when, cond) {
    return { kind: "write", text: ast(text), cond: ast(cond), span: spanOf(this) };
  },
  Written_name(name) {
    return { ...nameOf(name), kind: "name" };
  },

  Expr_conditional(cond, _question, then, _colon, other) {
    return { kind: "conditional", cond: ast(cond), then: ast(then), else: ast(other), span: spanOf(this) };
  },
  Or: leftToRight,
  And: leftToRight,
  Comparison_compare: binary,
  Comparison_member(value, not, _in, set) {
    return {
      kind: "member",
      value: ast(value),
      isNegated: not.children.length > 0,
      set: ast(set),
      span: spanOf(this),
    };
  },
  Sum: leftToRight,
  Product: leftToRight,
  Power_power: binary,
  Not_not(_not, operand) {
    return { kind: "unary", op: "not", operand: ast(operand), span: spanOf(this) };
  },
  Minus_minus(_minus, operand) {
    return { kind: "unary", op: "-", operand: ast(operand), span: spanOf(this) };
  },
  Primary_paren: (_open, value, _close) => ast(value),
  Primary_bool(value) {
    return { kind: "bool", value: value.sourceString === "true", span: spanOf(this) };
  },
  Primary_list: (values) => ast(values),
  Primary_call(callee, _open, args, _close) {
    return { kind: "call", callee: nameOf(callee), args: list(args), span: spanOf(this) };
  },
  Fold(how, name, _in, bounds, _colon, body) {
    return {
      kind: "fold",
      how: how.sourceString,
      counter: nameOf(name),
      bounds: ast(bounds),
      body: ast(body),
      span: spanOf(this),
    };
  },
  Repeat(_repeat, rounds, _with, name, _eq, init, _colon, body) {
    const head = ast<object>(rounds);
    return { kind: "repeat", ...head, name: nameOf(name), init: ast(init), body: ast(body), span: spanOf(this) };
  },
  Rounds_counted: (name, _in, bounds) => ({ counter: { name: nameOf(name), bounds: ast(bounds) } }),
  Rounds_plain: (count) => ({ count: ast(count) }),
  Bounds(from, _dots, to) {
    return { from: ast(from), to: ast(to), span: spanOf(this) };
  },
  Primary_part(of, _dot, name) {
    return { kind: "part", of: nameOf(of), name: nameOf(name), span: spanOf(this) };
  },
  Primary_name(name) {
    return { kind: "name", text: name.sourceString, span: spanOf(this) };
  },
  number(_) {
    const text = this.sourceString;
    const value = text === "inf" ? Infinity : Number(text);
    return { kind: "number", value, isInt: /^\d+$/.test(text), span: spanOf(this) };
  },
  pattern(_open, _text, _close) {
    return { kind: "pattern", value: this.sourceString.slice(1, -1), span: spanOf(this) };
  },
  string(_open, _text, _close) {
    return { kind: "string", value: unquote(this.sourceString), span: spanOf(this) };
  },
});
