/** The functions that a program declares, and their calls. */
import * as fc from "fast-check";
import type { FunctionName, Kind, Named, Snippet, ScalarKind, Scope, Text } from "./text.js";

const TYPES: Readonly<Record<ScalarKind, string>> = { scalar: "f32", whole: "i32", flag: "bool" };
const DEFAULTS: Readonly<Record<ScalarKind, string>> = { scalar: "0.5", whole: "2", flag: "true" };

export interface FunctionChoice {
  readonly params: readonly (Omit<FunctionName["params"][number], "name"> & { readonly isDocumented: boolean })[];
  readonly result: ScalarKind;
  readonly isUniform: boolean;
  /** The values of `let`s. */
  readonly lets: readonly Text[];
  readonly body: Readonly<Record<ScalarKind, Text>>;
}

const kinds = fc.constantFrom<ScalarKind>("scalar", "scalar", "whole", "flag");

export const functionChoices = (
  uniform: Readonly<Record<ScalarKind, Snippet>>,
  runtime: Readonly<Record<ScalarKind, Snippet>>,
): fc.Arbitrary<FunctionChoice> =>
  fc.boolean().chain((isUniform) => {
    const body = isUniform ? uniform : runtime;
    return fc.record({
      params: fc.array(
        fc.record({
          kind: kinds,
          isStatic: fc.constantFrom(false, false, false, true),
          hasDefault: fc.boolean(),
          isDocumented: fc.boolean(),
        }),
        { maxLength: 3 },
      ),
      result: kinds,
      isUniform: fc.constant(isUniform),
      lets: fc.array(body.scalar, { maxLength: 2 }),
      body: fc.record(body),
    });
  });

/** The declaration of a function, which sees the names of `globals`. */
export function declareFunction(
  globals: Scope,
  { params, result, isUniform, lets, body }: FunctionChoice,
): { readonly text: string; readonly declared: FunctionName } {
  const rate = isUniform ? "uniform" : "runtime";
  const named = params.map(({ isDocumented: _, ...p }) => ({ ...p, name: globals.fresh("f") }));
  const names = named.map(({ name, kind, isStatic }): Named => ({ name, kind, rate: isStatic ? "static" : rate }));
  const s: Scope = { ...globals, names: [...globals.names, ...names], canDraw: false, canUseWindows: false };
  const values = lets.map((write) => {
    const value = write(s);
    const name = s.fresh("v");
    s.names.push({ name, kind: "scalar", rate });
    return `let ${name} = ${value};`;
  });
  const last = body[result](s);
  const declarations = named.map(({ name, kind, isStatic, hasDefault }, i) => {
    const start = `${params[i]!.isDocumented ? "\n  /// A value.\n  " : ""}${isStatic ? "static " : ""}`;
    return `${start}${name}: ${TYPES[kind]}${hasDefault ? ` = ${DEFAULTS[kind]}` : ""}`;
  });
  const name = globals.fresh("fun");
  const head = `fn ${name}(${declarations.join(", ")}) -> ${TYPES[result]}`;
  const text = values.length === 0 ? `${head} = ${last}` : `${head} {\n  ${[...values, last].join("\n  ")}\n}`;
  return { text, declared: { name, params: named, result, isUniform } };
}

export interface CallParts {
  /** For the parameters of each kind. */
  readonly args: Readonly<Record<ScalarKind, Snippet>>;
  readonly statics: Readonly<Record<ScalarKind, Snippet>>;
  /** What is called with these arguments where functions need not be uniform. */
  readonly isUniform: boolean;
  readonly otherwise: Snippet;
}

/** A call of a function with a result of a kind, or `otherwise` where there is none. */
export const callOf = (result: Kind, { args, statics, isUniform, otherwise }: CallParts): Snippet =>
  fc
    .tuple(fc.nat({ max: 31 }), fc.boolean(), fc.boolean(), fc.record(args), fc.record(statics), otherwise)
    .map(([which, isNamed, isShort, given, known, other]) => (s) => {
      const fitting = s.functions.filter((f) => f.result === result && f.isUniform === isUniform);
      const called = fitting[which % Math.max(1, fitting.length)];
      if (!called) return other(s);
      let mustBeNamed = isNamed;
      const texts = called.params.flatMap(({ name, kind, isStatic, hasDefault }) => {
        if (isShort && hasDefault) {
          mustBeNamed = true;
          return [];
        }
        const text = (isStatic ? known : given)[kind](s);
        return mustBeNamed ? [`${name}: ${text}`] : [text];
      });
      return `${called.name}(${texts.join(", ")})`;
    });
