/** The generator itself: its programs cover every construct of the language, and the checker accepts all of them. */
import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { countsOf } from "../../compiler/builtins/builtin.js";
import { FUNCTIONS, NAMES } from "../../compiler/builtins/builtins.js";
import { STD_SAMPLERS } from "../../compiler/std/samplers.js";
import type { Expr, Param, Sampler, Stmt } from "../../compiler/syntax/ast.js";
import { parse } from "../../compiler/syntax/parse.js";
import { children, expressionsOf } from "../../compiler/syntax/walk.js";
import { compileIn, PLAIN, Refused } from "./compile.js";
import { programs } from "./program.js";
import { SEED } from "./settings.js";
import { standardFilters, standardPicks } from "./standard.js";

const SAMPLE = 120;

/** A grammar needs a model's vocabulary, so test/native covers it; test/language covers the text so far. */
const ELSEWHERE = ["allowed", "last", "ends_with", "since", "prompt_length", "completes"];

const OPERATORS = ["+", "-", "*", "/", "%", "^", "<", "<=", ">", ">=", "==", "!=", "and", "or"];
const ASSIGNMENTS = ["=", "+=", "-=", "*=", "/="];

const WANTED: readonly string[] = [
  ...Object.keys(FUNCTIONS)
    .filter((name) => !ELSEWHERE.includes(name))
    .map((name) => `${name}()`),
  ...Object.entries(FUNCTIONS).flatMap(([name, builtin]) => {
    const { least, most } = countsOf(builtin);
    return least === most ? [] : [`${name}() of ${least}`, `${name}() of ${most}`];
  }),
  ...Object.keys(NAMES).filter((name) => !ELSEWHERE.includes(name)),
  ...OPERATORS.map((op) => `a ${op} b`),
  ...["-a", "not a", "a ? b : c", "true or false", "list"],
  ...["let", "keep", "keep at least", "top", "top by", "sort", "sort asc", "sort by"],
  ...["if", "if else", "if inside if", "pick sample", "pick sample at", "pick argmax"],
  ...["state f32", "state i32", "state bool", "after"],
  ...ASSIGNMENTS.flatMap((op) => [`logit ${op}`, `state ${op}`]),
  ...["const", "input", "input sparse", "import", "sampler", "chain", "chain inside chain", "named argument"],
  ...["f32", "i32", "bool"].flatMap((type) => [`parameter ${type}`, `parameter static ${type}`]),
  ...["parameter seed", "range in", "range >=", "range <=", "range >", "range <"],
];

/** Counts the constructs in a program. */
function constructsOf(text: string): string[] {
  const found: string[] = [];
  const note = (...names: string[]): void => void found.push(...names);
  const expression = (e: Expr): void => {
    if (e.kind === "call") note(`${e.callee.text}()`, `${e.callee.text}() of ${e.args.length}`);
    if (e.kind === "name") note(e.text);
    if (e.kind === "binary") note(`a ${e.op} b`);
    if (e.kind === "unary") note(e.op === "-" ? "-a" : "not a");
    if (e.kind === "conditional") note("a ? b : c");
    if (e.kind === "bool") note("true or false");
    if (e.kind === "list") note("list");
    children(e).forEach(expression);
  };
  const statement = (s: Stmt, isInsideIf: boolean): void => {
    expressionsOf(s).forEach(expression);
    if (s.kind === "assign") note(`${s.target.text === "logit" ? "logit" : "state"} ${s.op}`);
    else if (s.kind === "keep") note(s.atLeast ? "keep at least" : "keep");
    else if (s.kind === "top") note(s.by ? "top by" : "top");
    else if (s.kind === "sort") note(s.by ? "sort by" : "sort", ...(s.order === "asc" ? ["sort asc"] : []));
    else if (s.kind === "pick") note(`pick ${s.how}`, ...(s.at ? ["pick sample at"] : []));
    else if (s.kind === "state") note(`state ${s.type}`);
    else note(s.kind);
    if (s.kind === "if") {
      note(...(s.else ? ["if else"] : []), ...(isInsideIf ? ["if inside if"] : []));
      [...s.then, ...(s.else ?? [])].forEach((inner) => statement(inner, true));
    }
    if (s.kind === "after") s.body.forEach((inner) => statement(inner, false));
  };
  const parameter = ({ isStatic, type, range }: Param): void => {
    note(`parameter ${isStatic ? "static " : ""}${type}`);
    if (range) note(range.kind === "in" ? "range in" : `range ${range.op}`);
  };
  const sampler = ({ params, body }: Sampler): void => {
    params.forEach(parameter);
    body.forEach((s) => statement(s, false));
  };
  for (const d of parse({ name: "random.ggsl", text }).file.declarations) {
    note(d.kind);
    if (d.kind === "sampler") sampler(d);
    if (d.kind === "input" && d.sparse) note("input sparse");
    if (d.kind !== "chain") continue;
    d.params.forEach(parameter);
    for (const { name, args } of d.stages) {
      note(`stage ${name.text}`, ...(args.some((a) => a.name) ? ["named argument"] : []));
      if (name.text === "part") note("chain inside chain");
      args.forEach((a) => expression(a.value));
    }
  }
  return found;
}

test("every construct of the language is in some program, and the checker accepts every program", () => {
  const counts = new Map<string, number>();
  let refused = 0;
  for (const program of fc.sample(programs, { seed: SEED, numRuns: SAMPLE })) {
    for (const name of new Set(constructsOf(program.text))) counts.set(name, (counts.get(name) ?? 0) + 1);
    try {
      compileIn(program).graph(PLAIN);
    } catch (error) {
      if (!(error instanceof Refused)) throw new Error(`${program.text}\n${(error as Error).message}`);
      refused++;
    }
  }
  expect(WANTED.filter((name) => (counts.get(name) ?? 0) < 2)).toEqual([]);
  expect(refused).toBeLessThanOrEqual(0.02 * SAMPLE);
});

test("every standard sampler is a stage of some program, with each of its parameters", () => {
  const choices = fc.sample(fc.oneof(standardFilters, standardPicks), { seed: SEED, numRuns: 1000 });
  const found = new Map(choices.map(({ sampler, args }) => [sampler.name, Object.keys(args)]));
  const wanted = STD_SAMPLERS.map(({ name, declaration }) => [name, declaration.params.map((p) => p.name.text)]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
});
