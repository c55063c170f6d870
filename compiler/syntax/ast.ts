/** The syntax tree: plain readonly data, made by `parse`, read by `check`, `lower` and `print`. */
import type { Span } from "../source/source.js";

/** A name with its span. */
export interface Name {
  readonly text: string;
  readonly span: Span;
}

/**
 * `text` and `list`, of texts or token ids, are types of static parameters; `tokens` is a set of tokens; `grammar` and `phrases`, which
 * must not be written, are given with the request.
 */
export type ScalarType = "f32" | "i32" | "bool" | "seed" | "text" | "list" | "tokens" | "grammar" | "phrases";

// ---------------------------------------------------------------- declarations

export interface File {
  readonly kind: "file";
  readonly declarations: readonly Declaration[];
  readonly span: Span;
}

export type Declaration = Import | Const | InputDecl | Fn | Sampler | Chain | Test;

interface Base {
  readonly span: Span;
}

/** `import { a, b as c } from "std"` */
export interface Import extends Base {
  readonly kind: "import";
  readonly names: readonly ImportedName[];
  readonly from: string;
  readonly fromSpan: Span;
}

/** A name of the imported file, and the name that it has in this one if that is another. */
interface ImportedName extends Name {
  readonly as?: Name;
}

/** The name that an import declares. */
export const importedAs = (name: ImportedName): Name => name.as ?? name;

/** `const x = expr` */
export interface Const extends Base {
  readonly kind: "const";
  readonly doc?: string;
  readonly name: Name;
  readonly value: Expr;
}

/**
 * `input name: f32`, dense; `input name: f32 sparse(64) = 0`, at most 64 (token, value) pairs, 0 elsewhere; `input name: logits`,
 * a guide: the logits of another sequence; `input name: tokens(512)`, a text of at most 512 tokens.
 */
export interface InputDecl extends Base {
  readonly kind: "input";
  readonly doc?: string;
  readonly name: Name;
  readonly type: ScalarType | "logits";
  /** The most tokens of a text. */
  readonly size?: Expr;
  readonly sparse?: { readonly capacity: Expr; readonly fill: Expr };
}

export interface Param extends Base {
  readonly doc?: string;
  readonly name: Name;
  readonly type: ScalarType;
  /** Known at compile time; all other parameters are uniforms. */
  readonly isStatic: boolean;
  /** The most tokens of a set: `tokens(64)`. */
  readonly size?: Expr;
  readonly range?: ParamRange;
  /** `random` is only for seeds. */
  readonly default?: Expr;
}

/** `in [a, b]`, or one bound. */
export type ParamRange =
  | { readonly kind: "in"; readonly min: Expr; readonly max: Expr; readonly span: Span }
  | { readonly kind: "bound"; readonly op: ">=" | ">" | "<=" | "<"; readonly bound: Expr; readonly span: Span };

/** `fn name(params) -> f32 = expr`, or with a block of `let`s and the result. */
export interface Fn extends Base {
  readonly kind: "fn";
  readonly doc?: string;
  readonly name: Name;
  readonly params: readonly Param[];
  readonly type: ScalarType;
  readonly typeSpan: Span;
  readonly lets: readonly Let[];
  readonly result: Expr;
}

export interface Sampler extends Base {
  readonly kind: "sampler";
  readonly doc?: string;
  readonly name: Name;
  readonly params: readonly Param[];
  readonly body: readonly Stmt[];
}

/** `chain name(params) = stage |> stage` */
export interface Chain extends Base {
  readonly kind: "chain";
  readonly doc?: string;
  readonly name: Name;
  readonly params: readonly Param[];
  readonly stages: readonly StageCall[];
}

/** `name(args)`; `host name(args)` runs llama.cpp's own CPU sampler. */
export interface StageCall extends Base {
  readonly name: Name;
  readonly isHost: boolean;
  readonly args: readonly Arg[];
}

