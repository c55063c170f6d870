/** Parameters of a sampler and their arguments: none, a literal, an expression or a parameter of the chain. */
import * as fc from "fast-check";
import { literal } from "../parity/values.js";
import { expressions } from "./expressions.js";
import { setLiterals, setValues } from "./sets.js";
import type { Kind, Named, Rate, Scope, Text } from "./text.js";

/** A parameter of the chain. */
interface ChainParam {
  readonly name: string;
  readonly declaration: string;
}

/** A chain under construction. */
export interface Draft {
  readonly scope: Scope;
  readonly params: ChainParam[];
  /** Values of its static parameters. */
  readonly set: Record<string, number>;
  /** Values of its uniforms. */
  readonly uniforms: Record<string, number>;
  /** Values of its static sets of tokens. */
  readonly sets: Record<string, TokenValues>;
  /** Values of its other sets, one for each step in turn. */
  readonly changing: Record<string, readonly TokenValues[]>;
}

export type TokenValues = readonly (number | string)[];

type ParamType = "f32" | "i32" | "bool" | "seed";

const KINDS: Readonly<Record<Exclude<ParamType, "seed">, Kind>> = { f32: "scalar", i32: "whole", bool: "flag" };

export interface ParamChoice {
  readonly type: ParamType;
  readonly isStatic: boolean;
  readonly value: number;
  readonly default: number;
  /** The kind of the declared range. */
  readonly range: number;
  readonly passing: "default" | "literal" | "chain" | "expression";
  readonly isNamed: boolean;
  readonly expression: { readonly f32: Text; readonly i32: Text; readonly bool: Text };
}

const VALUES: Readonly<Record<ParamType, fc.Arbitrary<number>>> = {
  f32: fc.oneof(
    fc.constantFrom(0, 1, -1, 0.5, 2, 1e-9, 1e9, 1e38, -1e38),
    fc.constantFrom(1e-20, 1e20, -1e20, 1e30, -1e30, 1e31, 1e-30, 2 ** -126, 3e38),
    fc.float({ min: -5, max: 5, noNaN: true }).map((x) => x + 0),
  ),
  i32: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: -2, max: 9 }) }, fc.constantFrom(40, 1000)),
  bool: fc.integer({ min: 0, max: 1 }),
  seed: fc.constantFrom(0, 1, 42, 7, 2 ** 32 - 1),
};

export const paramChoices: fc.Arbitrary<ParamChoice> = fc
  .constantFrom<ParamType>("f32", "f32", "i32", "bool", "seed")
  .chain((type) =>
    fc.record({
      type: fc.constant(type),
      isStatic: type === "seed" ? fc.constant(false) : fc.boolean(),
      value: VALUES[type],
      default: VALUES[type],
      range: fc.nat({ max: 5 }),
      passing: fc.constantFrom<ParamChoice["passing"]>("default", "literal", "chain", "chain", "expression"),
      isNamed: fc.boolean(),
      expression: fc.record({
        f32: expressions.uniformScalar,
        i32: expressions.uniformWhole,
        bool: expressions.uniformFlag,
      }),
    }),
  );

/** A range that contains both numbers. */
function rangeText({ type, range, value, default: other, passing }: ParamChoice): string {
  // the checker cannot prove that an expression lies in a range
  if (type === "bool" || type === "seed" || passing === "expression") return "";
  const [min, max] = [Math.min(value, other), Math.max(value, other)];
  const below = min > 0 ? 0 : min - Math.abs(min) - 1;
  const above = max < 0 ? 0 : max + Math.abs(max) + 1;
  const show = (x: number): string => literal(type, x);
  return [
    "",
    ` in [${show(min)}, ${show(max)}]`,
    ` >= ${show(min)}`,
    ` <= ${show(max)}`,
    ` > ${show(below)}`,
    ` < ${show(above)}`,
  ][range]!;
}

