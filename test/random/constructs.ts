/** Which constructs of the language a program has, for the test that random programs have them all. */
import type { Call, Declaration, Expr, Param, Stmt } from "../../compiler/syntax/ast.js";
import { parse } from "../../compiler/syntax/parse.js";
import { callsIn, children, expressionsIn } from "../../compiler/syntax/walk.js";

type Notes = readonly (string | false)[];

/** The names of the constructs in a program. */
export function constructsOf(text: string): string[] {
  const { declarations } = parse({ name: "random.ggsl", text }).file;
  const functions = new Set(declarations.flatMap((d) => (d.kind === "fn" ? [d.name.text] : [])));
  const expressions = declarations.flatMap(expressionsOfDeclaration).flatMap((e) => [e, ...within(e)]);
  const notes: Notes = [
    text.includes("/*") && "block comment",
    /,[)}]|, [)}]/.test(text) && "comma after the last",
    ...declarations.flatMap((d) => declarationNotes(d, functions)),
    ...expressions.flatMap((e) => expressionNotes(e, functions)),
  ];
  return notes.filter((x) => x !== false);
}

const within = (e: Expr): Expr[] => children(e).flatMap((inner) => [inner, ...within(inner)]);

const isSet = (e: Expr): boolean => e.kind === "part" || (e.kind === "call" && e.callee.text === "tokens");
const isCondition = (e: Expr): boolean =>
  e.kind === "bool" ||
  e.kind === "member" ||
  (e.kind === "unary" && e.op === "not") ||
  (e.kind === "binary" && ["<", "<=", ">", ">=", "==", "!=", "and", "or"].includes(e.op));
/** Random programs name states so. */
const isState = (e: Expr): boolean => e.kind === "name" && /^s[0-9]+$/.test(e.text);
/** Random programs name counters so. */
const isCounter = (e: Expr | undefined): boolean => e?.kind === "name" && /^i[0-9]+$/.test(e.text);

// ---------------------------------------------------------------- declarations

function expressionsOfDeclaration(d: Declaration): readonly Expr[] {
  if (d.kind === "sampler" || d.kind === "fn") return expressionsIn(d);
  if (d.kind === "chain") return d.stages.flatMap(({ args }) => args.map(({ value }) => value));
  return d.kind === "const" ? [d.value] : [];
}

function declarationNotes(d: Declaration, functions: ReadonlySet<string>): Notes {
  switch (d.kind) {
    case "import":
      return [d.kind, d.names.some((name) => name.as) && "import as"];
    case "const":
      return [
        d.kind,
        { string: "const text", list: "const list" }[d.value.kind as string] ?? (isSet(d.value) && "const set"),
      ];
    case "input":
      return [d.kind, d.sparse !== undefined && "input sparse", d.type === "logits" && "input logits"];
    case "fn":
      return [
        ...[d.kind, ...d.params.flatMap(paramNotes), d.lets.length > 0 && "fn block"],
        d.params.some((p) => p.isStatic) && "fn static parameter",
        d.params.some((p) => p.default) && "fn default",
        expressionsIn(d)
          .flatMap(callsIn)
          .some(({ callee }) => functions.has(callee.text)) && "fn calls fn",
      ];
    case "sampler": {
      const pick = d.body.findIndex(({ kind }) => kind === "pick");
      return [
        ...[d.kind, ...d.params.flatMap(paramNotes), ...d.body.flatMap((s) => statementNotes(s, false))],
        pick >= 0 && d.body.slice(pick).some(({ kind }) => kind === "measure") && "measure after the pick",
      ];
    }
    case "chain":
      return [
        ...[d.kind, ...d.params.flatMap(paramNotes), ...d.stages.map(({ name }) => `stage ${name.text}`)],
        d.stages.some(({ args }) => args.some((a) => a.name)) && "named argument",
        d.stages.some(({ name }) => name.text === "part") && "chain inside chain",
      ];
    case "test":
      return [d.kind];
  }
}

const paramNotes = ({ isStatic, type, range, size, doc }: Param): Notes => [
  `parameter ${isStatic ? "static " : ""}${type}`,
  size !== undefined && "parameter tokens(n)",
  doc !== undefined && "doc of a parameter",
  range !== undefined && (range.kind === "in" ? "range in" : `range ${range.op}`),
];

