/** Random well-typed programs of the language core: one adversarial sampler body. */
import { random, type Random } from "../parity/random.js";
import { COUNTS, MAPS, MEASURES, MOVES, PAIRS, QUANTIFIERS, REDUCTIONS, SCANS, TRIPLES } from "../random/functions.js";

interface Scope {
  readonly r: Random;
  /** Columns added by `let`. */
  readonly lets: string[];
  /** Whether `prev` and `next` are allowed. */
  isOrdered: boolean;
}

const pick = <T>(r: Random, from: readonly T[]): T => from[r.below(from.length)]!;

const NUMBERS = ["0", "1", "-1", "0.5", "2", "0.1", "-3", "10", "1e-9", "1e9", "1e38", "-1e38"];
const OPERATORS = ["+", "-", "*", "/", "%"];
const COMPARISONS = [">", ">=", "<", "<="];

type Make = (s: Scope, depth: number) => string;

const scalar: Make = (s, depth) => {
  const { r } = s;
  if (depth <= 0) return pick(r, [...NUMBERS, "n", "vocab", "step"]);
  const inner = depth - 1;
  return pick<() => string>(r, [
    () => pick(r, NUMBERS),
    () => `${pick(r, REDUCTIONS)}(${column(s, inner)})`,
    () => `${pick(r, REDUCTIONS)}(${column(s, inner)})`,
    () => `${pick(r, COUNTS)}(${condition(s, inner)})`,
    () => `${pick(r, MEASURES)}()`,
    () => `${pick(r, MAPS)}(${scalar(s, inner)})`,
    () => `(${scalar(s, inner)} ${pick(r, OPERATORS)} ${scalar(s, inner)})`,
    () => `(${scalarCondition(s, inner)} ? ${scalar(s, inner)} : ${scalar(s, inner)})`,
  ])();
};

const column: Make = (s, depth) => {
  const { r, lets } = s;
  if (depth <= 0) return pick(r, ["logit", "logit", "prob", s.isOrdered ? "rank" : "token", "token", ...lets]);
  const inner = depth - 1;
  return pick<() => string>(r, [
    () => column(s, 0),
    () => `${pick(r, MAPS)}(${column(s, inner)})`,
    () => `(${column(s, inner)} ${pick(r, OPERATORS)} ${scalar(s, inner)})`,
    () => `(${scalar(s, inner)} ${pick(r, OPERATORS)} ${column(s, inner)})`,
    () => `(${column(s, inner)} ${pick(r, OPERATORS)} ${column(s, inner)})`,
    () => `(${column(s, inner)} ^ ${pick(r, ["2", "3", "0.5", "-1", "0", scalar(s, inner)])})`,
    () => `${pick(r, PAIRS)}(${column(s, inner)}, ${scalar(s, inner)})`,
    () => `${pick(r, TRIPLES)}(${column(s, inner)}, ${pick(r, ["-1", "-5"])}, ${pick(r, ["0", "7"])})`,
    () => `${pick(r, SCANS)}(${column(s, inner)})`,
    () => `(${condition(s, inner)} ? ${column(s, inner)} : ${column(s, inner)})`,
    () => (s.isOrdered ? `${pick(r, MOVES)}(${column(s, inner)}, ${pick(r, NUMBERS)})` : column(s, inner)),
  ])();
};

const comparison = (s: Scope, a: string, b: string): string => `${a} ${pick(s.r, COMPARISONS)} ${b}`;

const condition: Make = (s, depth) => {
  const { r } = s;
  const inner = depth - 1;
  const plain = (): string => comparison(s, column(s, inner), r.below(2) === 0 ? scalar(s, inner) : column(s, inner));
  if (depth <= 0) return plain();
  return pick<() => string>(r, [
    plain,
    plain,
    () => `(${condition(s, inner)}) and (${condition(s, inner)})`,
    () => `(${condition(s, inner)}) or (${condition(s, inner)})`,
    () => `not (${condition(s, inner)})`,
  ])();
};

const scalarCondition: Make = (s, depth) =>
  pick<() => string>(s.r, [
    () => comparison(s, scalar(s, depth), scalar(s, depth)),
    () => `${pick(s.r, QUANTIFIERS)}(${condition(s, depth)})`,
    () => pick(s.r, ["2 > 1", "1 > 2", "vocab > 3"]),
  ])();

/** Sort keys; most have no ties, whose order depends on the device. */
const orderKey = (s: Scope): string =>
  s.r.below(4) === 0
    ? column(s, 1)
    : pick(s.r, ["origin", "-origin", "token", "-token", "origin * 3 + token", "-abs(origin)"]);

function change(s: Scope): string {
  const { r } = s;
  return pick<() => string>(r, [
    () => `logit ${pick(r, ["=", "+=", "-="])} ${column(s, 2)}`,
    () => `logit ${pick(r, ["*=", "/="])} ${scalar(s, 2)}`,
    () => `logit *= ${pick(r, ["0.5", "2", "1e10", "1e-10", "-1", "1e30"])}`,
    () => `keep ${condition(s, 2)}`,
    () => `keep ${condition(s, 1)} at least ${pick(r, ["0", "1", "2", "5", "1000", "floor(n / 2)"])}`,
  ])();
}

function statement(s: Scope): string {
  const { r } = s;
  const order = (text: string): string => {
    s.isOrdered = true;
    return text;
  };
  return pick<() => string>(r, [
    () => change(s),
    () => change(s),
    () => {
      const value = column(s, 2);
      s.lets.push(`v${s.lets.length}`);
      return `let ${s.lets.at(-1)} = ${value}`;
    },
    () => order("sort"),
    () => order(`sort by ${orderKey(s)} ${pick(r, ["asc", "desc"])}`),
    () => order(`top ${pick(r, ["1", "2", "7", "40", "5000"])}`),
    () => order(`top ${pick(r, ["3", "20"])} by ${orderKey(s)}`),
    () => `if ${scalarCondition(s, 1)} { ${change(s)} } else { ${change(s)} }`,
    () => `if ${scalarCondition(s, 1)} { ${change(s)} }`,
  ])();
}

/** The statements of a sampler's body. */
export function generateBody(seed: number, length: number): string[] {
  const scope: Scope = { r: random(seed), lets: ["origin"], isOrdered: false };
  return ["let origin = logit", ...Array.from({ length }, () => statement(scope))];
}
