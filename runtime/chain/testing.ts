/** Runs `test` blocks: a chain on given numbers, compared with the expected results. */
import { constantIn } from "@ggsl/compiler/check/types.js";
import { rowsOf } from "@ggsl/compiler/check/tests.js";
import { isError } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { compileError } from "@ggsl/compiler/check/format.js";
import type { Module, Program } from "@ggsl/compiler/check/program.js";
import type { Importer } from "@ggsl/compiler/source/importer.js";
import { ALL_OUTPUTS, checkSource, compileChain, graphOf } from "@ggsl/compiler/driver.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import type { Chain, Expr, Test, TestClause } from "@ggsl/compiler/syntax/ast.js";
import { lineColumn, type SourceFile } from "@ggsl/compiler/source/source.js";
import * as is from "../core/check.js";
import { InputError, invalid } from "../core/errors.js";
import {
  chosenBackend,
  createEvaluator,
  type EvaluateBackend,
  type EvaluateOptions,
  type Evaluation,
} from "./evaluate.js";
import type { Feed, Pairs } from "../sequence/features/feed.js";
import { vocabularyOption } from "../sequence/features/feedOption.js";
import { device } from "../core/sharedOptions.js";
import { PhraseFinder, preparedPhrases } from "../sequence/phrases/finder.js";
import type { Phrase } from "../sequence/phrases/phrases.js";
import { phraseValues } from "../sequence/phrases/values.js";
import { textsOf, toBytes, vocabularyFrom, type GivenVocabulary } from "../core/vocabulary.js";

/** Tolerance for probabilities and logits: tests are written with a few digits. */
const TOLERANCE = 1e-4;

const MAX_STEPS = 100_000;

export interface TestResult {
  readonly title: string;
  readonly file: string;
  readonly line: number;
  readonly backend: string;
  /** What differs; empty if the test passed. */
  readonly differences: readonly Difference[];
}

export interface Difference {
  /** What was compared: `probs`, `kept`, ... or `error`. */
  readonly what: string;
  /** Expected and found values for each token or index that differs. */
  readonly rows: readonly { readonly at: string; readonly expected: string; readonly found: string }[];
}

type Clause<K extends TestClause["kind"]> = Extract<TestClause, { kind: K }>;

interface TestOptions extends Pick<EvaluateOptions, "device" | "strict"> {
  /** Only this test, counted from 0. */
  readonly only?: number | undefined;
  /** Only the test on this line of the file, counted from 1. */
  readonly line?: number | undefined;
  /** The vocabulary of tests that have none. */
  readonly vocabulary?: GivenVocabulary | undefined;
}

const TEST: is.Checks<TestOptions> = {
  only: is.integer(0),
  line: is.integer(1),
  vocabulary: vocabularyOption,
  device,
  strict: is.flag,
};
const checkTest = is.options(TEST);

/**
 * Runs every test of a file on every backend. Throws `CompileError` for a program that does not compile, and `InputError` for a line
 * that no test is on.
 */
export const runTests = (...of: Parameters<typeof eachTest>): TestResult[] => [...eachTest(...of)];

/** As `runTests`, one result after another. */
export function* eachTest(
  source: SourceFile,
  backends: readonly EvaluateBackend[],
  importer?: Importer,
  given: TestOptions = {},
): Generator<TestResult, void, void> {
  checkTest(given, "options");
  const { only, line: wanted, ...options } = given;
  const { program, diagnostics } = checkSource(source, importer ? { importer } : {});
  if (!program) throw compileError(diagnostics.filter(isError));
  const chosen = wanted === undefined ? program.tests : [testOn(program, source, wanted)];
  const tests = only === undefined ? chosen : chosen.slice(only, only + 1);
  for (const test of tests) {
    const { line } = lineColumn(source, test.span.start);
    for (const backend of backends)
      yield {
        title: test.title,
        file: source.name,
        line,
        backend: chosenBackend(backend),
        differences: runTest(program, test, { ...options, backend }),
      };
  }
}

function testOn({ tests }: Program, source: SourceFile, line: number): Test {
  const lineAt = (offset: number): number => lineColumn(source, offset).line;
  const found = tests.find(({ span }) => lineAt(span.start) <= line && line <= lineAt(span.end));
  if (found) return found;
  const known = tests.map(({ span }) => lineAt(span.start)).join(", ") || "none";
  throw invalid(`no test block is on line ${line} of "${source.name}"; they begin on these lines: ${known}`);
}

