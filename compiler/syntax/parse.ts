/** Source text to syntax tree. */
import type { MatchResult, Node } from "ohm-js";
import { ggsl } from "./ggsl.generated.js";
import type { Diagnostic } from "../check/diagnostics.js";
import { nestedTooDeep, syntaxError, type Found } from "../check/diagnostics/syntax.js";
import { LIMIT_PRESETS, type Limits } from "../limits/limits.js";
import type * as Ast from "./ast.js";
import { scan } from "./scan.js";
import type { SourceFile, Span } from "./source.js";

/** The depth limit of trees, such as those of long sums: all passes over a tree are recursive. */
const MAX_TREE_DEPTH = 250;

export interface Parsed {
  readonly file: Ast.File;
  /** Names declared by declarations with a fault. */
  readonly broken: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
  /** How many tokens were parsed. */
  readonly tokens: number;
}

/** The parsed declarations of an earlier version of a file, by source text. */
export type ParseCache = Map<string, Piece>;

export interface ParseOptions {
  readonly limits?: Limits;
  readonly cache?: ParseCache;
}

/** A separately parsed part of a file, and its old place. */
interface Piece {
  readonly start: number;
  readonly result: Ast.Declaration[] | Diagnostic;
}

/**
 * Parses a file, separately for each declaration that begins a line: so all declarations report their faults, those without a
 * fault are in the tree, and with a `cache` only new texts are parsed. The cache is updated to this text.
 */
export function parse(
  source: SourceFile,
  { limits = LIMIT_PRESETS.default, cache = new Map() }: ParseOptions = {},
): Parsed {
  const span: Span = { source, start: 0, end: source.text.length };
  const tokens = scan(source, limits);
  if (typeof tokens !== "number")
    return { file: { kind: "file", declarations: [], span }, broken: new Set(), diagnostics: [tokens], tokens: 0 };
  const declarations: Ast.Declaration[] = [];
  const broken = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  const known = new Map(cache);
  cache.clear();
  for (const { text, start } of piecesOf(source.text)) {
    const present = known.get(text);
    // what a fault expected takes a second parse, and is not shown beyond the limit
    const isShown = diagnostics.length < limits.diagnostics;
    const result = present
      ? moved(present.result, source, start - present.start)
      : convert<Ast.Declaration[]>(source, "File", text, start, isShown);
    if (present || isShown || !isFault(result)) cache.set(text, { start, result });
    if (!isFault(result)) for (const declaration of result) declarations.push(declaration);
    else {
      diagnostics.push(result);
      for (const name of declaredNames(text)) broken.add(name);
    }
  }
  return { file: { kind: "file", declarations, span }, broken, diagnostics, tokens };
}

/** A copy of a tree or a diagnostic for another version of its file. */
function moved<T>(value: T, source: SourceFile, by: number): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((v: unknown) => moved(v, source, by)) as T;
  if ("source" in value) {
    const { start, end } = value as unknown as Span;
    return { source, start: start + by, end: end + by } as T;
  }
  const copy: Record<string, unknown> = {};
  for (const key in value) copy[key] = moved(value[key], source, by);
  return copy as T;
}

/** Parses a pipeline `stage |> stage`. */
export function parseStages(
  source: SourceFile,
  limits: Limits = LIMIT_PRESETS.default,
): {
  stages: readonly Ast.StageCall[];
  diagnostics: readonly Diagnostic[];
  tokens: number;
} {
  const tokens = scan(source, limits);
  if (typeof tokens !== "number") return { stages: [], diagnostics: [tokens], tokens: 0 };
  const stages = convert<Ast.StageCall[]>(source, "Stages", source.text, 0);
  return isFault(stages) ? { stages: [], diagnostics: [stages], tokens } : { stages, diagnostics: [], tokens };
}

const isFault = (result: object): result is Diagnostic => "code" in result;

/** What is found where nobody looks. */
const UNKNOWN: Found = { token: undefined, isKeyword: false, isFirst: false, previous: undefined };

/** Parses the text at `offset` of its file to trees or diagnostics. */
function convert<T extends readonly object[]>(
  source: SourceFile,
  rule: "File" | "Stages",
  text: string,
  offset: number,
  isShown = true,
): T | Diagnostic {
  const start = offset + text.search(/\S|$/);
  const refusal = nestedTooDeep({ source, start, end: start + 1 }, MAX_TREE_DEPTH);
  try {
    const match = ggsl.match(text, rule);
    if (match.failed())
      return isShown ? failure(source, match, offset) : syntaxError({ source, start, end: start + 1 }, [], UNKNOWN);
    const tree = toAst(match, source, offset) as T;
    return depthOf(tree) > MAX_TREE_DEPTH ? refusal : tree;
  } catch (fault) {
    // operators nest without brackets, and the stack limit of the host is unknown
    if (fault instanceof RangeError) return refusal;
    throw fault;
  }
}

/** The depth of a tree, computed without recursion. */
function depthOf(tree: object): number {
  let deepest = 0;
  const open: { value: object; depth: number }[] = [{ value: tree, depth: 0 }];
  for (let top = open.pop(); top; top = open.pop()) {
    const depth = top.depth + ("kind" in top.value ? 1 : 0);
    deepest = Math.max(deepest, depth);
    for (const value of Object.values(top.value)) {
      if (typeof value === "object" && value !== null && !("source" in value))
        open.push({ value: value as object, depth });
    }
  }
  return deepest;
}

/** The names that a text with a fault seems to declare, so that their uses are not also reported. */
function declaredNames(text: string): string[] {
  const declared = [...text.matchAll(/^\s*(?:const|input|sampler|chain)\s+(\w+)/gm)].map((m) => m[1]!);
  const imported = /^import\s*\{([^}]*)\}?/.exec(text)?.[1] ?? "";
  return [...declared, ...imported.split(/\W+/)];
}

