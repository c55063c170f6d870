/** Test blocks: candidates, chain and expected results. */
import type { Chain, Expr, Test, TestClause } from "../syntax/ast.js";
import { checkChain, stagesOf, type ChainCheck } from "./chains.js";
import type { Sink } from "../diagnostics/diagnostic.js";
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
} from "../diagnostics/tests.js";
import { notConstant } from "../diagnostics/types.js";
import { declaredInputs } from "./inputs.js";
import { declaredBy, noteUse } from "./names.js";
import { bindingOf } from "./program.js";
import { bodyOf } from "./samplers.js";
import { constantScope, visit, type Scope } from "./scope.js";
import { isTextInput } from "./texts.js";
import type { Meaning, Module, Stage, StageBinding, Stmt } from "./tree.js";
import { typedNumber, TYPING } from "./types.js";
import { statementsIn } from "./walk.js";

export function checkTest(check: ChainCheck, module: Module, test: Test): void {
  const { diagnostics } = check;
  const { clauses } = test;
  const has = (...kinds: TestClause["kind"][]): boolean => clauses.some((c) => kinds.includes(c.kind));
  if (!has("logits", "probs")) diagnostics.push(testLacks(test.span, "`logits [...]` or `probs [...]`"));
  if (!has("run")) diagnostics.push(testLacks(test.span, "`run` with the stages to test"));
  if (!has("expect", "measure", "state", "stop")) diagnostics.push(testLacks(test.span, "`expect`"));
  reportRepeated(test, diagnostics);
  checkSteps(test, diagnostics);
  const inputs = declaredInputs(module);
  const stages: Stage[] = [];
  for (const clause of clauses) {
    if (clause.kind === "run") {
      const chain = bindingOf(chainOf(test, clause), module);
      checkChain(check, chain);
      for (const stage of stagesOf(chain).value) stages.push(stage);
    }
    if (clause.kind === "input") {
      const { name } = clause;
      const input = inputs.get(name.text);
      noteUse(module.uses, name, input && declaredBy(input));
      if (!input && !module.broken.has(name.text)) diagnostics.push(notAnInput(name.span, name.text));
    }
    if (clause.kind === "vocab") {
      checkVocabulary(test, clause, diagnostics);
      for (const value of clause.values) visit(TYPING, constantScope(module, []), value);
    }
    for (const { value, isWhole } of numbersOf(clause, inputs))
      checkNumber(constantScope(module, diagnostics), value, isWhole);
  }
  for (const clause of clauses)
    if (clause.kind === "measure" || clause.kind === "state")
      noteUse(module.uses, clause.name, ofStages(stages, clause));
}

type Reported = Extract<TestClause, { kind: "measure" | "state" }>;

/** The first measure or state of a name in these stages. */
function ofStages(stages: readonly Stage[], wanted: Reported, seen = new Set<StageBinding>()): Meaning | undefined {
  for (const stage of stages) {
    // a faulty chain may have itself as a stage
    if (stage.kind !== "stage" || seen.has(stage.callee)) continue;
    const { callee } = stage;
    seen.add(callee);
    const found =
      callee.kind === "chain"
        ? ofStages(stagesOf(callee).value, wanted, seen)
        : ofStatements(bodyOf(callee).value, wanted);
    if (found) return found;
  }
  return undefined;
}

function ofStatements(statements: readonly Stmt[], wanted: Reported): Meaning | undefined {
  for (const s of statements) {
    const found = ofStatements(statementsIn(s), wanted);
    if (found) return found;
    if ((s.kind !== "measure" && s.kind !== "state") || s.kind !== wanted.kind || s.name.text !== wanted.name.text)
      continue;
    return s.kind === "state" ? s.local : { kind: "measure", span: s.name.span };
  }
  return undefined;
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
              : c.kind === "stop"
                ? "expect stop"
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
function numbersOf(clause: TestClause, inputs: ReturnType<typeof declaredInputs>): { value: Expr; isWhole: boolean }[] {
  const all = (values: readonly Expr[], isWhole: boolean): { value: Expr; isWhole: boolean }[] =>
    values.map((value) => ({ value, isWhole }));
  switch (clause.kind) {
    case "run":
    case "vocab":
    case "text":
    case "stop":
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
      return all(clause.values, isTextInput(inputs.get(clause.name.text)));
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

function checkNumber(scope: Scope, value: Expr, isWhole: boolean): void {
  const { type, constant } = typedNumber(scope, value);
  if (type === "error") return;
  if (constant === undefined) scope.diagnostics.push(notConstant(value.span, "a number of a test"));
  else if (isWhole && !(Number.isInteger(constant) && constant >= 0))
    scope.diagnostics.push(tokenExpected(value.span, constant));
}