type Where = Omit<TestOptions, "only" | "line"> & { readonly backend: EvaluateBackend };

function runTest(program: Program, test: Test, where: Where): Difference[] {
  try {
    return compareTest(program, test, where);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [{ what: "error", rows: [{ at: "", expected: "a result", found: error.message }] }];
  }
}

function compareTest(program: Program, test: Test, where: Where): Difference[] {
  const { main: module } = program;
  const clauses = <K extends TestClause["kind"]>(kind: K): Clause<K>[] =>
    test.clauses.filter((c): c is Clause<K> => c.kind === kind);
  const numbers = (values: readonly Expr[]): number[] => values.map((e) => numberOf(module, e));
  const rows = (clause: { readonly values: readonly Expr[] }): number[][] => rowsOf(clause).map(numbers);
  const given = clauses("logits")[0]
    ? rows(clauses("logits")[0]!)
    : rows(clauses("probs")[0] ?? { values: [] }).map((probs) => probs.map(Math.log));
  const [first = []] = given;
  if (first.length === 0)
    throw new InputError("the test has no candidates: add `probs [...]` or `logits [...]`", { code: "INVALID_TEST" });
  const run = clauses("run")[0];
  if (!run) throw new InputError("the test has no stages: add `run STAGES`", { code: "INVALID_TEST" });
  const graph = graphOfStages(program, run, test);
  const bias = new Map(
    clauses("bias").flatMap((c) => c.pairs.map(([t, v]) => [numberOf(module, t), numberOf(module, v)] as const)),
  );
  const inputs = Object.fromEntries(
    clauses("input").map((c) => [c.name.text, inputValues(graph, c.name.text, numbers(c.values))]),
  );
  const texts = clauses("vocab")[0]?.values.flatMap((e) => (e.kind === "string" ? [e.value] : []));
  const { vocabulary: other, ...options } = where;
  const vocabulary = texts ?? other;
  const feed = { bias, inputs, ...(vocabulary && { vocabulary }) };
  const [text] = clauses("text");
  const history = text ? tokensOf(text.text, vocabulary) : numbers(clauses("history")[0]?.values ?? []);
  const accepted = numbers(clauses("accept")[0]?.values ?? []);
  const stray = accepted.find((token) => token >= first.length);
  if (stray !== undefined)
    throw new InputError(`\`accept\` has token ${stray}, and the test has ${first.length} candidates`, {
      code: "INVALID_TEST",
    });
  const count = clauses("steps")[0] ? numberOf(module, clauses("steps")[0]!.count) : given.length;
  if (count > MAX_STEPS)
    throw new InputError(`a test can have at most ${MAX_STEPS} steps, found ${count}`, { code: "LIMIT_EXCEEDED" });
  if (given.length > 1 && count > given.length)
    throw new InputError(`the test has ${count} steps and candidates for ${given.length}: give a list for each step`, {
      code: "INVALID_TEST",
    });
  const { steps, states } = written(graph, feed, Math.max(1, count), (rejected, count) => {
    using evaluator = createEvaluator(graph, first.length, { ...options, history, feed });
    for (const token of accepted) {
      evaluator.evaluate(first.map((_, row) => (row === token ? 0 : -Infinity)));
      evaluator.accept(token);
    }
    return Array.from({ length: count }, (_, i) => {
      const tokens = rejected.get(i);
      if (tokens) evaluator.reject(tokens);
      const evaluation = evaluator.evaluate(given[i] ?? first);
      if (evaluation.token !== null) evaluator.accept();
      return { evaluation, states: evaluator.states };
    });
  });
  return [
    ...clauses("expect").flatMap((c) =>
      c.values.some((v) => v.kind === "list")
        ? compareSteps(c.what, rows(c), steps, first.length)
        : compare(c.what, numbers(c.values), steps, first.length),
    ),
    ...clauses("state").flatMap((c) => compareState(c.name.text, numbers(c.values), states)),
    ...clauses("measure").flatMap((c) => compareMeasure(c.name.text, numbers(c.values), steps)),
    ...clauses("stop").flatMap((c) => compareStop(c.text, graph, steps)),
  ];
}

interface Step {
  readonly evaluation: Evaluation;
  readonly states: Readonly<Record<string, number>>;
}

