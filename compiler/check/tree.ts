/**
 * The typed tree: names are bound, arguments are in the order of their parameters with the defaults filled in, and every expression has
 * its type. `check` makes it, `lower` and editors read it.
 */
import type { ArgType, Builtin, BuiltinName, Rate } from "../builtins/builtin.js";
import type { PhraseItem, TextSource, TokenItem } from "../graph/graph.js";
import type { Range } from "../core/range.js";
import type { TokenClass } from "../graph/sets.js";
import type { Meter } from "../limits/meter.js";
import type {
  Assign,
  BinaryOp,
  Chain,
  Const,
  File,
  Fn,
  FoldKind,
  InputDecl,
  Name,
  Param as DeclaredParam,
  Pick as PickStatement,
  Sampler,
  ScalarType,
  Sort,
  StageCall,
} from "../syntax/ast.js";
import type { SourceFile, Span } from "../source/source.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";

export interface Type {
  /** `error` is already reported; it suppresses subsequent errors. */
  readonly type: ScalarType | "error";
  readonly shape: "scalar" | "column";
  readonly rate: Rate;
}

/** What a name means inside a declaration: each declaration of a name is an object of its own. */
export type Local = { readonly span: Span; readonly type: Type } & (
  | { readonly kind: "parameter"; readonly param: DeclaredParam }
  | { readonly kind: "let"; readonly isOfFunction?: true }
  | { readonly kind: "state" | "counter" | "repeated" }
);

// ---------------------------------------------------------------- declarations

/** The result of checking a part of a program, and the faults that were found. */
export interface Found<T> {
  readonly value: T;
  readonly diagnostics: readonly Diagnostic[];
}

/** A declaration at the top level of a file, and the file that has it. Its parts are checked when they are first asked for. */
interface Bound<D extends { readonly kind: string }> {
  readonly kind: D["kind"];
  readonly declaration: D;
  readonly module: Module;
}

export interface ConstBinding extends Bound<Const> {
  found?: Found<Expr>;
}

export type InputBinding = Bound<InputDecl>;

export interface FnBinding extends Bound<Fn> {
  params?: Found<readonly Param[]>;
  /** The bodies by the types of the arguments and by place. */
  readonly bodies: Map<string, Found<Body | undefined>>;
}

export interface SamplerBinding extends Bound<Sampler> {
  params?: Found<readonly Param[]>;
  body?: Found<readonly Stmt[]>;
}

export interface ChainBinding extends Bound<Chain> {
  params?: Found<readonly Param[]>;
  stages?: Found<readonly Stage[]>;
}

export type Binding = ConstBinding | InputBinding | FnBinding | SamplerBinding | ChainBinding;

export interface Module {
  readonly source: SourceFile;
  readonly file: File;
  /** The file's own declarations in their order, those with faulty names among them. */
  readonly declared: readonly Binding[];
  /** Own declarations and imports, by name. */
  readonly scope: ReadonlyMap<string, Binding>;
  /** Names whose declaration has a reported fault; their uses are not reported again. */
  readonly broken: ReadonlySet<string>;
  /** Counts the steps of checking what the file declares. */
  readonly meter: Meter;
  /** What the names in the file mean, by where they begin. */
  readonly uses: Map<number, Occurrence>;
}

export interface Param {
  readonly declaration: DeclaredParam;
  readonly local: Local;
  readonly range: Range;
  readonly default?: Expr;
  /** The most tokens of a set. */
  readonly capacity?: number;
}

/** The body of a function for arguments of some types. */
export interface Body {
  readonly type: Type;
  readonly params: readonly Local[];
  readonly lets: readonly { readonly local: Local; readonly value: Expr }[];
  readonly result: Expr;
}

/** A call of a sampler or a chain, one of llama.cpp's samplers in the host tail, or a stage with a reported fault. */
export type Stage =
  | { readonly kind: "stage"; readonly call: StageCall; readonly callee: StageBinding; readonly args: readonly Expr[] }
  | { readonly kind: "tail"; readonly call: StageCall; readonly args: readonly (readonly [string, Expr])[] }
  | { readonly kind: "error"; readonly call: StageCall };

export type StageBinding = SamplerBinding | ChainBinding;

// ---------------------------------------------------------------- statements

interface Statement<Kind extends string> {
  readonly kind: Kind;
  readonly span: Span;
}

export type Stmt =
  | (Statement<"let"> & { readonly local: Local; readonly value: Expr })
  /** An assignment to a state, or to the logits. */
  | (Statement<"assign"> & {
      readonly state: Local | undefined;
      readonly target: Name;
      readonly op: Assign["op"];
      readonly value: Expr;
    })
  | (Statement<"keep"> & { readonly cond: Expr; readonly atLeast: Expr | undefined })
  | (Statement<"top"> & { readonly count: Expr; readonly by: Expr | undefined })
  | (Statement<"sort"> & { readonly by: Expr | undefined; readonly order: Sort["order"] })
  | (Statement<"if"> & { readonly cond: Expr; readonly then: readonly Stmt[]; readonly else: readonly Stmt[] })
  | (Statement<"pick"> & {
      readonly how: PickStatement["how"];
      readonly value: Expr;
      readonly at: Expr | undefined;
    })
  | (Statement<"state"> & { readonly local: Local; readonly name: Name; readonly init: Expr })
  | (Statement<"after"> & { readonly body: readonly Stmt[] })
  | (Statement<"measure"> & { readonly name: Name; readonly value: Expr })
  | (Statement<"stop"> & { readonly cond: Expr; readonly reason: string })
  | (Statement<"write"> & { readonly text: Expr; readonly cond: Expr });