export interface Arg extends Base {
  readonly name?: Name;
  readonly value: Expr;
}

/**
 * `test "title" { probs [...] run a |> b expect probs [...] }`. `logits` or `probs` give the candidates, as lists those of each step; `history`, `text`, `accept`,
 * `vocab`, `bias` and `input name` feed the features; `expect` gives the expected result.
 */
export interface Test extends Base {
  readonly kind: "test";
  readonly title: string;
  readonly clauses: readonly TestClause[];
}

export type TestClause =
  | Listed<"logits">
  | Listed<"probs">
  | Listed<"history">
  /** Tokens that are accepted before the run, one after another. */
  | Listed<"accept">
  /** The history as a text, which the vocabulary cuts into tokens. */
  | { readonly kind: "text"; readonly text: string; readonly span: Span }
  /** The texts of the tokens. */
  | Listed<"vocab">
  | { readonly kind: "bias"; readonly pairs: readonly (readonly [Expr, Expr])[]; readonly span: Span }
  | { readonly kind: "input"; readonly name: Name; readonly values: readonly Expr[]; readonly span: Span }
  | { readonly kind: "steps"; readonly count: Expr; readonly span: Span }
  | { readonly kind: "run"; readonly stages: readonly StageCall[]; readonly span: Span }
  | {
      readonly kind: "expect";
      readonly what: "probs" | "logits" | "kept" | "order" | "token" | "tokens";
      readonly values: readonly Expr[];
      readonly span: Span;
    }
  /** The values of a state, one after each step. */
  | { readonly kind: "state"; readonly name: Name; readonly values: readonly Expr[]; readonly span: Span }
  /** The values of a measure, one for each step. */
  | { readonly kind: "measure"; readonly name: Name; readonly values: readonly Expr[]; readonly span: Span }
  /** The stop that ends the text after the last step; empty: it goes on. */
  | { readonly kind: "stop"; readonly text: string; readonly span: Span };

interface Listed<Kind extends string> extends Base {
  readonly kind: Kind;
  readonly values: readonly Expr[];
}

// ---------------------------------------------------------------- statements

export type Stmt = Let | Assign | Keep | Top | Sort | If | Pick | StateDecl | AfterPick | Measure | Stop | Write;

/** `let x = expr` */
export interface Let extends Base {
  readonly kind: "let";
  readonly name: Name;
  readonly value: Expr;
}

/** `logit = expr`, `logit *= expr`; a state inside `after pick`. */
export interface Assign extends Base {
  readonly kind: "assign";
  readonly target: Name;
  readonly op: "=" | "+=" | "-=" | "*=" | "/=";
  readonly value: Expr;
}

/** `keep cond at least m` */
interface Keep extends Base {
  readonly kind: "keep";
  readonly cond: Expr;
  readonly atLeast?: Expr;
}

/** `top k by expr` */
interface Top extends Base {
  readonly kind: "top";
  readonly count: Expr;
  readonly by?: Expr;
}

/** `sort by expr asc`; the default is by `logit`, descending. */
export interface Sort extends Base {
  readonly kind: "sort";
  readonly by?: Expr;
  readonly order: "asc" | "desc";
}

interface If extends Base {
  readonly kind: "if";
  readonly cond: Expr;
  readonly then: readonly Stmt[];
  readonly else?: readonly Stmt[];
}

/** `pick sample(seed)`, `pick sample(seed, at)`, `pick argmax(expr)` */
export interface Pick extends Base {
  readonly kind: "pick";
  readonly how: "sample" | "argmax";
  readonly value: Expr;
  /** The index of the draw in the seed's stream; by default the next one for each token. */
  readonly at?: Expr;
}

/** `state s: f32 = init` */
export interface StateDecl extends Base {
  readonly kind: "state";
  readonly name: Name;
  readonly type: ScalarType;
  readonly init: Expr;
}

