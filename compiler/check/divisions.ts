/** Comments that look like divisions: `x // 2` divides and rounds down in other languages. */
import { builtinKind } from "../builtins/builtins.js";
import type { Declaration, Expr, Let, StateDecl, Stmt } from "../syntax/ast.js";
import { isExpression } from "../syntax/parse.js";
import { isWordLexeme, lexemesOf, NUMBER, WORD, WORD_CHARACTER } from "../source/lexemes.js";
import type { SourceFile } from "../source/source.js";
import { children, expressionsIn, namesIn } from "../syntax/walk.js";
import type { Sink } from "../diagnostics/diagnostic.js";
import { commentAsDivision } from "../diagnostics/syntax.js";
import type { Module } from "./program.js";

/** The end of an operand, and a comment on the same line; doc comments have three slashes. */
const BESIDE = new RegExp(
  String.raw`(?<=${WORD_CHARACTER}|[.)])[ \t]*//(?!/)[ \t]*((?:${WORD_CHARACTER}|[.(]).*)$`,
  "gmu",
);

/** What a comment divides by, if it is a division: a number, a name, a call or brackets. What follows is part of the formula around it. */
const DIVISOR = new RegExp(String.raw`^(?:${NUMBER}|${WORD}(?:\([^()]*\))?|\([^()]*\))`, "u");

/** Formulas in comments are shorter; the parser is recursive. */
const MAX_LENGTH = 80;

/** A comment that may be a formula, and the offset of its `//`. */
interface Candidate {
  readonly start: number;
  /** Where the formula ends: at the end of the line, or before a second comment in it. */
  readonly end: number;
  readonly text: string;
}

/** Reports comments beside an expression that are themselves a formula of names in scope and numbers. */
export function checkDivisions({ source, file, scope }: Module, diagnostics: Sink): void {
  const candidates = candidatesOf(source);
  let first = candidates.findIndex(({ start }) => start > (file.declarations[0]?.span.start ?? Infinity));
  if (first < 0) return;
  for (const [i, declaration] of file.declarations.entries()) {
    const next = file.declarations[i + 1]?.span.start ?? Infinity;
    let last = first;
    while (last < candidates.length && candidates[last]!.start < next) last++;
    const inside = candidates.slice(first, last);
    first = last;
    if (inside.length === 0) continue;
    const expressions = everyExpression(declaration);
    const [byEnd, own] = [grouped(expressions), namesOf(declaration, expressions)];
    for (const { start, end, text } of inside) {
      const names = wordsIn(text);
      if (!names.every((name) => own.has(name) || scope.has(name) || builtinKind(name) !== undefined)) continue;
      const left = dividend(source, byEnd, start);
      // a number beside a constant is its value
      if (!left || (names.length === 0 && left.names === 0) || !isExpression(text)) continue;
      const divisor = DIVISOR.exec(text)?.[0] ?? text;
      const meant = `floor(${source.text.slice(left.start, left.end)} / ${divisor})${text.slice(divisor.length)}`;
      diagnostics.push(commentAsDivision({ source, start, end }, text, meant, { source, start: left.start, end }));
    }
  }
}

/** The words of a formula, without the parts after a `.`. */
const wordsIn = (text: string): string[] =>
  lexemesOf(text).flatMap((one) => (isWordLexeme(one) && text[one.start - 1] !== "." ? [one.text] : []));

function candidatesOf(source: SourceFile): Candidate[] {
  const found: Candidate[] = [];
  for (const { 0: whole, 1: comment = "", index } of source.text.matchAll(BESIDE)) {
    const text = comment.split("//", 1)[0]!.trimEnd();
    const start = index + whole.indexOf("//");
    const end = index + whole.length - comment.length + text.length;
    if (text.length <= MAX_LENGTH) found.push({ start, end, text });
  }
  return found;
}

/**
 * The operand that ends before an offset: the largest expression there that binds as tightly as a division, or that brackets enclose.
 * `names` counts the names in it.
 */
function dividend(
  { text }: SourceFile,
  byEnd: ReadonlyMap<number, readonly Expr[]>,
  before: number,
): { readonly start: number; readonly end: number; readonly names: number } | undefined {
  const end = text.slice(0, before).trimEnd().length;
  for (let [inner, brackets] = [end, 0]; ; brackets++) {
    const here = (byEnd.get(inner) ?? []).filter((e) => brackets > 0 || isFactor(e));
    const [largest] = here.toSorted((a, b) => a.span.start - b.span.start);
    if (largest) {
      const start = opening(text, largest.span.start, brackets);
      return start === undefined ? undefined : { start, end, names: namesIn(largest).length };
    }
    if (text[inner - 1] !== ")") return undefined;
    inner = text.slice(0, inner - 1).trimEnd().length;
  }
}

/** The offset of the outermost of so many brackets before an offset. */
function opening(text: string, start: number, brackets: number): number | undefined {
  for (let [at, left] = [start, brackets]; ; left--) {
    if (left === 0) return at;
    at = text.slice(0, at).trimEnd().length - 1;
    if (text[at] !== "(") return undefined;
  }
}

/** Whether an expression can stand beside `/` without brackets. */
function isFactor(e: Expr): boolean {
  if (e.kind === "binary") return "*/%^".includes(e.op);
  if (e.kind === "unary") return e.op === "-";
  return e.kind === "number" || e.kind === "name" || e.kind === "call";
}

/** Expressions by the offset of their end. */
function grouped(expressions: readonly Expr[]): ReadonlyMap<number, readonly Expr[]> {
  const groups = new Map<number, Expr[]>();
  for (const e of expressions) {
    const group = groups.get(e.span.end);
    if (group) group.push(e);
    else groups.set(e.span.end, [e]);
  }
  return groups;
}

const withParts = (e: Expr): Expr[] => [e, ...children(e).flatMap(withParts)];

function everyExpression(d: Declaration): Expr[] {
  switch (d.kind) {
    case "const":
      return withParts(d.value);
    case "fn":
    case "sampler":
      return expressionsIn(d).flatMap(withParts);
    case "chain":
      return d.stages.flatMap(({ args }) => args.flatMap(({ value }) => withParts(value)));
    default:
      return [];
  }
}

/** The names that a declaration declares in it: parameters, values, states and counters. */
function namesOf(d: Declaration, expressions: readonly Expr[]): ReadonlySet<string> {
  const params = "params" in d ? d.params : [];
  const lets = d.kind === "fn" ? d.lets : d.kind === "sampler" ? declaring(d.body) : [];
  const counters = expressions.flatMap((e) =>
    e.kind === "fold" ? [e.counter] : e.kind === "repeat" ? [e.name, ...(e.counter ? [e.counter.name] : [])] : [],
  );
  return new Set([...[...params, ...lets].map(({ name }) => name.text), ...counters.map(({ text }) => text)]);
}

/** The statements that declare a name, those of nested blocks included. */
const declaring = (statements: readonly Stmt[]): (Let | StateDecl)[] =>
  statements.flatMap((s) => {
    if (s.kind === "if") return declaring([...s.then, ...(s.else ?? [])]);
    if (s.kind === "after") return declaring(s.body);
    return s.kind === "let" || s.kind === "state" ? [s] : [];
  });