// ---------------------------------------------------------------- statements

function statementNotes(s: Stmt, isInsideIf: boolean): Notes {
  switch (s.kind) {
    case "assign":
      return [`${s.target.text === "logit" ? "logit" : "state"} ${s.op}`];
    case "keep":
      return [s.atLeast ? "keep at least" : "keep"];
    case "top":
      return [s.by ? "top by" : "top"];
    case "sort":
      return [s.by ? "sort by" : "sort", s.order === "asc" && "sort asc"];
    case "write":
      return [s.kind, [s.cond, ...within(s.cond)].some(isState) && "write by a state"];
    case "pick":
      return [`pick ${s.how}`, s.at !== undefined && "pick sample at"];
    case "state":
      return [`state ${s.type}`];
    case "if":
      return [
        ...[s.kind, s.else !== undefined && "if else", isInsideIf && "if inside if"],
        ...[...s.then, ...(s.else ?? [])].flatMap((inner) => statementNotes(inner, true)),
      ];
    case "after":
      return [
        ...[s.kind, ...s.body.flatMap((inner) => statementNotes(inner, false))],
        s.body.some(({ kind }) => kind === "measure") && "measure in after",
        s.body.some(({ kind }) => kind === "stop") && "stop in after",
      ];
    default:
      return [s.kind];
  }
}

// ---------------------------------------------------------------- expressions

function expressionNotes(e: Expr, functions: ReadonlySet<string>): Notes {
  const inside = (kind: Expr["kind"]): boolean => within(e).some((other) => other.kind === kind);
  switch (e.kind) {
    case "name":
      return [e.text];
    case "bool":
      return ["true or false"];
    case "part":
      return ["class of tokens"];
    case "unary":
      return [e.op === "-" ? "-a" : "not a"];
    case "conditional":
      return ["a ? b : c"];
    case "binary":
      return [`a ${e.op} b`, e.op === "==" && isCondition(e.left) && "condition == condition"];
    case "member": {
      const left = e.value.kind === "name" && e.value.text === "token" ? "token" : "scalar";
      return [`${left} ${e.isNegated ? "not in" : "in"} set`];
    }
    case "fold":
      return [`fold ${e.how}`, inside("fold") && "fold inside fold"];
    case "repeat":
      return [e.counter ? "repeat counted" : "repeat", inside("repeat") && "repeat inside repeat"];
    case "call":
      if (functions.has(e.callee.text)) return ["call of fn", e.args.some((a) => a.name) && "call of fn by name"];
      return e.callee.text === "tokens" ? setNotes(e) : callNotes(e);
    default:
      return [e.kind];
  }
}

function setNotes({ args }: Call): Notes {
  const has = (kind: Expr["kind"]): boolean => args.some(({ value }) => value.kind === kind);
  return [
    args.length === 0 && "empty set",
    has("number") && "set of ids",
    has("string") && "set of texts",
    has("pattern") && "set of patterns",
  ];
}

function callNotes({ callee: { text: name }, args }: Call): Notes {
  const first = args[0]?.value;
  const source = args.find((a) => a.name?.text === "in")?.value;
  const isOverTokens = args.some((a) => a.name?.text === "last");
  const count = args.length - (source ? 1 : 0) - (isOverTokens ? 1 : 0);
  const notes = [`${name}()`, `${name}() of ${count}`, ...(isOverTokens ? [`${name}() over tokens`] : [])];
  if (!first) return notes;
  const isWindowed = name === "occurrences" || name === "repeat_len";
  return [
    ...notes,
    source?.kind === "name" && `in: ${source.text}`,
    isWindowed && first.kind === "call" && "known window",
    isWindowed && [first, ...within(first)].some(isCounter) && "window of i",
    name === "last" && isCounter(first) && "last(i)",
    name === "picked" && isCondition(first) && "picked(condition)",
    name === "ends_with" && `ends_with(${{ string: "text", list: "list" }[first.kind as string] ?? "const"})`,
  ];
}
