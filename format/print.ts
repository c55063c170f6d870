/**
 * Prints source text in its canonical form: only the layout changes; words, brackets and comments stay.
 * @module @ggsl/format
 */
import type { Node } from "ohm-js";
import { builders, printer } from "prettier/doc";
import { ggsl } from "@ggsl/compiler/syntax/ggsl.generated.js";
import type { Diagnostic } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { parse } from "@ggsl/compiler/syntax/parse.js";
import type { SourceFile } from "@ggsl/compiler/source/source.js";
import { bracketed, chained, itemsOf, paired } from "./lists.js";
import {
  commentsBefore,
  doc,
  gap,
  hasComment,
  LINE,
  NEWLINE,
  NEWLINE_BLANK,
  NEWLINE_KEEP,
  NONE,
  placeNow,
  put,
  returnTo,
  SOFT,
  SPACE,
  startPrinting,
  token,
  type Doc,
  type Separator,
} from "./tokens.js";
import { greatest } from "@ggsl/compiler/core/extremes.js";
import { firstCode } from "@ggsl/compiler/source/lexemes.js";

const { group, hardline, indent } = builders;

/** The maximum width of a line. */
const WIDTH = 120;
/** The maximum width of an `if` or an `after pick` on one line with its blocks. */
const SHORT = 80;

export type Printed = { readonly text: string } | { readonly diagnostics: readonly Diagnostic[] };

/** The canonical form of a source, or its syntax errors. */
export function print(source: SourceFile): Printed {
  const { diagnostics } = parse(source);
  if (diagnostics.length > 0) return { diagnostics };
  startPrinting(source.text);
  isShort = undefined;
  return { text: textOf(doc(semantics(ggsl.match(source.text, "File")) as Node), WIDTH) };
}

const textOf = (printed: Doc, printWidth: number): string =>
  printer.printDocToString(printed, { printWidth, tabWidth: 2, useTabs: false }).formatted;

// ---------------------------------------------------------------- parts

/** An optional part, if it is there. */
const maybe = (part: Node, separator: Separator): Doc => part.children.map((node) => put(node, separator));

/** A declaration: its doc comments, one per line, and the rest of it, which begins at `keyword`. */
function documented(docs: Node, keyword: Node, ...rest: (() => Doc)[]): Doc {
  const lines = docs.children.map((line, i) => put(line, i === 0 ? NONE : NEWLINE));
  const separator = gap(keyword.source.startIdx, lines.length > 0 ? NEWLINE : NONE);
  return [lines, separator, group([doc(keyword), rest.map((part) => part())])];
}

/** `= value`, on its own line if it is long. */
const assigned = (operator: Node, value: Node): Doc => [put(operator, SPACE), indent(put(value, LINE))];

/** A block's opening brace, its contents, one per line, and its closing brace. */
function block(open: Node, inside: readonly Node[], close: Node): Doc {
  const head = doc(open);
  const lines = inside.map((node, i) => put(node, i === 0 ? NEWLINE : NEWLINE_KEEP));
  const last = commentsBefore(close.source.startIdx, lines.length > 0 ? "keep" : "never");
  return [head, indent([lines, last]), put(close, lines.length + last.length > 0 ? NEWLINE : SPACE)];
}

/** Whether the current statement is printed on one line with its blocks; undefined outside of such statements. */
let isShort: boolean | undefined;

/** Prints a statement with blocks, on one line if it is short and has no nested blocks. */
function withBlocks(statement: Node, print: () => Doc): Doc {
  // all parts of an `else if` chain have the same layout
  if (isShort !== undefined) return print();
  const start = placeNow();
  isShort = !hasComment(statement.sourceString) && blocksOf(statement).every(isSimple);
  let printed = print();
  if (isShort && textOf(printed, Infinity).length > SHORT) {
    returnTo(start);
    isShort = false;
    printed = print();
  }
  isShort = undefined;
  return printed;
}

/** The blocks of an `if` with its `else`, or of an `after pick`. */
const blocksOf = (node: Node): Node[] =>
  node.ctorName === "Block"
    ? [node]
    : node.children.filter((child) => !/^(?:Expr|_terminal)$/.test(child.ctorName)).flatMap(blocksOf);

