/** Samplers: their statements. */
import type { Expr, Name, Stmt } from "../syntax/ast.js";
import type { Span } from "../source/source.js";
import { assignableNames, findName } from "../builtins/builtins.js";
import { isError, type Diagnostic } from "../diagnostics/diagnostic.js";
import {
  afterThePick,
  measuredTwice,
  nestedDeclaration,
  notAfterPick,
  notAssignable,
  pickInBranch,
  stopName,
  writeUnknown,
  writtenTooLong,
  unusedLet,
} from "../diagnostics/statements.js";
import {
  mustBeColumn,
  mustBeScalar,
  mustBeStatic,
  mustBeWhole,
  notKnownBefore,
  runtimeOrder,
  stateOfType,
  typeMismatch,
} from "../diagnostics/types.js";
import { isKnownBefore, typedIndex, typedSeed } from "./known.js";
import { noteUse } from "./names.js";
import { checkUnused, namesOf, uniformsOf } from "./params.js";
import { declare, ERROR, kindOf, scalarType, typeOf, uniformsIn, type Scope } from "./scope.js";
import { isStopName } from "../graph/values.js";
import { LIMITS } from "../limits/format.js";
import { typedText } from "./textArguments.js";
import { suggest } from "../core/suggest.js";
import type * as T from "./tree.js";
import { paramsOf, typed, typedCondition, typedNumber, typedValue, TYPING } from "./types.js";

/** The statements of a sampler, which are checked once. */
export function bodyOf(binding: T.SamplerBinding): T.Found<readonly T.Stmt[]> {
  if (binding.body) return binding.body;
  const { declaration: sampler, module } = binding;
  const { value: params, diagnostics: faults } = paramsOf(binding);
  const diagnostics: Diagnostic[] = [];
  const body: Body = {
    module,
    names: namesOf(params),
    uniforms: uniformsOf(sampler.params),
    hasRows: true,
    isAfterPick: false,
    canUsePicked: false,
    diagnostics,
    used: new Set(),
    uses: module.uses,
    hasPicked: false,
    picks: picks(sampler.body),
    branch: undefined,
    states: new Map(),
    measures: new Map(),
    lets: [],
  };
  const value = typedBlock(body, sampler.body, "sampler");
  checkUnused(sampler.params, body.used, diagnostics);
  // a fault is often in the use of a value
  if (![...faults, ...diagnostics].some(isError))
    for (const { text, span } of body.lets) if (!body.used.has(text)) diagnostics.push(unusedLet(span, text));
  return (binding.body = { value, diagnostics });
}

// ---------------------------------------------------------------- statements

interface Body extends Scope {
  readonly names: Map<string, T.Local>;
  hasPicked: boolean;
  /** Whether the sampler picks. */
  readonly picks: boolean;
  readonly states: Map<string, T.Local>;
  readonly lets: Name[];
  /** Where each measure is named. */
  readonly measures: Map<string, Span>;
  /** The condition of an enclosing `if` that may change at run time, and whether it certainly does. */
  readonly branch: { readonly span: Span; readonly isRuntime: boolean } | undefined;
}

/** Where a block is: the sampler itself, its `after pick`, or a branch of an `if`. */
type BlockKind = "sampler" | "after" | "branch";

const STOP_HELP =
  'move it to the top level of the sampler, with the condition of the `if`: `stop when a and b as "name"`';

const WRITE_HELP =
  'move it to the top level of the sampler; the condition of an `if` can be part of its own: `write "text" when a and b`';

/** Statements that are allowed in some places only, in words, and these places. */
const PLACED: Readonly<
  Partial<
    Record<Stmt["kind"], { readonly words: string; readonly places: readonly BlockKind[]; readonly help?: string }>
  >
> = {
  state: { words: "`state`", places: ["sampler"] },
  after: { words: "`after pick`", places: ["sampler"] },
  measure: { words: "`measure`", places: ["sampler", "after"] },
  stop: { words: "`stop when`", places: ["sampler", "after"], help: STOP_HELP },
  write: { words: "`write`", places: ["sampler"], help: WRITE_HELP },
};

function typedBlock(body: Body, statements: readonly Stmt[], place: BlockKind = "branch"): T.Stmt[] {
  let isReported = false;
  return statements.flatMap((s) => {
    const mayFollow = s.kind === "after" || s.kind === "measure" || s.kind === "stop" || s.kind === "write";
    if (body.hasPicked && !body.isAfterPick && !mayFollow && !isReported) {
      body.diagnostics.push(afterThePick(s.span));
      isReported = true;
    }
    const placed = PLACED[s.kind];
    const isMisplaced = placed && !placed.places.includes(place);
    const isEarly = !isMisplaced && body.isAfterPick && !["let", "if", "assign", "measure", "stop"].includes(s.kind);
    if (isMisplaced) body.diagnostics.push(nestedDeclaration(s.span, placed.words, placed.help));
    if (isEarly) body.diagnostics.push(notAfterPick(s.span, s.kind));
    return typedStmt(isMisplaced || isEarly ? aside(body) : body, s);
  });
}