/** How often a test may be taken back because of phrases. */
const MAX_REWINDS = 1000;

/**
 * The steps of a test. Where its text has a phrase, the steps run again, with its first token rejected at its place.
 * @param run so many steps, with the tokens that are rejected at some
 */
function written(
  graph: Graph,
  feed: Feed,
  count: number,
  run: (rejected: ReadonlyMap<number, readonly number[]>, count: number) => readonly Step[],
): { steps: Evaluation[]; states: Step["states"][] } {
  const rejected = new Map<number, readonly number[]>();
  const list = [...phraseValues(graph, {}).values()].flat();
  for (let i = 0; i <= MAX_REWINDS; i++) {
    const all = run(rejected, count);
    const steps = all.map(({ evaluation }) => evaluation);
    const place = list.length > 0 ? phrasePlace(steps, list, feed) : undefined;
    if (place === undefined) return { steps, states: all.map(({ states }) => states) };
    const token = steps[place]!.token!;
    if (rejected.get(place)?.includes(token))
      throw new InputError(`the chain leaves no token but ${token} at step ${place + 1}, where a phrase begins`, {
        code: "INVALID_TEST",
      });
    for (const later of rejected.keys()) if (later > place) rejected.delete(later);
    rejected.set(place, [...(rejected.get(place) ?? []), token]);
  }
  throw new InputError(`the text of a test is taken back more than ${MAX_REWINDS} times`, { code: "LIMIT_EXCEEDED" });
}

/** The step whose token begins the first phrase; undefined without one. */
function phrasePlace(steps: readonly Evaluation[], list: readonly Phrase[], feed: Feed): number | undefined {
  if (!feed.vocabulary)
    throw new InputError("phrases need a vocabulary: `vocab [...]` of the test, or `--vocab`", {
      code: "MISSING_VOCABULARY",
    });
  const texts = textsOf(vocabularyFrom(feed.vocabulary));
  const finder = new PhraseFinder(preparedPhrases(list, "phrases"));
  const ends: number[] = [];
  for (const { token } of steps) {
    const bytes = Uint8Array.from(token === null ? "" : (texts[token] ?? ""), (one) => one.charCodeAt(0));
    ends.push((ends.at(-1) ?? 0) + bytes.length);
    const found = finder.read(bytes);
    if (found) return ends.findIndex((end) => end > found.begin);
  }
  return undefined;
}

/** Converts the row of a sparse input to the pairs that differ from its fill value. */
function inputValues(graph: Graph, name: string, values: number[]): number[] | Pairs {
  const form = graph.features.find(({ from }) => "name" in from && from.name === name)?.form;
  if (form?.kind !== "sparse") return values;
  return new Map([...values.entries()].filter(([, value]) => value !== form.fill));
}

function graphOfStages(program: Program, { stages, span }: Clause<"run">, test: Test): Graph {
  const chain: Chain = { kind: "chain", name: { text: "test", span: test.span }, params: [], stages, span };
  const states = new Set(test.clauses.flatMap((c) => (c.kind === "state" ? [c.name.text] : [])));
  return graphOf(compileChain(program, chain, { outputs: ALL_OUTPUTS, states }));
}

function numberOf(module: Module, expr: Expr): number {
  const value = constantIn(module, expr);
  if (value === undefined) throw new InputError("numbers in a test must be constants", { code: "INVALID_TEST" });
  return expr.kind === "unary" && expr.operand.kind === "number" && expr.operand.value === Infinity ? -Infinity : value;
}

// ---------------------------------------------------------------- comparing

function compare(
  what: Clause<"expect">["what"],
  expected: number[],
  steps: Evaluation[],
  vocabSize: number,
): Difference[] {
  const { candidates, token } = steps[0]!;
  const tokens = candidates.map((c) => c.token);
  switch (what) {
    case "probs":
      return differences(
        what,
        expected,
        spread(candidates, vocabSize, (c) => c.prob, 0),
        TOLERANCE,
      );
    case "logits":
      return differences(
        what,
        expected,
        spread(candidates, vocabSize, (c) => c.logit, -Infinity),
        TOLERANCE,
      );
    case "kept":
      return differences(what, expected.toSorted(ascending), tokens.toSorted(ascending), 0);
    case "order":
      return differences(what, expected, tokens, 0);
    case "token":
      return differences(what, expected, token === null ? [] : [token], 0);
    case "tokens":
      return differences(
        what,
        expected,
        steps.flatMap((s) => (s.token === null ? [] : [s.token])),
        0,
      );
  }
}