// ---------------------------------------------------------------- expressions

/** Numbers and conditions, and what can only be an argument. The parts of a valid expression are valid. */
export type Expr =
  | NumberLit
  | Constant
  | LocalRef
  | BuiltinRef
  | InputRef
  | Unary
  | Binary
  | Conditional
  | Member
  | Fold
  | Repeat
  | BuiltinCall
  | FunctionCall
  | Random
  | Text
  | List
  | TokenSet
  | PhraseLiteral
  | Source
  | Invalid;

interface Node<Kind extends string> extends Type {
  readonly kind: Kind;
  readonly span: Span;
  /** Its value if it is constant; a condition is 1 or 0. */
  readonly constant?: number | undefined;
}

/** It has a reported fault. */
export type Invalid = Node<"error">;

/** A number as it is written, which may be infinite. */
export interface NumberLit extends Node<"number"> {
  readonly value: number;
}

/** `true`, `false`, or the name of a constant. */
export type Constant = Node<"constant">;

export interface LocalRef extends Node<"local"> {
  readonly local: Local;
}

/** A column of the table, or a scalar such as `step`. */
export interface BuiltinRef extends Node<"builtin"> {
  readonly name: string;
  readonly builtin: BuiltinName;
}

export interface InputRef extends Node<"input"> {
  readonly input: InputBinding;
}

export interface Unary extends Node<"unary"> {
  readonly op: "-" | "not";
  readonly operand: Expr;
}

export interface Binary extends Node<"binary"> {
  readonly op: BinaryOp;
  readonly left: Expr;
  readonly right: Expr;
}

export interface Conditional extends Node<"conditional"> {
  readonly cond: Expr;
  readonly then: Expr;
  readonly else: Expr;
}

/** `token in set`, or an id that is known before the graph runs. */
export interface Member extends Node<"member"> {
  readonly id: Expr | undefined;
  readonly isNegated: boolean;
  readonly set: Expr;
}

/** How often a loop runs: the first and the last value of its counter, or how many rounds there are. */
export interface Rounds {
  readonly ends: readonly Expr[];
  readonly span: Span;
  /** What a fold without rounds has no value of. */
  readonly extremum?: "min" | "max";
}

export interface Fold extends Node<"fold"> {
  readonly how: FoldKind;
  readonly rounds: Rounds;
  readonly counter: Local;
  readonly body: Expr;
}

export interface Repeat extends Node<"repeat"> {
  readonly rounds: Rounds;
  readonly counter: Local | undefined;
  /** What changes with each round. */
  readonly repeated: Local;
  readonly init: Expr;
  readonly body: Expr;
}

export interface BuiltinCall extends Node<"call"> {
  readonly callee: Name;
  readonly builtin: Builtin;
  /** The arguments by position, then those by name. */
  readonly args: readonly Arg[];
  /** A prefix sum of fractions: its result depends on the order of the rows, which is known when a chain is lowered. */
  readonly sumsFractions: boolean;
}

export interface Arg {
  readonly name: string;
  readonly type: ArgType;
  readonly value: Expr;
}

export interface FunctionCall extends Node<"apply"> {
  readonly body: Body;
  readonly args: readonly Expr[];
}

/** A seed that is new on every run. */
export type Random = Node<"random">;

export interface Text extends Node<"text"> {
  readonly value: string;
}

export interface List extends Node<"list"> {
  readonly items: readonly Item[];
}

/** A text, a number, or a list of numbers. */
export interface Item {
  readonly span: Span;
  readonly value: string | number | readonly Item[];
}

export interface TokenSet extends Node<"set"> {
  readonly items: readonly TokenItem[];
}

export interface PhraseLiteral extends Node<"phrases"> {
  readonly items: readonly PhraseItem[];
}

/** A text of the sequence, for `in:`; undefined for all of it. */
export interface Source extends Node<"source"> {
  readonly source: TextSource | undefined;
}

// ---------------------------------------------------------------- names

/** What a name in a file means. */
export type Meaning =
  | { readonly kind: Binding["kind"]; readonly span: Span; readonly binding: Binding }
  | Local
  | { readonly kind: "measure"; readonly span: Span }
  | { readonly kind: "column" | "function" | "seed" | "host" | "text" }
  | { readonly kind: "tokenClass"; readonly name: TokenClass }
  | { readonly kind: "tailParameter"; readonly stage: string };

export interface Occurrence {
  readonly text: string;
  readonly span: Span;
  readonly meaning: Meaning;
  readonly isDeclaration: boolean;
  /** The call of a stage that the name begins. */
  readonly stage?: StageCall;
}
