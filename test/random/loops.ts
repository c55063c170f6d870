/** Folds and `repeat`. */
import * as fc from "fast-check";
import { words, type Kind, type Snippet, type Rate, type Scope } from "./text.js";

interface Range {
  readonly from: string;
  readonly to: string;
  readonly isPosition: boolean;
}

/** Ranges of few values; those that are empty are not for `min` and `max`. */
const RANGES: readonly Range[] = [
  { from: "1", to: "3", isPosition: true },
  { from: "1", to: "2", isPosition: true },
  { from: "2", to: "2", isPosition: true },
  { from: "0", to: "2", isPosition: false },
  { from: "-1", to: "1", isPosition: false },
  { from: "1", to: "1 + 2", isPosition: true },
];
const EMPTY: Range = { from: "1", to: "0", isPosition: true };

const counted = (s: Scope, name: string, { isPosition }: Range): Scope => ({
  ...s,
  names: [...s.names, { name, kind: "whole", rate: "static", ...(isPosition && { isPosition }) }],
  canDraw: false,
});

const fold = (words: readonly string[], ranges: readonly Range[], body: Snippet): Snippet =>
  fc.tuple(fc.constantFrom(...words), fc.constantFrom(...ranges), body).map(([how, range, write]) => (s) => {
    const name = s.fresh("i");
    return `(${how} ${name} in ${range.from}..${range.to}: ${write(counted(s, name, range))})`;
  });

/** A fold of numbers. */
export const foldNumbers = (body: Snippet): Snippet =>
  fc.oneof(
    { weight: 2, arbitrary: fold(["sum"], [...RANGES, EMPTY], body) },
    { weight: 1, arbitrary: fold(["min", "max"], RANGES, body) },
  );

/** A fold of conditions. */
export const foldConditions = (body: Snippet): Snippet => fold(["any", "all"], [...RANGES, EMPTY], body);

/** A value that is replaced in each round. */
export const repeated = (kind: Kind, rate: Rate, init: Snippet, body: Snippet): Snippet =>
  fc
    .tuple(fc.option(fc.constantFrom(...RANGES, EMPTY)), words("0", "1", "2", "3"), init, body)
    .map(([range, count, start, write]) => (s) => {
      const from = start(s);
      const name = s.fresh("r");
      const counter = s.fresh("i");
      const named = { ...s, names: [...s.names, { name, kind, rate }], canDraw: false };
      const inner = range ? counted(named, counter, range) : named;
      const rounds = range ? `${counter} in ${range.from}..${range.to}` : count(s);
      return `(repeat ${rounds} with ${name} = ${from}: ${write(inner)})`;
    });