/** The tokens of a text. */
function tokensOf(text: string, vocabulary: GivenVocabulary | undefined): number[] {
  if (!vocabulary)
    throw new InputError("`text` needs a vocabulary: add `vocab [...]` to the test, or give one", {
      code: "MISSING_VOCABULARY",
    });
  return [...vocabularyFrom(vocabulary).tokenize(toBytes(text))];
}

/** A list of expected values for each step. */
function compareSteps(
  what: Clause<"expect">["what"],
  expected: number[][],
  steps: Evaluation[],
  vocabSize: number,
): Difference[] {
  if (expected.length !== steps.length)
    return [{ what, rows: [{ at: "steps", expected: String(expected.length), found: String(steps.length) }] }];
  return expected.flatMap((values, i) =>
    compare(what, values, steps.slice(i), vocabSize).map(({ rows }) => ({
      what,
      rows: rows.map((row) => ({ ...row, at: `${row.at} in step ${i + 1}` })),
    })),
  );
}

/** A state has a value after each step. */
function compareState(
  name: string,
  expected: number[],
  states: readonly Readonly<Record<string, number>>[],
): Difference[] {
  const found = states.flatMap((values) => values[name] ?? []);
  if (found.length > 0) return differences(`state ${name}`, expected, found, TOLERANCE);
  const names = Object.keys(states[0]!);
  const known = names.length > 0 ? `they keep ${names.join(", ")}` : "they keep none";
  throw new InputError(`the stages of the test keep no state \`${name}\`: ${known}`, { code: "INVALID_TEST" });
}

/** A measure has a value at each step. */
function compareMeasure(name: string, expected: number[], steps: Evaluation[]): Difference[] {
  const found = steps.flatMap(({ measures }) => measures?.[name] ?? []);
  if (found.length > 0) return differences(`measure ${name}`, expected, found, TOLERANCE);
  const names = Object.keys(steps[0]!.measures ?? {});
  const known = names.length > 0 ? `it has ${names.join(", ")}` : "it has none";
  throw new InputError(`the stages of the test have no measure \`${name}\`: ${known}`, { code: "INVALID_TEST" });
}

/** The stop that ends the text after the last step, and none before; an empty name: it goes on. */
function compareStop(name: string, { stops = [] }: Graph, steps: Evaluation[]): Difference[] {
  const names = [...new Set(stops.map((s) => s.name))];
  if (name !== "" && !names.includes(name)) {
    const known = names.length > 0 ? `they have ${names.join(", ")}` : "they have none";
    throw new InputError(`the stages of the test have no stop \`${name}\`: ${known}`, { code: "INVALID_TEST" });
  }
  const show = (stop: string | undefined): string => stop || "none";
  const rows = steps.flatMap(({ stop }, i) => {
    const expected = show(i + 1 === steps.length ? name : undefined);
    return expected === show(stop) ? [] : [{ at: `step ${i + 1}`, expected, found: show(stop) }];
  });
  return rows.length > 0 ? [{ what: "stop", rows }] : [];
}

const ascending = (a: number, b: number): number => a - b;

/** A number for every token of the vocabulary. */
function spread(
  candidates: Evaluation["candidates"],
  vocabSize: number,
  of: (c: Evaluation["candidates"][number]) => number,
  rest: number,
): number[] {
  const values = Array<number>(vocabSize).fill(rest);
  for (const c of candidates) values[c.token] = of(c);
  return values;
}

function differences(what: string, expected: number[], found: number[], tolerance: number): Difference[] {
  const isSame = (a: number | undefined, b: number | undefined): boolean =>
    a === b || (a !== undefined && b !== undefined && Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a)));
  const show = (x: number | undefined): string => (x === undefined ? "none" : String(Number(x.toPrecision(6))));
  const length = Math.max(expected.length, found.length);
  const rows = Array.from({ length }, (_, i) => i)
    .filter((i) => !isSame(expected[i], found[i]))
    .map((i) => ({ at: String(i), expected: show(expected[i]), found: show(found[i]) }));
  return rows.length > 0 ? [{ what, rows }] : [];
}
