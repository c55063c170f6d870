/** Folds and `repeat`: an expression in a static number of rounds. */
import type { Bounds, Expr, Fold, Repeat } from "../syntax/ast.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { boundNotStatic, emptyExtremum, negativeRounds, tooManyRounds } from "../diagnostics/functions.js";
import { mustBeWhole, typeMismatch } from "../diagnostics/types.js";
import { ERROR, join, kindOf, resultType, node, scalarType, withName, type Scope, type Typing } from "./scope.js";
import type * as T from "./tree.js";

/** The most rounds: each is lowered separately. */
const MAX_ROUNDS = 64;

/** The values of a counter, from the first to the last. */
export interface Rounds {
  readonly from: number;
  readonly to: number;
}

const COUNTER = scalarType("i32", "static");

/** What is wrong with the number of rounds of a loop, by the values of its ends. */
export function roundsFault({ ends, span, extremum }: T.Rounds, values: readonly number[]): Diagnostic | undefined {
  const broken = values.findIndex((x) => !Number.isInteger(x));
  if (broken >= 0) return mustBeWhole(ends[broken]!.span, "the number of rounds", String(values[broken]));
  const { from, to } = roundsOf(values);
  if (to - from + 1 > MAX_ROUNDS) return tooManyRounds(span, to - from + 1, MAX_ROUNDS);
  if (ends.length === 1 && to < 0) return negativeRounds(span, to);
  return extremum !== undefined && to < from ? emptyExtremum(span, extremum, from, to) : undefined;
}

/** The rounds, by the values of the loop's ends. */
export const roundsOf = (ends: readonly number[]): Rounds =>
  ends.length === 1 ? { from: 1, to: ends[0]! } : { from: ends[0]!, to: ends[1]! };

/** The rounds of a loop; undefined if they are invalid as far as they are known. */
function typedRounds(
  { typedNumber }: Typing,
  scope: Scope,
  given: Bounds | Expr,
  extremum?: T.Rounds["extremum"],
): T.Rounds | undefined {
  const { span } = given;
  const ends = ("kind" in given ? [given] : [given.from, given.to]).map((end) => {
    const found = typedNumber(scope, end);
    if (found.type !== "error" && found.rate !== "static") scope.diagnostics.push(boundNotStatic(end.span));
    return found;
  });
  if (!ends.every(({ type, rate }) => type !== "error" && rate === "static")) return undefined;
  const rounds = { ends, span, ...(extremum && { extremum }) };
  // names of the sampler are known later
  const values = ends.map(({ constant }) => constant);
  const fault = values.every((x) => x !== undefined) ? roundsFault(rounds, values) : undefined;
  if (fault) scope.diagnostics.push(fault);
  return fault ? undefined : rounds;
}

export function typedFold(typing: Typing, scope: Scope, fold: Fold): T.Expr {
  const { how, counter: name, bounds, span } = fold;
  const rounds = typedRounds(typing, scope, bounds, how === "min" || how === "max" ? how : undefined);
  const counter: T.Local = { kind: "counter", span: name.span, type: COUNTER };
  const inner: Scope = { ...withName(scope, name, counter), drawless: scope.drawless ?? "loop" };
  const isOfConditions = how === "any" || how === "all";
  const body = isOfConditions ? typing.typedCondition(inner, fold.body) : typing.typedNumber(inner, fold.body);
  return rounds ? node<T.Fold>(body, { kind: "fold", how, rounds, counter, body, span }) : ERROR;
}

/**
 * The type of the value that changes includes those of its start and of the rounds. It is found by checking the body until the
 * type stays, each time from the type that was found before, so that nested loops do not multiply the work.
 */
export function typedRepeat(typing: Typing, scope: Scope, repeat: Repeat): T.Expr {
  const { typed, typedNumber } = typing;
  const { count, counter: counted, name, span } = repeat;
  const rounds = typedRounds(typing, scope, counted?.bounds ?? count!);
  const init = typing.typedValue(scope, repeat.init);
  const counter: T.Local | undefined = counted && { kind: "counter", span: counted.name.span, type: COUNTER };
  const outer = counted ? withName(scope, counted.name, counter!) : scope;
  const repeats = scope.repeats ?? new Map<Repeat, T.Type>();
  const { diagnostics } = scope;
  let type = widest(init, repeats.get(repeat) ?? init);
  for (;;) {
    const found: Diagnostic[] = [];
    const repeated: T.Local = { kind: "repeated", span: name.span, type };
    const named = withName({ ...outer, diagnostics: found }, name, repeated);
    const inner: Scope = { ...named, repeats, drawless: scope.drawless ?? "loop" };
    const body =
      type.type === "error" || type.type === "bool" ? typed(inner, repeat.body) : typedNumber(inner, repeat.body);
    const isMixed = type.type === "bool" && body.type !== "bool" && body.type !== "error";
    if (isMixed) found.push(typeMismatch(repeat.body.span, "a condition", kindOf(body)));
    const next = isMixed ? ERROR : widest(type, body);
    const isStable = next.type === type.type && next.shape === type.shape && next.rate === type.rate;
    if (isStable || next.type === "error") {
      for (const one of found) diagnostics.push(one);
      return rounds ? node<T.Repeat>(next, { kind: "repeat", rounds, counter, repeated, init, body, span }) : ERROR;
    }
    type = next;
    repeats.set(repeat, type);
  }
}

/** A value that is not static is computed by the graph where its expression would grow with each round. */
function widest(a: T.Type, b: T.Type): T.Type {
  const type = a.type === b.type || a.type === "error" ? a.type : resultType("number", [a, b]);
  const joined = join(type, a, b);
  return joined.rate === "uniform" ? { ...joined, rate: "runtime" } : joined;
}