/** A new parameter of the chain, set to `value` at run time. */
export function chainParam(
  draft: Draft,
  type: ParamType,
  value: number,
  other: number,
  rest: { isStatic: boolean; range: string },
): string {
  const name = draft.scope.fresh("a");
  const start = rest.isStatic ? "static " : "";
  draft.params.push({ name, declaration: `${start}${name}: ${type}${rest.range} = ${literal(type, other)}` });
  (rest.isStatic ? draft.set : draft.uniforms)[name] = value;
  if (type !== "seed") draft.scope.names.push({ name, kind: KINDS[type], rate: rest.isStatic ? "static" : "uniform" });
  return name;
}

/** The parameters as declarations, arguments of the stage, and names in the sampler's body. */
interface Bound {
  readonly declarations: readonly string[];
  readonly args: readonly string[];
  readonly names: Named[];
  readonly seeds: string[];
}

export function bindParams(draft: Draft, choices: readonly ParamChoice[]): Bound {
  const bound = { declarations: [] as string[], args: [] as string[], names: [] as Named[], seeds: [] as string[] };
  // an argument after an omitted or a named one must be named
  let mustBeNamed = false;
  for (const choice of choices) {
    const { type, isStatic, default: other } = choice;
    const range = rangeText(choice);
    const name = draft.scope.fresh("p");
    const start = isStatic ? "static " : "";
    bound.declarations.push(`${start}${name}: ${type}${range} = ${literal(type, other)}`);
    const argument = argumentOf(draft, choice, range);
    mustBeNamed ||= argument === undefined || choice.isNamed;
    if (argument) bound.args.push(mustBeNamed ? `${name}: ${argument.text}` : argument.text);
    if (type === "seed") bound.seeds.push(name);
    else bound.names.push({ name, kind: KINDS[type], rate: isStatic ? "static" : (argument?.rate ?? "settled") });
  }
  return bound;
}

function argumentOf(draft: Draft, choice: ParamChoice, range: string): { text: string; rate: Rate } | undefined {
  const { type, isStatic, value, default: other, passing, expression } = choice;
  if (passing === "default") return undefined;
  if (passing === "chain") return { text: chainParam(draft, type, value, other, { isStatic, range }), rate: "uniform" };
  if (passing === "literal" || isStatic || type === "seed") return { text: literal(type, value), rate: "settled" };
  return { text: expression[type](draft.scope), rate: "uniform" };
}

// ---------------------------------------------------------------- sets of tokens

export interface SetChoice {
  readonly isStatic: boolean;
  readonly default: string;
  readonly literal: string;
  readonly passing: "default" | "literal" | "declared" | "chain";
  readonly values: readonly TokenValues[];
}

export const setChoices: fc.Arbitrary<SetChoice> = fc.record({
  isStatic: fc.boolean(),
  default: setLiterals,
  literal: setLiterals,
  passing: fc.constantFrom("default", "literal", "declared", "chain", "chain"),
  values: fc.array(setValues, { minLength: 1, maxLength: 3 }),
});

/** The parameters that are sets: their arguments are given by name. `declared` are sets with a name. */
export function bindSets(
  draft: Draft,
  choices: readonly SetChoice[],
  declared: readonly string[],
): { readonly declarations: string[]; readonly args: string[]; readonly names: string[] } {
  const bound = { declarations: [] as string[], args: [] as string[], names: [] as string[] };
  for (const choice of choices) {
    const name = draft.scope.fresh("q");
    bound.declarations.push(`${choice.isStatic ? "static " : ""}${name}: tokens = ${choice.default}`);
    const text = setArgument(draft, choice, declared);
    if (text !== undefined) bound.args.push(`${name}: ${text}`);
    bound.names.push(name);
  }
  return bound;
}

function setArgument(
  draft: Draft,
  { isStatic, literal: text, passing, values }: SetChoice,
  declared: readonly string[],
): string | undefined {
  if (passing === "default") return undefined;
  if (passing === "declared") return declared[0] ?? text;
  if (passing === "literal") return text;
  const name = draft.scope.fresh("a");
  draft.params.push({
    name,
    declaration: isStatic ? `static ${name}: tokens = tokens(1)` : `${name}: tokens(4) = tokens(1, "a")`,
  });
  if (isStatic) draft.sets[name] = values[0]!;
  else draft.changing[name] = values;
  return name;
}
