/** Literal lists of phrases, and arguments that are one. */
import { phraseFault } from "../graph/phrases.js";
import type { PhraseItem } from "../graph/graph.js";
import type { Call, Expr } from "../syntax/ast.js";
import { badPhrase, notAPhrase, phrasesExpected } from "../diagnostics/phrases.js";
import { namedBuiltinArgument } from "../diagnostics/types.js";
import { ERROR, node, report, scalarType, visit, type Scope, type Typing } from "./scope.js";
import type * as T from "./tree.js";

/** The word of types and literals. It is a name everywhere else. */
const WORD = "phrases";

export const isPhraseLiteral = (expr: Expr): expr is Call => expr.kind === "call" && expr.callee.text === WORD;

const PHRASES = scalarType("phrases", "static");

/** `phrases("a text", /a pattern/)` */
export function typedPhraseLiteral(typing: Typing, scope: Scope, { args, span }: Call): T.Expr {
  const items = args.map(({ name, value }) => {
    if (name) scope.diagnostics.push(namedBuiltinArgument(name.span, WORD, []));
    const item = itemOf(typing, scope, value);
    return name ? undefined : item;
  });
  return items.every((item) => item !== undefined)
    ? node<T.PhraseLiteral>(PHRASES, { kind: "phrases", items, span })
    : ERROR;
}

function itemOf(typing: Typing, scope: Scope, item: Expr): PhraseItem | undefined {
  const { diagnostics } = scope;
  if (item.kind === "string") {
    if (item.value === "") diagnostics.push(badPhrase(item.span, "an empty text is everywhere"));
    return item.value === "" ? undefined : item.value;
  }
  if (item.kind === "pattern") {
    const fault = phraseFault(item.value);
    if (fault !== undefined) diagnostics.push(badPhrase(item.span, fault));
    return fault === undefined ? { pattern: item.value } : undefined;
  }
  visit(typing, scope, item);
  diagnostics.push(notAPhrase(item.span));
  return undefined;
}

/** Phrases: a literal, or the name of a parameter or a constant that holds some. */
export function typedPhrases(typing: Typing, scope: Scope, value: Expr): T.Expr {
  if (isPhraseLiteral(value)) return typedPhraseLiteral(typing, scope, value);
  if (value.kind !== "name") {
    visit(typing, scope, value);
    return report(scope, phrasesExpected(value.span));
  }
  const found = typing.typedName(scope, value);
  return found.type === "phrases" || found.type === "error" ? found : report(scope, phrasesExpected(value.span));
}