/** Words that begin a declaration at the start of a line; `input` also begins a clause of a test. */
const BEGIN = String.raw`^(?:(?:import|const|sampler|chain|test)\b|input\b(?=\s*[^\s:[]+\s*:))`;
const PIECES = new RegExp(String.raw`(${BEGIN})|(///(?!/)[^\n]*)|//[^\n]*|"(?:\\.|[^"\\\n])*"|[^\s"/]+|\S`, "gm");

/** Splits the text before every declaration that begins a line, or before its doc comments. */
function piecesOf(text: string): { text: string; start: number }[] {
  const cuts = [0];
  let docs: number | undefined;
  for (const { 0: token, 1: begin, 2: doc, index } of text.matchAll(PIECES)) {
    if (begin !== undefined && (docs ?? index) > 0) cuts.push(docs ?? index);
    if (doc !== undefined) docs ??= index;
    else if (!token.startsWith("//")) docs = undefined;
  }
  return cuts.map((start, i) => ({ text: text.slice(start, cuts[i + 1]), start }));
}

// ---------------------------------------------------------------- syntax errors

/** The tokens for the span of a fault. */
const TOKEN = /\/\/\/.*|[A-Za-z_][A-Za-z_0-9]*|[0-9.]+|\|>|&&|\|\||\*\*|[-+*/<>=!]=|\S/y;

/** What ohm expected, in the user's words, most likely first; omits what is always possible. */
function failure(source: SourceFile, match: MatchResult, offset: number): Diagnostic {
  const fault = match as Failure;
  const position = fault.getRightmostFailurePosition() + offset;
  const expected = [...new Set(fault.getRightmostFailures().map(String))]
    .map((e) => (e === "end of input" ? "the end" : e.replace(/^"(.*)"$/, "`$1`")))
    .filter((e) => !/^not |space|comment/.test(e) || e === "a doc comment")
    .reverse();
  TOKEN.lastIndex = position;
  const token = TOKEN.exec(source.text)?.[0];
  const isKeyword = token !== undefined && ggsl.match(token, "keyword").succeeded();
  const span = { source, start: position, end: position + (token?.length ?? 0) };
  return syntaxError(span, expected, { token, isKeyword, ...before(source, position) });
}

/** What is before a token. */
function before(source: SourceFile, position: number): Pick<Found, "isFirst" | "previous"> {
  // sources can be long, and words are short
  const text = source.text.slice(Math.max(0, position - 200), position);
  const [, word, space] = /([A-Za-z_]\w*)(\s*)$/.exec(text) ?? [];
  const end = position - (space?.length ?? 0);
  const isFirst = /(?:^|\n)[ \t\r]*$/.test(text);
  if (word === undefined) return { isFirst, previous: undefined };
  return { isFirst, previous: { text: word, span: { source, start: end - word.length, end } } };
}

/** The parts of ohm's failed matches that its types omit. */
type Failure = MatchResult & {
  getRightmostFailures(): { toString(): string }[];
  getRightmostFailurePosition(): number;
};

// ---------------------------------------------------------------- actions

/** The place of the text in its file; set during one conversion. */
let place: { source: SourceFile; offset: number };

function toAst(match: MatchResult, source: SourceFile, offset: number): unknown {
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
const list = <T>(node: Node): T[] => node.asIteration().children.map((child: Node) => ast<T>(child));
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
    const listed = names.asIteration().children.map(nameOf);
    return {
      kind: "import",
      names: listed,
      from: unquote(from.sourceString),
      fromSpan: spanOf(from),
      span: spanOf(this),
    };
  },
  Const(doc, _const, name, _eq, value) {
    return { kind: "const", ...docOf(doc), name: nameOf(name), value: ast(value), span: spanOf(this) };
  },
  Input(doc, _input, name, _colon, type, sparse) {
    const pairs = optional(sparse);
    return {
      kind: "input",
      ...docOf(doc),
      name: nameOf(name),
      type: type.sourceString,
      ...(pairs !== undefined && { sparse: pairs }),
      span: spanOf(this),
    };
  },
  Sparse: (_sparse, _open, capacity, _close, _eq, fill) => ({ capacity: ast(capacity), fill: ast(fill) }),
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
  Param(isStatic, name, _colon, type, range, value) {
    const bounds = optional<Ast.ParamRange>(range);
    const given = optional<Ast.Expr>(value);
    return {
      name: nameOf(name),
      type: type.sourceString,
      isStatic: isStatic.children.length > 0,
      ...(bounds && { range: bounds }),
      ...(given && { default: given }),
      span: spanOf(this),
    };
  },
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
  Arg_positional(value) {
    return { value: ast(value), span: spanOf(this) };
  },

  Clause_numbers(kind, values) {
    return { kind: kind.sourceString, values: ast<Ast.ListLit>(values).values, span: spanOf(this) };
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

  Expr_conditional(cond, _question, then, _colon, other) {
    return { kind: "conditional", cond: ast(cond), then: ast(then), else: ast(other), span: spanOf(this) };
  },
  Or: leftToRight,
  And: leftToRight,
  Comparison_compare: binary,
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
  Primary_name(name) {
    return { kind: "name", text: name.sourceString, span: spanOf(this) };
  },
  number(_) {
    const text = this.sourceString;
    const value = text === "inf" ? Infinity : Number(text);
    return { kind: "number", value, isInt: /^\d+$/.test(text), span: spanOf(this) };
  },
  string(_open, _text, _close) {
    return { kind: "string", value: unquote(this.sourceString), span: spanOf(this) };
  },
});