/** Whether a block has at most one statement, without a nested block. */
function isSimple(node: Node): boolean {
  const statements = node.children[1]!.children;
  const kinds = statements.map((s) => s.children[0]!.children[0]!.ctorName);
  return kinds.length <= 1 && kinds.every((kind) => kind !== "If" && kind !== "After");
}

/** One-line declarations, which need no empty line between them. */
const ONE_LINE = ["Import", "Const", "Input", "Fn", "Chain"];

function betweenDeclarations(before: Node, after: Node): Separator {
  const [a, b] = [before, after].map((d) => d.children[0]!.ctorName);
  return a === b && ONE_LINE.includes(a!) ? NEWLINE_KEEP : NEWLINE_BLANK;
}

/** The width of the longest first word of a clause in the current test. */
let clauseWidth = 0;

const padAfter = (word: Node): Separator => ({ doc: " ".repeat(clauseWidth + 1 - word.sourceString.length) });

/** Clauses of a test are aligned after their first words. */
function clause(word: Node, ...rest: Node[]): Doc {
  return [doc(word), rest.map((node, i) => put(node, i === 0 ? padAfter(word) : SPACE))];
}

/** The first word of a clause. */
const wordOf = (clause: Node): Node => clause.children[0]!.children[0]!;

/** Two parts with a space between them. */
const spaced = (first: Node, second: Node): Doc => [doc(first), put(second, SPACE)];

/** `name: value` */
const labelled = (label: Node, colon: Node, value: Node): Doc => [doc(label), put(colon, NONE), put(value, SPACE)];

/** A closing bracket, and the comments before it. */
const closing = (close: Node): Doc => [indent(commentsBefore(close.source.startIdx)), put(close, SOFT)];

/** Operators of one precedence level are aligned below each other if they do not fit on one line. */
function level(first: Node, operators: Node, operands: Node): Doc {
  if (operators.numChildren === 0) return doc(first);
  const rest = paired(operators, operands).map(([operator, operand]) => ({ operator, operand }));
  const [head, ...lines] = chained(first, rest);
  return group([head!, indent(lines)]);
}

function binary(left: Node, operator: Node, right: Node): Doc {
  const [head, ...lines] = chained(left, [{ operator, operand: right }]);
  return group([head!, indent(lines)]);
}

// ---------------------------------------------------------------- the grammar's rules

