/**
 * Program text that is generated once the names in scope are known. fast-check makes the random choices before that, so a
 * program shrinks part by part and stays well-typed.
 */
import * as fc from "fast-check";

/** `whole` is an i32, `flag` a bool; `column` and `mask` are a number and a bool per row. */
export type Kind = "scalar" | "whole" | "flag" | "column" | "mask";

/**
 * When a value is known: `static` by the checker, `settled` once the stage is lowered, because its argument is a constant,
 * `uniform` before the graph runs.
 */
export type Rate = "static" | "settled" | "uniform" | "runtime";

export interface Named {
  readonly name: string;
  readonly kind: Kind;
  readonly rate: Rate;
  /** Whether it is certainly 1 or more. */
  readonly isPosition?: true;
}

/** A grammar of a program, by the name of its constant. */
interface GrammarName {
  readonly name: string;
  readonly rules: readonly string[];
}

/** A function of the program. */
export interface FunctionName {
  readonly name: string;
  readonly params: readonly {
    readonly name: string;
    readonly kind: ScalarKind;
    readonly isStatic: boolean;
    readonly hasDefault: boolean;
  }[];
  readonly result: ScalarKind;
  /** Whether its result is known before the graph runs if its arguments are. */
  readonly isUniform: boolean;
}

export type ScalarKind = Exclude<Kind, "column" | "mask">;

/** The names in scope. */
export interface Scope {
  readonly names: Named[];
  readonly seeds: string[];
  readonly states: Named[];
  /** Sets of tokens. */
  readonly sets: readonly string[];
  /** Texts and lists of token ids. */
  readonly endings: readonly string[];
  readonly functions: readonly FunctionName[];
  /** The one that the chain follows, where it may be asked about. */
  readonly grammar: GrammarName | undefined;
  /** What the rows are sorted by; with `logit`, as long as no logit changes. */
  order: "logit" | "key" | undefined;
  /** The sampler sorts the rows, in some branch. */
  sorts: boolean;
  /** Inside an `if` that is decided at run time, where the order of rows must not change. */
  readonly isBlend: boolean;
  /** `picked` is allowed. */
  readonly canUsePicked: boolean;
  /** Random numbers can be drawn, and names may decide windows: not in functions, and no draws in loops. */
  readonly canDraw: boolean;
  readonly canUseWindows: boolean;
  /** An unused name. */
  readonly fresh: (prefix: string) => string;
}

export const newScope = (given: Partial<Scope>, fresh: Scope["fresh"]): Scope => ({
  names: [],
  seeds: [],
  states: [],
  sets: [],
  endings: [],
  functions: [],
  grammar: undefined,
  order: undefined,
  sorts: false,
  isBlend: false,
  canUsePicked: false,
  canDraw: true,
  canUseWindows: true,
  fresh,
  ...given,
});

/** Whether a place may read the order of the rows. */
export const isOrdered = ({ order, sorts }: Scope): boolean => sorts || order !== undefined;

export const counter = (): Scope["fresh"] => {
  let count = 0;
  return (prefix) => `${prefix}${count++}`;
};

export type Text = (s: Scope) => string;
export type Snippet = fc.Arbitrary<Text>;

/** A template; its pieces are generated from left to right. */
export const t = (strings: TemplateStringsArray, ...pieces: Snippet[]): Snippet =>
  fc
    .tuple(...pieces)
    .map((texts) => (s) => strings.reduce((all, string, i) => all + (i > 0 ? texts[i - 1]!(s) : "") + string, ""));

export const words = (...all: readonly string[]): Snippet => fc.constantFrom(...all).map((word) => () => word);

/** One of several texts of the scope, or `otherwise` if there is none. */
export const oneOf = (choices: (s: Scope) => readonly string[], otherwise: Snippet): Snippet =>
  fc.tuple(fc.nat({ max: 31 }), otherwise).map(([which, other]) => (s) => {
    const all = choices(s);
    return all.length > 0 ? all[which % all.length]! : other(s);
  });

/** One of the names that `fits`, or `otherwise` if there is none. */
export const nameOf = (fits: (n: Named) => boolean, otherwise: Snippet): Snippet =>
  fc.tuple(fc.nat({ max: 31 }), otherwise).map(([which, other]) => (s) => {
    const names = s.names.filter(fits);
    return names.length > 0 ? names[which % names.length]!.name : other(s);
  });

/** `piece` where the scope allows it, else `otherwise`. */
export const where = (allows: (s: Scope) => boolean, piece: Snippet, otherwise: Snippet): Snippet =>
  fc.tuple(piece, otherwise).map(
    ([text, other]) =>
      (s) =>
        allows(s) ? text(s) : other(s),
  );