/** A body of its own, for a statement that is not where it can be: only the meanings of names in it matter. */
const aside = (body: Body): Body => ({
  ...body,
  names: new Map(body.names),
  states: new Map(body.states),
  measures: new Map(body.measures),
  diagnostics: [],
});

function typedStmt(body: Body, s: Stmt): T.Stmt {
  const { span } = s;
  switch (s.kind) {
    case "let": {
      const value = typedValue(body, s.value);
      const local: T.Local = { kind: "let", span: s.name.span, type: typeOf(value) };
      declare(body, body.names, s.name, local);
      body.lets.push(s.name);
      return { kind: "let", span, local, value };
    }
    case "assign":
      return typedAssign(body, s);
    case "keep": {
      const cond = typedCondition(body, s.cond);
      const atLeast = s.atLeast && typedCount(body, s.atLeast, "the number of rows to keep");
      return { kind: "keep", span, cond, atLeast };
    }
    case "top": {
      const count = typedCount(body, s.count, "the count of `top`");
      if (count.type !== "error" && count.rate !== "static")
        body.diagnostics.push(mustBeStatic(s.count.span, "the count of `top`", uniformsIn(body, s.count)));
      return { kind: "top", span, count, by: typedKey(body, span, "top", s.by) };
    }
    case "sort":
      return { kind: "sort", span, by: typedKey(body, span, "sort", s.by), order: s.order };
    case "if":
      return typedIf(body, s);
    case "pick":
      return typedPick(body, s);
    case "state":
      return typedState(body, s);
    case "after": {
      // its measures are those of the sampler, as its states are
      const inside = {
        ...body,
        names: new Map(body.names),
        isAfterPick: true,
        canUsePicked: body.hasPicked,
        isAfterChain: !body.picks,
      };
      return { kind: "after", span, body: typedBlock(inside, s.body, "after") };
    }
    case "measure":
      return typedMeasure(body, s);
    case "stop":
      return typedStop(body, s);
    case "write":
      return typedWrite(body, s);
  }
}

type Of<Kind extends Stmt["kind"]> = Extract<Stmt, { kind: Kind }>;

/** A scalar; after the pick it may be about the picked row. */
function typedMeasure(body: Body, { name, value: given, span }: Of<"measure">): T.Stmt {
  noteUse(body.uses, name, { kind: "measure", span: name.span }, { isDeclaration: true });
  const value = typed({ ...body, canUsePicked: body.hasPicked || body.canUsePicked }, given);
  if (value.type !== "error" && !["f32", "i32", "bool"].includes(value.type))
    body.diagnostics.push(typeMismatch(given.span, "a number or a condition", kindOf(value)));
  else requireScalar(body, given, value, `the measure \`${name.text}\``);
  const first = body.measures.get(name.text);
  if (first) body.diagnostics.push(measuredTwice(name.span, name.text, first));
  else body.measures.set(name.text, name.span);
  return { kind: "measure", span, name, value };
}

/** A scalar condition, which may be about the picked row after the pick. */
function typedStop(body: Body, { cond: given, reason, span }: Of<"stop">): T.Stmt {
  const scope = { ...body, canUsePicked: body.hasPicked || body.canUsePicked, isAfterChain: !body.picks };
  const cond = typedCondition(scope, given);
  requireScalar(body, given, cond, "the condition of `stop when`");
  if (!isStopName(reason.value)) body.diagnostics.push(stopName(reason.span, reason.value));
  return { kind: "stop", span, cond, reason: reason.value };
}

/** A text, and a scalar condition that is known before the graph runs. */
function typedWrite(body: Body, { text: written, cond: given, span }: Of<"write">): T.Stmt {
  const text = typedText(TYPING, body, written, { expected: "text" });
  const cond = typedCondition(body, given);
  requireScalar(body, given, cond, "the condition of `write`");
  if (cond.type !== "error" && cond.shape === "scalar" && cond.rate === "runtime" && !isKnownBefore(cond))
    body.diagnostics.push(writeUnknown(given.span));
  if (text.kind === "text" && text.value.length > LIMITS.written)
    body.diagnostics.push(writtenTooLong(written.span, text.value.length));
  return { kind: "write", span, text, cond };
}

/** `logit` before the pick, a state after it. */
function typedAssign(body: Body, { target, op, value: given, span }: Of<"assign">): T.Stmt {
  const { text } = target;
  const state = body.isAfterPick ? body.states.get(text) : undefined;
  const isColumn = findName(text)?.isAssignable === true;
  noteUse(body.uses, target, body.names.get(text) ?? (isColumn ? { kind: "column" } : undefined));
  const isFault = !state && (body.isAfterPick || !isColumn);
  if (isFault) body.diagnostics.push(notAssignable(target.span, text, assignHelp(body, text)));
  const value = isFault
    ? typed(body, given)
    : state
      ? typedStateValue(body, state.type, given, op !== "=")
      : typedNumber(body, given);
  return { kind: "assign", span, state, target, op, value };
}