const semantics = ggsl.createSemantics().addOperation<Doc>("doc", {
  _terminal() {
    return token(this);
  },
  doc(_mark, _text) {
    return token(this, this.sourceString.trimEnd());
  },
  name(_ahead, _first, _rest) {
    return token(this);
  },
  number(_) {
    return token(this, this.sourceString.replace(/^\./, "0.").replace(/E/, "e").replace("e+", "e"));
  },
  string(_open, _text, _close) {
    return token(this);
  },
  pattern(_open, _text, _close) {
    return token(this);
  },

  File(declarations) {
    const all = declarations.children;
    const printed = all.map((d, i) => put(d, i === 0 ? NONE : betweenDeclarations(all[i - 1]!, d)));
    const whole = [printed, commentsBefore(this.source.endIdx)];
    return whole.every((part) => part.length === 0) ? "" : [whole, hardline];
  },
  Import(word, open, names, close, from, file) {
    const head = [doc(word), gap(open.source.startIdx, SPACE)];
    return [head, bracketed(open, names, close, "many", LINE), put(from, SPACE), put(file, SPACE)];
  },
  ImportName_renamed: (name, as, own) => [doc(name), put(as, SPACE), put(own, SPACE)],
  Const(docs, word, name, equals, value) {
    return documented(docs, word, () => [put(name, SPACE), assigned(equals, value)]);
  },
  Input(docs, word, name, colon, type, size, sparse) {
    const head = (): Doc => [put(name, SPACE), put(colon, NONE), put(type, SPACE), maybe(size, NONE)];
    return documented(docs, word, head, () => maybe(sparse, SPACE));
  },
  Sparse(word, open, capacity, close, equals, fill) {
    const size = [doc(word), put(open, NONE), put(capacity, NONE), put(close, NONE)];
    return [size, put(equals, SPACE), put(fill, SPACE)];
  },
  Fn(docs, word, name, params, arrow, type, body) {
    const head = (): Doc => [put(name, SPACE), put(params, NONE), put(arrow, SPACE), put(type, SPACE)];
    return documented(docs, word, head, () => put(body, SPACE));
  },
  FnBody_expression: (equals, result) => group([doc(equals), indent(put(result, LINE))]),
  FnBody_block(open, lets, result, close) {
    return block(open, [...lets.children, result], close);
  },
  FnLet(statement, _semicolons) {
    // without its end, the value would go on with what follows
    const { sourceString: text, endIdx } = this.source;
    let next = firstCode(text, endIdx);
    while (next?.text === ";") next = firstCode(text, next.end);
    return [doc(statement), /^[-(]/.test(next?.text ?? "") ? ";" : ""];
  },
  Sampler(docs, word, name, params, body) {
    return documented(docs, word, () => [put(name, SPACE), put(params, NONE), put(body, SPACE)]);
  },
  Chain(docs, word, name, params, equals, stages) {
    return documented(docs, word, () => [put(name, SPACE), maybe(params, NONE), assigned(equals, stages)]);
  },
  Test(docs, word, title, open, clauses, close) {
    clauseWidth = greatest(
      clauses.children.map((c) => wordOf(c).sourceString.length),
      0,
    );
    return documented(docs, word, () => [
      put(title, SPACE),
      gap(open.source.startIdx, SPACE),
      block(open, clauses.children, close),
    ]);
  },

  Params: (open, params, close) => bracketed(open, params, close, "each"),
  Param(docs, isStatic, name, colon, type, size, range, value) {
    const [first] = isStatic.children;
    const lines = docs.children.map((line, i) => (i === 0 ? doc(line) : put(line, NEWLINE)));
    const before = lines.length > 0 ? gap((first ?? name).source.startIdx, NEWLINE) : "";
    const head = first ? [doc(first), put(name, SPACE)] : doc(name);
    const typed = [put(colon, NONE), put(type, SPACE), maybe(size, NONE)];
    return [lines, before, head, typed, maybe(range, SPACE), maybe(value, SPACE)];
  },
  Size: (open, most, close) => [doc(open), put(most, NONE), put(close, NONE)],
  Default: spaced,
  Range_in(word, open, min, comma, max, close) {
    const head = [doc(word), put(open, SPACE), put(min, NONE)];
    return [head, put(comma, NONE), put(max, SPACE), put(close, NONE)];
  },
  Range_bound: spaced,

  Pipeline(stages) {
    const [first, ...rest] = itemsOf(stages);
    return group(
      chained(
        first!.item,
        rest.map(({ separator, item }) => ({ operator: separator!, operand: item })),
      ),
    );
  },
  Stage(host, name, args) {
    const [word] = host.children;
    return [word ? [doc(word), put(name, SPACE)] : doc(name), maybe(args, NONE)];
  },
  Args: (open, args, close) => bracketed(open, args, close, "each"),
  Arg_named: labelled,
  CallArg_named: labelled,

  Clause_values: (word, values) => clause(word, values),
  Clause_text: (word, value) => clause(word, value),
  Clause_state: (word, what, name, values) => clause(word, what, name, values),
  Clause_bias(word, open, pairs, close) {
    const head = [doc(word), gap(open.source.startIdx, padAfter(word))];
    return [head, bracketed(open, pairs, close, "many")];
  },
  Clause_input: (word, name, values) => clause(word, name, values),
  Clause_steps: (word, count) => clause(word, count),
  Clause_run: (word, stages) => indent(clause(word, stages)),
  Clause_list: (word, what, values) => clause(word, what, values),
  Clause_token: (word, what, value) => clause(word, what, value),
  Clause_measure: (word, what, name, values) => clause(word, what, name, values),
  Clause_stop: (word, what, name) => clause(word, what, name),
  Pair: labelled,
  List: (open, values, close) => bracketed(open, values, close, "many"),

  Block(open, statements, close) {
    if (isShort === true) return [doc(open), maybe(statements, SPACE), put(close, SPACE)];
    const outer = isShort;
    isShort = undefined;
    const printed = block(open, statements.children, close);
    isShort = outer;
    return printed;
  },
  Statement: (statement, _semicolons) => doc(statement),
  Let(word, name, equals, value) {
    return group([doc(word), put(name, SPACE), assigned(equals, value)]);
  },
  Assign: (name, operator, value) => group([doc(name), assigned(operator, value)]),
  Keep(word, condition, atLeast) {
    return group([doc(word), put(condition, SPACE), indent(maybe(atLeast, LINE))]);
  },
  AtLeast: (at, least, count) => [doc(at), put(least, SPACE), put(count, SPACE)],
  Top(word, count, by) {
    return group([doc(word), put(count, SPACE), indent(maybe(by, LINE))]);
  },
  Sort(word, by, order) {
    return group([doc(word), maybe(by, SPACE), maybe(order, SPACE)]);
  },
  By: spaced,
  If(word, condition, then, other) {
    return withBlocks(this, () => [doc(word), put(condition, SPACE), put(then, SPACE), maybe(other, SPACE)]);
  },
  Else_block: spaced,
  Else_if: spaced,
  Pick(word, how, open, value, index, close) {
    const head = [doc(word), put(how, SPACE), put(open, NONE)];
    return group([head, indent([put(value, SOFT), maybe(index, NONE)]), closing(close)]);
  },
  DrawIndex: (comma, index) => [doc(comma), put(index, LINE)],
  State(word, name, colon, type, equals, value) {
    const head = [doc(word), put(name, SPACE), put(colon, NONE), put(type, SPACE)];
    return group([head, assigned(equals, value)]);
  },
  Measure(word, name, equals, value) {
    return group([doc(word), put(name, SPACE), assigned(equals, value)]);
  },
  Stop(word, when, condition, as, name) {
    return group([doc(word), put(when, SPACE), put(condition, SPACE), indent([put(as, LINE), put(name, SPACE)])]);
  },
  Write(word, text, when, condition) {
    return group([doc(word), put(text, SPACE), indent([put(when, LINE), put(condition, SPACE)])]);
  },
  After(after, pick, body) {
    return withBlocks(this, () => [doc(after), put(pick, SPACE), put(body, SPACE)]);
  },

  Expr_conditional(condition, question, then, colon, other) {
    const head = doc(condition);
    return group([head, indent([put(question, LINE), put(then, SPACE), put(colon, LINE), put(other, SPACE)])]);
  },
  Or: level,
  And: level,
  Comparison_compare: binary,
  Comparison_member(value, not, word, set) {
    const head = doc(value);
    const [negation] = not.children;
    const words = negation ? [put(negation, LINE), put(word, SPACE)] : put(word, LINE);
    return group([head, indent([words, put(set, SPACE)])]);
  },
  Sum: level,
  Product: level,
  Power_power: binary,
  Not_not: spaced,
  Minus_minus: (minus, operand) => [doc(minus), put(operand, NONE)],
  Fold(how, name, word, bounds, colon, body) {
    const head = [doc(how), put(name, SPACE), put(word, SPACE), put(bounds, SPACE), put(colon, NONE)];
    return group([head, indent(put(body, LINE))]);
  },
  Repeat(word, rounds, with_, name, equals, init, colon, body) {
    const head = [doc(word), put(rounds, SPACE), put(with_, SPACE), put(name, SPACE), put(equals, SPACE)];
    return group([head, put(init, SPACE), put(colon, NONE), indent(put(body, LINE))]);
  },
  Rounds_counted: (name, word, bounds) => [doc(name), put(word, SPACE), put(bounds, SPACE)],
  Bounds: (from, dots, to) => [doc(from), put(dots, NONE), put(to, NONE)],
  Primary_paren(open, value, close) {
    return group([doc(open), indent(put(value, SOFT)), closing(close)]);
  },
  Primary_part: (of, dot, name) => [doc(of), put(dot, NONE), put(name, NONE)],
  Primary_call(callee, open, args, close) {
    return [doc(callee), gap(open.source.startIdx, NONE), bracketed(open, args, close, "each")];
  },
});
