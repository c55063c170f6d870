/** Test blocks: candidates, chain and expected results. */
import type { Chain, Expr, Test, TestClause } from "../syntax/ast.js";
import { checkChain, type ChainCheck } from "./chains.js";
import { evaluateConstant } from "./constants.js";
import type { Sink } from "./diagnostics.js";
import {
  clauseTwice,
  listExpected,
  unevenRows,
  notAnInput,
  testLacks,
  tokenExpected,
  tokenTextExpected,
  tokenTextTwice,
  vocabularyTooSmall,
} from "./diagnostics/tests.js";
import { notConstant } from "./diagnostics/types.js";
import { declaredInputs } from "./inputs.js";
import type { Module } from "./program.js";
import { isTextInput } from "./texts.js";
import { constantScope, numberType } from "./types.js";

export function checkTest(check: ChainCheck, module: Module, test: Test): void {
  const { diagnostics } = check;
  const has = (...kinds: TestClause["kind"][]): boolean => test.clauses.some((c) => kinds.includes(c.kind));
  if (!has("logits", "probs")) diagnostics.push(testLacks(test.span, "`logits [...]` or `probs [...]`"));
  if (!has("run")) diagnostics.push(testLacks(test.span, "`run` with the stages to test"));
  if (!has("expect", "measure", "state")) diagnostics.push(testLacks(test.span, "`expect`"));
  reportRepeated(test, diagnostics);
  checkSteps(test, diagnostics);
  for (const clause of test.clauses) {
    if (clause.kind === "run") checkChain(check, module, chainOf(test, clause));
    else if (
      clause.kind === "input" &&
      !declaredInputs(module).has(clause.name.text) &&
      !module.broken.has(clause.name.text)
    )
      diagnostics.push(notAnInput(clause.name.span, clause.name.text));
    if (clause.kind === "vocab") checkVocabulary(test, clause, diagnostics);
    for (const { value, isWhole } of numbersOf(clause, module)) checkNumber(module, value, isWhole, diagnostics);
  }
}

/** The stages of a test as a chain without parameters. */
const chainOf = (test: Test, { stages, span }: Extract<TestClause, { kind: "run" }>): Chain => ({
  kind: "chain",
  name: { text: test.title, span },
  params: [],
  stages,
  span,
});

/** The key by which a clause must be unique; `logits` and `probs` share one. */
const purposeOf = (c: TestClause): string =>
  c.kind === "logits" || c.kind === "probs"
    ? "candidates"
    : c.kind === "expect"
      ? `expect ${c.what}`
      : c.kind === "input"
        ? `input ${c.name.text}`
        : c.kind === "measure"
          ? `expect measure ${c.name.text}`
          : c.kind === "state"
            ? `expect state ${c.name.text}`
            : c.kind === "text"
              ? "history"
              : c.kind;

function reportRepeated({ clauses }: Test, diagnostics: Sink): void {
  const seen = new Map<string, TestClause>();
  for (const clause of clauses) {
    const first = seen.get(purposeOf(clause));
    if (first) diagnostics.push(clauseTwice(clause.span, first.span));
    else seen.set(purposeOf(clause), clause);
  }
}

/** The numbers of a clause; token ids and counts are integers. */
function numbersOf(clause: TestClause, module: Module): { value: Expr; isWhole: boolean }[] {
  const all = (values: readonly Expr[], isWhole: boolean): { value: Expr; isWhole: boolean }[] =>
    values.map((value) => ({ value, isWhole }));
  switch (clause.kind) {
    case "run":
    case "vocab":
    case "text":
      return [];
    case "steps":
      return all([clause.count], true);
    case "bias":
      return clause.pairs.flatMap(([token, value]) => [...all([token], true), ...all([value], false)]);
    case "expect":
      return all(rowsOf(clause).flat(), clause.what !== "probs" && clause.what !== "logits");
    case "logits":
    case "probs":
      return all(rowsOf(clause).flat(), false);
    case "input":
      return all(clause.values, isTextInput(declaredInputs(module).get(clause.name.text)?.declaration));
    default:
      return all(clause.values, clause.kind === "history" || clause.kind === "accept");
  }
}

/** The lists of a clause, one for each step; the values themselves are the list of the first one. */
export const rowsOf = ({ values }: { readonly values: readonly Expr[] }): (readonly Expr[])[] =>
  values.some((v) => v.kind === "list") ? values.map((v) => (v.kind === "list" ? v.values : [v])) : [values];

/** Lists of candidates for each step have one length, and there are enough of them. */
function checkSteps({ clauses }: Test, diagnostics: Sink): void {
  const isRows = (c: TestClause): c is Extract<TestClause, { values: readonly Expr[] }> =>
    c.kind === "logits" || c.kind === "probs" || (c.kind === "expect" && c.what !== "token" && c.what !== "tokens");
  for (const clause of clauses.filter(isRows)) {
    const mixed = clause.values.find((v) => v.kind !== "list");
    if (mixed && clause.values.some((v) => v.kind === "list")) diagnostics.push(listExpected(mixed.span));
  }
  const given = clauses.find((c) => c.kind === "logits" || c.kind === "probs");
  if (!given) return;
  const rows = rowsOf(given);
  const uneven = rows.findIndex(({ length }) => length !== rows[0]!.length);
  if (uneven > 0) diagnostics.push(unevenRows(given.values[uneven]!.span, rows[0]!.length, rows[uneven]!.length));
}

/** Distinct texts, at least one for each candidate. */
function checkVocabulary(
  test: Test,
  { values, span }: Extract<TestClause, { kind: "vocab" }>,
  diagnostics: Sink,
): void {
  const seen = new Map<string, Expr>();
  for (const value of values) {
    if (value.kind !== "string") {
      diagnostics.push(tokenTextExpected(value.span));
      continue;
    }
    const first = seen.get(value.value);
    if (first) diagnostics.push(tokenTextTwice(value.span, value.value, first.span));
    else seen.set(value.value, value);
  }
  const rows = test.clauses.find((c) => c.kind === "logits" || c.kind === "probs");
  const needed = rows ? rowsOf(rows)[0]!.length : 0;
  if (rows && values.length < needed) diagnostics.push(vocabularyTooSmall(span, values.length, needed, rows.span));
}

function checkNumber(module: Module, value: Expr, isWhole: boolean, diagnostics: Sink): void {
  if (numberType(constantScope(module, diagnostics), value).type === "error") return;
  const constant = evaluateConstant(value, module);
  if (constant === undefined) diagnostics.push(notConstant(value.span, "a number of a test"));
  else if (isWhole && !(Number.isInteger(constant) && constant >= 0))
    diagnostics.push(tokenExpected(value.span, constant));
}