/** `after pick { s = ... }` */
interface AfterPick extends Base {
  readonly kind: "after";
  readonly body: readonly Stmt[];
}

/** `measure name = expr`: a scalar that is reported with the token. */
interface Measure extends Base {
  readonly kind: "measure";
  readonly name: Name;
  readonly value: Expr;
}

/** `stop when cond as "name"`: the text ends with the picked token where the condition holds. */
interface Stop extends Base {
  readonly kind: "stop";
  readonly cond: Expr;
  readonly reason: StringLit;
}

/** `write "text" when cond`: the text comes next, whatever the chain would pick, where the condition begins to hold. */
interface Write extends Base {
  readonly kind: "write";
  readonly text: Expr;
  readonly cond: Expr;
}

// ---------------------------------------------------------------- expressions

export type Expr =
  | NumberLit
  | BoolLit
  | StringLit
  | PatternLit
  | ListLit
  | NameRef
  | Part
  | Unary
  | Binary
  | Member
  | Conditional
  | Call
  | Fold
  | Repeat;

/** `isInt` is false for a literal with a decimal point or an exponent. */
interface NumberLit extends Base {
  readonly kind: "number";
  readonly value: number;
  readonly isInt: boolean;
}

interface BoolLit extends Base {
  readonly kind: "bool";
  readonly value: boolean;
}

/** Strings are only valid as arguments (a grammar, DRY's breakers) and as constants. */
export interface StringLit extends Base {
  readonly kind: "string";
  readonly value: string;
}

/** `/text/`: a regular expression, only valid in `tokens(...)`. */
interface PatternLit extends Base {
  readonly kind: "pattern";
  readonly value: string;
}

export interface ListLit extends Base {
  readonly kind: "list";
  readonly values: readonly Expr[];
}

export interface NameRef extends Base {
  readonly kind: "name";
  readonly text: string;
}

/** `tokens.end` */
export interface Part extends Base {
  readonly kind: "part";
  readonly of: Name;
  readonly name: Name;
}

interface Unary extends Base {
  readonly kind: "unary";
  readonly op: "-" | "not";
  readonly operand: Expr;
}

export type BinaryOp = "+" | "-" | "*" | "/" | "%" | "^" | "<" | "<=" | ">" | ">=" | "==" | "!=" | "and" | "or";

export interface Binary extends Base {
  readonly kind: "binary";
  readonly op: BinaryOp;
  readonly left: Expr;
  readonly right: Expr;
}

/** `token in set`, `token not in set` */
export interface Member extends Base {
  readonly kind: "member";
  readonly value: Expr;
  readonly isNegated: boolean;
  readonly set: Expr;
}

/** `cond ? a : b` */
interface Conditional extends Base {
  readonly kind: "conditional";
  readonly cond: Expr;
  readonly then: Expr;
  readonly else: Expr;
}

/** The first and the last value of a counter. */
export interface Bounds extends Base {
  readonly from: Expr;
  readonly to: Expr;
}

export type FoldKind = "sum" | "min" | "max" | "any" | "all";

/** `sum i in 1..8: expr`; `i` is known at compile time. */
export interface Fold extends Base {
  readonly kind: "fold";
  readonly how: FoldKind;
  readonly counter: Name;
  readonly bounds: Bounds;
  readonly body: Expr;
}

/** `repeat 40 with x = init: expr`, or with a counter: `repeat i in 1..40 with x = init: expr`. */
export interface Repeat extends Base {
  readonly kind: "repeat";
  /** How often, if there is no counter. */
  readonly count?: Expr;
  readonly counter?: { readonly name: Name; readonly bounds: Bounds };
  readonly name: Name;
  readonly init: Expr;
  readonly body: Expr;
}

/** `f(a, b)`: a built-in function, see `compiler/builtins/`, or a `fn`. */
export interface Call extends Base {
  readonly kind: "call";
  readonly callee: Name;
  readonly args: readonly Arg[];
}