function typedState(body: Body, { name, type, init: given, span }: Of<"state">): T.Stmt {
  const isNone = type === "seed" || type === "tokens" || type === "grammar" || type === "phrases";
  const state = scalarType(isNone ? "error" : type, "runtime");
  if (isNone) body.diagnostics.push(stateOfType(span, type));
  const init = typedStateValue(isNone ? aside(body) : body, state, given, false);
  if (!isNone && init.rate === "runtime") body.diagnostics.push(notKnownBefore(given.span));
  const local: T.Local = { kind: "state", span: name.span, type: state };
  declare(body, body.names, name, local);
  if (isNone) noteUse(body.uses, name, { ...local, type: scalarType(type, "runtime") }, { isDeclaration: true });
  body.states.set(name.text, local);
  return { kind: "state", span, local, name, init };
}

/** A value assigned to a state: a scalar number or condition. */
function typedStateValue(body: Body, state: T.Type, given: Expr, isArithmetic: boolean): T.Expr {
  const value = state.type === "bool" && !isArithmetic ? typedCondition(body, given) : typedNumber(body, given);
  if (value.shape === "column")
    body.diagnostics.push(mustBeScalar(given.span, "a state", value.type === "bool", body.isAfterPick));
  else if (state.type === "i32" && value.type === "f32")
    body.diagnostics.push(mustBeWhole(given.span, "the state", "a value of type f32"));
  return value.shape === "column" ? ERROR : value;
}

function assignHelp(body: Body, name: string): string {
  if (body.isAfterPick)
    return body.states.size > 0
      ? `inside \`after pick\` only states can be assigned: ${[...body.states.keys()].join(", ")}`
      : "declare a state first: `state s: f32 = 0`";
  if (body.states.has(name)) return "assign a state inside `after pick { ... }`";
  if (body.names.has(name) || findName(name))
    return "only `logit` can be assigned; `prob` follows from it, and `let` declares a new column";
  const meant = suggest(name, assignableNames());
  return meant === undefined ? `declare it with \`let ${name} = ...\`` : `did you mean \`${meant}\`?`;
}

function requireScalar(body: Body, expr: Expr, type: T.Type, what: string): void {
  if (type.type !== "error" && type.shape === "column")
    body.diagnostics.push(mustBeScalar(expr.span, what, type.type === "bool"));
}

/** A number of rows: an integer scalar. Anything else is reported, and has the type error. */
function typedCount(body: Body, expr: Expr, what: string): T.Expr {
  const count = typedNumber(body, expr);
  requireScalar(body, expr, count, what);
  if (count.type === "error" || count.shape === "column") return ERROR;
  const { constant } = count;
  const isWhole = constant === undefined ? count.type === "i32" : Number.isInteger(constant);
  if (!isWhole) body.diagnostics.push(mustBeWhole(expr.span, what, String(constant ?? "a value of type f32")));
  return isWhole ? count : ERROR;
}

function typedKey(body: Body, span: Span, what: string, by: Expr | undefined): T.Expr | undefined {
  const key = by && typedNumber(body, by);
  if (key && key.type !== "error" && key.shape === "scalar")
    body.diagnostics.push(mustBeColumn(by.span, `the key of \`${what}\``));
  if (body.branch?.isRuntime) body.diagnostics.push(runtimeOrder(span, what, body.branch.span));
  return key;
}

function typedIf(body: Body, s: Of<"if">): T.Stmt {
  const cond = typedCondition(body, s.cond);
  requireScalar(body, s.cond, cond, "the condition of `if`");
  const isSettled = cond.rate === "static" || cond.shape === "column" || body.branch?.isRuntime;
  const branch = isSettled ? body.branch : { span: s.cond.span, isRuntime: cond.rate === "runtime" };
  const inBranch = (statements: readonly Stmt[]): { statements: T.Stmt[]; hasPicked: boolean } => {
    const inner: Body = { ...body, names: new Map(body.names), branch };
    return { statements: typedBlock(inner, statements), hasPicked: inner.hasPicked };
  };
  const [then, other] = [inBranch(s.then), inBranch(s.else ?? [])];
  body.hasPicked ||= then.hasPicked || other.hasPicked;
  return { kind: "if", span: s.span, cond, then: then.statements, else: other.statements };
}

function typedPick(body: Body, { how, value: given, at: index, span }: Of<"pick">): T.Stmt {
  const value = how === "sample" ? typedSeed(TYPING, body, given) : typedNumber(body, given);
  const at = index && typedIndex(TYPING, how === "sample" ? body : aside(body), index);
  if (how === "argmax" && value.type !== "error" && value.shape === "scalar")
    body.diagnostics.push(mustBeColumn(given.span, "the argument of `pick argmax`"));
  if (body.branch?.isRuntime) body.diagnostics.push(pickInBranch(span));
  body.hasPicked = true;
  return { kind: "pick", span, how, value, at };
}

/** Whether a sampler picks the token. */
export const picks = (statements: readonly Stmt[]): boolean =>
  statements.some((s) => s.kind === "pick" || (s.kind === "if" && (picks(s.then) || picks(s.else ?? []))));
