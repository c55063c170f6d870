/**
 * Interprets a program's syntax tree on lists of rows, following the language guide: an oracle that shares no code with
 * lowering, the optimizer and the backends.
 */
import { resolveArgs } from "../../../compiler/check/arguments.js";
import type { Module, Program as Checked } from "../../../compiler/check/program.js";
import type { Chain, Expr, Param, Sampler, StateDecl, Stmt } from "../../../compiler/syntax/ast.js";
import type { Span } from "../../../compiler/source/source.js";
import { drawF32, drawF64, mt19937 } from "../../../runtime/core/mt19937.js";
import type { Given as CaseGiven } from "../cases.js";
import type { Step } from "../outcome.js";
import type { Program } from "../program.js";
import { allows, readingAfter, type Reading } from "./grammars.js";
import { columnOf, evaluate, f32, isConstant, probOf, seedOf, softmax } from "./expressions.js";
import { literalOf, setOfItems, textOf, tokenSet } from "./sets.js";
import { Unclear, type Argument, type Moment, type Row, type Stage, type Value, type Write } from "./table.js";
import { Writing } from "./writing.js";

const LOGIT_MAX = 1e30;
const LOGIT_LIMIT = 1e31;

const bound = (x: number, limit: number): number => f32(Math.min(Math.max(x, -limit), limit));

/** The rows and states after each token, and what is written in place of a pick; `picks` are the tokens that were picked. */
export function meaningOf(checked: Checked, program: Program, given: CaseGiven, picks: readonly number[]): Step[] {
  const chain = checked.chains.find((c) => c.name.text === "main")!;
  const states = new Map<string, number>();
  const windows = new Map<string, number[]>();
  const history = [...given.history];
  let reading: Reading | undefined = program.grammar === undefined ? undefined : { gbnf: program.grammar, read: "" };
  let disallowed = 0;
  const writing = new Writing(given.logits[0]!.length);
  return given.logits.map((logits, step) => {
    // equal once they are clamped, but a selection may compare them before
    if (new Set(logits.filter((x) => x >= LOGIT_MAX)).size > 1)
      throw new Unclear("the order beyond the bound of logits");
    const moment: Moment = {
      step,
      vocabSize: logits.length,
      history: [...history],
      promptLength: given.history.length,
      reading,
      raw: rawOf(logits),
      fed: feedOf(given, program),
      draw: drawOf(given),
    };
    const rows = [...moment.raw].map(([token, { logit }]): Row => ({ token, logit, lets: new Map() }));
    const picked = picks[step]!;
    const run: Run = {
      moment,
      rows,
      states,
      measures: new Map(),
      stops: new Map(),
      writes: [],
      windows,
      picked,
      started: new Set(),
      integers: new Set(),
      stage: 0,
      drawing: [],
    };
    const values = { ...program.set, ...program.uniforms };
    const args = new Map(
      chain.params.map(({ name: { text: name }, isStatic }): [string, Argument] => {
        const changing = given.sets[name];
        const value = changing ? changing[step % changing.length]! : values[name]!;
        return [name, typeof value === "number" ? { value, isConstant: isStatic } : setOfItems(value, moment)];
      }),
    );
    runChain(run, checked.main, chain, args);
    const written = writing.next(run.writes);
    const token = written ?? picked;
    history.push(token);
    if (reading && !allows(reading, token)) disallowed++;
    reading &&= readingAfter(reading, token);
    const left = stageOf(run, checked.main, new Map());
    return {
      rows: {
        tokens: run.rows.map((r) => r.token),
        logits: run.rows.map((r) => r.logit),
        probs: probOf(left),
        masked: 0,
      },
      numbers: [],
      token: program.picks && picked,
      written,
      disallowed,
      states: new Map(states),
      measures: run.measures,
      stops: run.stops,
    };
  });
}

/** The rows at the start, and their softmax. */
function rawOf(logits: Float32Array): Moment["raw"] {
  const rows = [...logits.keys()].filter((token) => logits[token]! > -0.9e30);
  const bounded = rows.map((token) => bound(logits[token]!, LOGIT_MAX));
  const probs = softmax(bounded);
  return new Map(rows.map((token, i) => [token, { logit: bounded[i]!, prob: probs[i]! }]));
}

