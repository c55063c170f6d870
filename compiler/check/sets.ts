/** Literal sets of tokens: their entries, and the classes of tokens. */
import type { TokenItem } from "../graph/graph.js";
import { patternFault } from "../graph/patterns.js";
import { TOKEN_CLASSES, type TokenClass } from "../graph/sets.js";
import { isToken } from "../graph/values.js";
import type { Call, Expr, Part } from "../syntax/ast.js";
import type { Span } from "../source/source.js";
import { badPattern, emptyTokenText, notAnItem, notATokenId, unknownPart } from "../diagnostics/sets.js";
import { namedBuiltinArgument } from "../diagnostics/types.js";
import { noteUse } from "./names.js";
import { ERROR, node, scalarType, type Scope, type Typing } from "./scope.js";
import type * as T from "./tree.js";

/** The word of types, literals and classes. It is a name everywhere else. */
const WORD = "tokens";

type SetLiteral = Call | Part;

/** `tokens(...)`, or a class such as `tokens.end`. */
export const isSetLiteral = (expr: Expr): expr is SetLiteral =>
  expr.kind === "part" || (expr.kind === "call" && expr.callee.text === WORD);

const isClass = (name: string): name is TokenClass => TOKEN_CLASSES.some((known) => known === name);

/** The set of a literal. */
export function typedSetLiteral(typing: Typing, scope: Scope, literal: SetLiteral): T.Expr {
  const items = literal.kind === "part" ? [classOf(scope, literal)] : itemsOf(typing, scope, literal);
  const isValid = items.every((item) => item !== undefined);
  return isValid ? node<T.TokenSet>(SET, { kind: "set", items, span: literal.span }) : ERROR;
}

const SET = scalarType("tokens", "static");

function classOf(scope: Scope, { of, name, span }: Part): TokenItem | undefined {
  const { text } = name;
  if (isClass(text)) noteUse(scope.uses, name, { kind: "tokenClass", name: text });
  if (of.text === WORD && isClass(text)) return { class: text };
  scope.diagnostics.push(unknownPart(of.text === WORD ? name.span : span, of.text, text, TOKEN_CLASSES));
  return undefined;
}

/** The entries; undefined for those at fault. */
const itemsOf = (typing: Typing, scope: Scope, { args }: Call): (TokenItem | undefined)[] =>
  args.map(({ name, value }) => {
    if (name) scope.diagnostics.push(namedBuiltinArgument(name.span, WORD, []));
    const item = itemOf(typing, scope, value);
    return name ? undefined : item;
  });

function itemOf({ typed }: Typing, scope: Scope, item: Expr): TokenItem | undefined {
  const { diagnostics } = scope;
  if (item.kind === "string") {
    if (item.value === "") diagnostics.push(emptyTokenText(item.span));
    return item.value === "" ? undefined : item.value;
  }
  if (item.kind === "pattern") {
    const fault = patternFault(item.value);
    if (fault) diagnostics.push(badPattern(inside(item.span, fault.at), fault.message));
    return fault ? undefined : { pattern: item.value };
  }
  const { constant } = typed({ ...scope, diagnostics: [] }, item);
  const id = item.kind === "bool" ? undefined : constant;
  if (isToken(id)) return id;
  diagnostics.push(id === undefined ? notAnItem(item.span) : notATokenId(item.span, id));
  return undefined;
}

/** The part of a pattern between the slashes. */
const inside = ({ source, start }: Span, at: { readonly start: number; readonly end: number }): Span => ({
  source,
  start: start + 1 + at.start,
  end: start + 1 + at.end,
});
