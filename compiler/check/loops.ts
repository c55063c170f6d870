/** Folds and `repeat`: an expression in a static number of rounds. */
import type { Bounds, Expr, Fold, Repeat } from "../syntax/ast.js";
import { namesIn } from "../syntax/walk.js";
import { evaluateConstant } from "./constants.js";
import type { Diagnostic } from "./diagnostics.js";
import { boundNotStatic, emptyExtremum, negativeRounds, tooManyRounds } from "./diagnostics/functions.js";
import { mustBeWhole, typeMismatch } from "./diagnostics/types.js";
import { ERROR, join, kindOf, resultType, scalarType, withName, type Scope, type Type, type Typing } from "./scope.js";

/** The most rounds: each is lowered separately. */
const MAX_ROUNDS = 64;

/** The values of a counter, from the first to the last. */
export interface Rounds {
  readonly from: number;
  readonly to: number;
}

export const roundsIn = ({ from, to }: Rounds): number => Math.max(0, to - from + 1);

const COUNTER = scalarType("i32", "static");

/** What is wrong with the number of rounds of a loop. */
export function roundsFault(loop: Fold | Repeat, { from, to }: Rounds): Diagnostic | undefined {
  const ends = endsOf(loop);
  const broken = [from, to].findIndex((x) => !Number.isInteger(x));
  if (broken >= 0)
    return mustBeWhole((ends[broken] ?? ends[0]!).span, "the number of rounds", String([from, to][broken]));
  const { span } = ends.length === 1 ? ends[0]! : boundsOf(loop)!;
  if (to - from + 1 > MAX_ROUNDS) return tooManyRounds(span, to - from + 1, MAX_ROUNDS);
  if (ends.length === 1 && to < 0) return negativeRounds(span, to);
  const isExtremum = loop.kind === "fold" && (loop.how === "min" || loop.how === "max");
  return isExtremum && to < from ? emptyExtremum(span, loop.how, from, to) : undefined;
}

const boundsOf = (loop: Fold | Repeat): Bounds | undefined =>
  loop.kind === "fold" ? loop.bounds : loop.counter?.bounds;

/** The expressions that give the rounds: the first and the last value of the counter, or how many there are. */
export function endsOf(loop: Fold | Repeat): readonly Expr[] {
  const bounds = boundsOf(loop);
  return bounds ? [bounds.from, bounds.to] : [(loop as Repeat).count!];
}

/** The rounds, by the values of `endsOf`. */
export const roundsOf = (ends: readonly number[]): Rounds =>
  ends.length === 1 ? { from: 1, to: ends[0]! } : { from: ends[0]!, to: ends[1]! };

/** Whether the rounds are valid as far as they are known. */
function checkRounds({ numberType }: Typing, scope: Scope, loop: Fold | Repeat): boolean {
  const ends = endsOf(loop);
  const areStatic = ends.map((end) => {
    const found = numberType(scope, end);
    if (found.type === "error") return false;
    if (found.rate !== "static") scope.diagnostics.push(boundNotStatic(end.span));
    return found.rate === "static";
  });
  if (!areStatic.every(Boolean)) return false;
  // names of the sampler are known later
  const values = ends.map((end) =>
    namesIn(end).some((name) => scope.names.has(name)) ? undefined : evaluateConstant(end, scope.module),
  );
  const fault = values.every((x) => x !== undefined) ? roundsFault(loop, roundsOf(values)) : undefined;
  if (fault) scope.diagnostics.push(fault);
  return fault === undefined;
}

export function typeOfFold(typing: Typing, scope: Scope, fold: Fold): Type {
  const isValid = checkRounds(typing, scope, fold);
  const inner: Scope = { ...withName(scope, fold.counter, COUNTER), drawless: scope.drawless ?? "loop" };
  const isOfConditions = fold.how === "any" || fold.how === "all";
  const body = isOfConditions ? typing.conditionType(inner, fold.body) : typing.numberType(inner, fold.body);
  return isValid ? body : ERROR;
}

/**
 * The type of the value that changes includes those of its start and of the rounds. It is found by checking the body until the
 * type stays, each time from the type that was found before, so that nested loops do not multiply the work.
 */
export function typeOfRepeat(typing: Typing, scope: Scope, repeat: Repeat): Type {
  const { typeOf, numberType } = typing;
  const isValid = checkRounds(typing, scope, repeat);
  const start = typing.valueType(scope, repeat.init);
  const counted = repeat.counter ? withName(scope, repeat.counter.name, COUNTER) : scope;
  const repeats = scope.repeats ?? new Map<Repeat, Type>();
  const { diagnostics } = scope;
  let type = widest(start, repeats.get(repeat) ?? start);
  for (;;) {
    const found: Diagnostic[] = [];
    const named = withName({ ...counted, diagnostics: found }, repeat.name, type);
    const inner: Scope = { ...named, repeats, drawless: scope.drawless ?? "loop" };
    const body =
      type.type === "error" || type.type === "bool" ? typeOf(inner, repeat.body) : numberType(inner, repeat.body);
    const isMixed = type.type === "bool" && body.type !== "bool" && body.type !== "error";
    if (isMixed) found.push(typeMismatch(repeat.body.span, "a condition", kindOf(body)));
    const next = isMixed ? ERROR : widest(type, body);
    const isStable = next.type === type.type && next.shape === type.shape && next.rate === type.rate;
    if (isStable || next.type === "error") {
      for (const one of found) diagnostics.push(one);
      return isValid ? next : ERROR;
    }
    type = next;
    repeats.set(repeat, type);
  }
}

/** A value that is not static is computed by the graph where its expression would grow with each round. */
function widest(a: Type, b: Type): Type {
  const type = a.type === b.type || a.type === "error" ? a.type : resultType("number", [a, b]);
  const joined = join(type, a, b);
  return joined.rate === "uniform" ? { ...joined, rate: "runtime" } : joined;
}