/** The run of the chain for one token. */
interface Run {
  readonly moment: Moment;
  rows: Row[];
  readonly states: Map<string, number>;
  /** Of this token. */
  readonly measures: Map<string, number>;
  readonly stops: Map<string, number>;
  readonly writes: Write[];
  readonly windows: Map<string, number[]>;
  /** States of the stages so far, by their names in the sequence. */
  readonly started: Set<string>;
  readonly picked: number;
  /** The states of type i32, by their names in the sequence. */
  readonly integers: Set<string>;
  /** The number of stages before the present one. */
  stage: number;
  /** The number of calls so far that draw in the source of each stage. */
  readonly drawing: number[];
}

/**
 * The streams of the calls that draw in a part of the next stage's source, by offset: 2^20 for each stage before, plus 1 and
 * the number of such calls before this one. The standard samplers draw from the seed's own stream.
 */
function streamsIn(run: Run, { source, start, end }: Span): Map<number, number> {
  const streams = new Map<number, number>();
  if (source.name.startsWith("std/")) return streams;
  for (const { index } of source.text.slice(start, end).matchAll(/\buniform(?:32)?\(/g)) {
    const before = run.drawing[run.stage] ?? 0;
    streams.set(start + index, 2 ** 20 * run.stage + before + 1);
    run.drawing[run.stage] = before + 1;
  }
  return streams;
}

/** Tokens without a value have bias 0 and a sparse input's declared default. */
const feedOf =
  ({ feed }: CaseGiven, { inputs }: Program): Moment["fed"] =>
  (name, token) => {
    const column = name === "bias" ? feed.bias! : feed.inputs![name]!;
    if (!(column instanceof Map)) return (column as ArrayLike<number>)[token]!;
    return (column as ReadonlyMap<number, number>).get(token) ?? inputs.find((i) => i.name === name)?.fill ?? 0;
  };

/** MurmurHash3's finalizer. */
function scrambled(x: bigint): bigint {
  const first = ((x ^ (x >> 16n)) * 0x85ebca6bn) % 2n ** 32n;
  const second = ((first ^ (first >> 13n)) * 0xc2b2ae35n) % 2n ** 32n;
  return second ^ (second >> 16n);
}

const drawOf =
  ({ draws }: CaseGiven): Moment["draw"] =>
  (kind, seed, stream, at) => {
    const rng = mt19937(stream === undefined ? seed : Number(scrambled(BigInt(seed) ^ scrambled(BigInt(stream)))));
    let value = draws?.[at % draws.length];
    for (let i = 0; value === undefined || (!draws && i <= at); i++)
      value = kind === "f64" ? drawF64(rng) : drawF32(rng);
    return Math.max(value, 2 ** -54);
  };

function runChain(run: Run, module: Module, { stages }: Chain, args: ReadonlyMap<string, Argument>): void {
  for (const call of stages) {
    const found = module.scope.get(call.name.text)!;
    const callee = found.declaration as Sampler | Chain;
    const given = resolveArgs(callee.params, call.args).bound;
    const inner = new Map<string, Argument>();
    const streams = streamsIn(run, call.span);
    for (const { name, type, default: other } of callee.params) {
      const value = given.get(name.text)?.value;
      const from = value ? { ...stageOf(run, module, args), streams } : stageOf(run, found.module, new Map());
      inner.set(name.text, argumentOf(from, (value ?? other)!, type));
    }
    if (callee.kind === "chain") runChain(run, found.module, callee, inner);
    else runSampler(run, { ...stageOf(run, found.module, inner), streams: streamsIn(run, callee.span) }, callee);
  }
}

function argumentOf(s: Stage, e: Expr, type: Param["type"]): Argument {
  if (e.kind === "string" || e.kind === "list") return e;
  if (type === "tokens") return tokenSet(s, e);
  if (type === "phrases") return { tokens: new Set() };
  const handed = e.kind === "name" ? s.args.get(e.text) : undefined;
  if (handed) return handed;
  const constant = e.kind === "name" ? textOf(s, e) : undefined;
  if (constant) return constant;
  const value = type === "seed" ? seedOf(s, e) : (evaluate(s, e) as number);
  return { value: type === "f32" ? f32(value) : value, isConstant: isConstant(s, e) };
}

const stageOf = (run: Run, module: Module, args: ReadonlyMap<string, Argument>): Stage => ({
  moment: run.moment,
  module,
  args,
  locals: new Map(),
  isFunction: false,
  streams: new Map(),
  rows: run.rows,
  scalars: new Map(),
  stateNames: new Map(),
  states: run.states,
  measures: run.measures,
  stops: run.stops,
  writes: run.writes,
  windows: run.windows,
  number: run.stage,
  integers: run.integers,
  isOrdered: false,
  picked: run.picked,
});

function runSampler(run: Run, s: Stage, { body }: Sampler): void {
  s.rows.forEach((r) => r.lets.clear());
  for (const statement of body) {
    if (statement.kind === "state") startState(run, s, statement, evaluate(s, statement.init) as number);
    else execute(s, statement);
  }
  run.rows = s.rows;
  run.stage++;
}

function startState(run: Run, s: Stage, { name: { text: name }, type }: StateDecl, init: number): void {
  const own = run.started.has(name) ? `${name}${run.started.size}` : name;
  run.started.add(own);
  s.stateNames.set(name, own);
  if (type === "i32") run.integers.add(own);
  if (run.moment.step === 0) s.states.set(own, type === "i32" ? integer(init) : init);
}

function execute(s: Stage, statement: Stmt): void {
  switch (statement.kind) {
    case "let": {
      const value = evaluate(s, statement.value);
      if (typeof value === "number") s.scalars.set(statement.name.text, value);
      else s.rows.forEach((r, i) => r.lets.set(statement.name.text, value[i]!));
      return;
    }
    case "assign": {
      const state = s.stateNames.get(statement.target.text);
      const value = assigned(s, statement);
      if (state !== undefined)
        s.states.set(state, s.integers.has(state) ? integer(value as number) : (value as number));
      else columnOf(s, value).forEach((x, i) => (s.rows[i]!.logit = bound(x, LOGIT_LIMIT)));
      return;
    }
    case "keep":
      return keep(s, columnOf(s, evaluate(s, statement.cond)), statement.atLeast);
    case "sort":
      return order(s, statement.by, statement.order === "asc" ? 1 : -1);
    case "top": {
      const count = Math.max(1, Math.trunc(evaluate(s, statement.count) as number));
      order(s, statement.by, -1);
      s.rows = s.rows.slice(0, count);
      return;
    }
    case "if": {
      const taken = (evaluate(s, statement.cond) as number) > 0 ? statement.then : (statement.else ?? []);
      return taken.forEach((inner) => execute(s, inner));
    }
    case "after":
      return statement.body.forEach((inner) => execute(s, inner));
    case "measure":
      s.measures.set(statement.name.text, f32(evaluate(s, statement.value) as number));
      return;
    case "stop":
      s.stops.set(statement.reason.value, (evaluate(s, statement.cond) as number) > 0 ? 1 : 0);
      return;
    case "write":
      s.writes.push({ text: literalOf(s, statement.text), holds: (evaluate(s, statement.cond) as number) > 0 });
      return;
    case "pick":
    case "state":
      return;
  }
}

function assigned(s: Stage, { target, op, value, span }: Extract<Stmt, { kind: "assign" }>): Value {
  if (op === "=") return evaluate(s, value);
  const left: Expr = { kind: "name", text: target.text, span };
  return evaluate(s, { kind: "binary", op: op[0] as "+" | "-" | "*" | "/", left, right: value, span });
}

/** An i32 state stays at the last integer that every smaller one has an f32 for. */
const integer = (x: number): number => bound(x, 2 ** 24);

/** The rows where the condition holds; if these are too few, also the best others. */
function keep(s: Stage, condition: readonly number[], atLeast: Expr | undefined): void {
  const least = Math.max(1, atLeast ? (evaluate(s, atLeast) as number) : 1);
  const holds = new Set(s.rows.filter((_, i) => condition[i]! > 0));
  const best = s.isOrdered ? s.rows : [...s.rows].sort((a, b) => b.logit - a.logit);
  if (holds.size < least) best.slice(0, least).forEach((r) => holds.add(r));
  s.rows = s.rows.filter((r) => holds.has(r));
}

function order(s: Stage, by: Expr | undefined, sign: 1 | -1): void {
  const keys = by ? columnOf(s, evaluate(s, by)) : s.rows.map((r) => r.logit);
  const places = new Map(s.rows.map((r, i) => [r, bound(keys[i]!, LOGIT_LIMIT)]));
  s.rows = [...s.rows].sort((a, b) => sign * (places.get(a)! - places.get(b)!));
  s.isOrdered = true;
}
