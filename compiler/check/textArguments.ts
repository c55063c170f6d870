/** Arguments that are texts, lists of texts and token ids, grammars, or texts of the sequence. */
import type { Expr, ListLit } from "../syntax/ast.js";
import { saturate } from "../graph/uniformOps.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { grammarExpected } from "../diagnostics/grammars.js";
import { endingExpected, sourceExpected, textExpected } from "../diagnostics/types.js";
import { noteUse } from "./names.js";
import { ERROR, node, noteName, report, scalarType, visit, type Scope, type Typing } from "./scope.js";
import { isTextInput, textMeaning, textNamed, textNames } from "./texts.js";
import type * as T from "./tree.js";

const TEXT = scalarType("text", "static");
const LIST = scalarType("list", "static");

/** Whether an expression is a text or a list, or names a constant that is one. */
export function isText({ scope }: T.Module, value: Expr): boolean {
  if (value.kind === "string" || value.kind === "list") return true;
  const binding = value.kind === "name" ? scope.get(value.text) : undefined;
  return binding?.kind === "const" && isText(binding.module, binding.declaration.value);
}

/** The text or the list that an expression is, or that its name holds; undefined for all others. */
function textOf({ typing, scope }: TypingScope, value: Expr): T.Expr | undefined {
  const { span } = value;
  const { module, names } = scope;
  if (value.kind === "string") return node<T.Text>(TEXT, { kind: "text", value: value.value, span });
  if (value.kind !== "name") visit(typing, scope, value);
  if (value.kind === "list") {
    const items = itemsOf(value);
    return items && node<T.List>(LIST, { kind: "list", items, span });
  }
  if (value.kind !== "name") return undefined;
  noteName(scope, value);
  const local = names.get(value.text);
  if (local) return node<T.LocalRef>(local.type, { kind: "local", local, span });
  if (module.broken.has(value.text)) return ERROR;
  const binding = module.scope.get(value.text);
  const held = binding?.kind === "const" ? typing.constOf(binding).value : undefined;
  return held?.kind === "text" || held?.kind === "list" ? { ...held, span } : undefined;
}

interface TypingScope {
  readonly typing: Typing;
  readonly scope: Scope;
}

/** Undefined if some value is neither a text nor a number nor a list of numbers. */
function itemsOf({ values }: ListLit): T.Item[] | undefined {
  const items = values.map((v): T.Item | undefined => {
    const { span } = v;
    if (v.kind === "string") return { span, value: v.value };
    if (v.kind === "number") return { span, value: saturate(v.value) };
    const inside = v.kind === "list" && v.values.every((entry) => entry.kind === "number") ? itemsOf(v) : undefined;
    return inside && { span, value: inside };
  });
  return items.every((item) => item !== undefined) ? items : undefined;
}

interface Wanted {
  /** The type that is wanted; by default either. */
  readonly expected?: "text" | "list";
  /** A nested list may also have lists of token ids. */
  readonly isNested?: boolean;
  readonly fault?: Diagnostic;
}

/** A text or a list of texts and token ids, or the name of a parameter that holds one. */
export function typedText(typing: Typing, scope: Scope, value: Expr, { expected, isNested, fault }: Wanted): T.Expr {
  const found = textOf({ typing, scope }, value);
  if (found?.type === "error") return ERROR;
  const isExpected = found && (expected === undefined || found.type === expected);
  const isDeep = found?.kind === "list" && !isNested && found.items.some((item) => typeof item.value === "object");
  return isExpected && !isDeep ? found : report(scope, fault ?? textExpected(value.span, expected !== "text"));
}

/** A parameter that is a grammar, or a text, which is one in GBNF. */
export function typedGrammar(typing: Typing, scope: Scope, value: Expr): T.Expr {
  const local = value.kind === "name" ? scope.names.get(value.text) : undefined;
  if (local?.type.type === "grammar") return textOf({ typing, scope }, value)!;
  return typedText(typing, scope, value, { expected: "text", fault: grammarExpected(value.span) });
}

/** A text, alone or in a list, or a list of token ids. */
export function typedEnding(typing: Typing, scope: Scope, value: Expr): T.Expr {
  const found = textOf({ typing, scope }, value);
  const isOne = found?.kind === "list" && (isIds(found) || textAlone(found) !== undefined);
  const isParameter = found?.kind === "local" && (found.type === "text" || found.type === "list");
  if (found?.type === "error" || found?.kind === "text" || isOne || isParameter) return found;
  return report(scope, endingExpected(value.span));
}

const isIds = ({ items }: T.List): boolean => items.every(({ value }) => typeof value === "number");

/** The text of a list of one text: a parameter that takes lists of token ids takes texts in this form. */
export const textAlone = ({ items }: T.List): string | undefined =>
  items.length === 1 && typeof items[0]!.value === "string" ? items[0]!.value : undefined;

/** `all`, `prompt`, `generated` or an input of tokens. */
export function typedSource(typing: Typing, scope: Scope, value: Expr): T.Expr {
  const { module, names } = scope;
  const { span } = value;
  const name = value.kind === "name" ? value.text : undefined;
  const text = name === undefined ? undefined : textNamed(typing, module, name);
  if (name === undefined) visit(typing, scope, value);
  else {
    scope.used.add(name);
    noteUse(scope.uses, { text: name, span }, textMeaning(module, name));
  }
  if (name !== undefined && module.broken.has(name)) return ERROR;
  const isHidden = name !== undefined && names.has(name) && isTextInput(module.scope.get(name));
  return text && !isHidden
    ? node<T.Source>(TEXT, { kind: "source", source: text.source, span })
    : report(scope, sourceExpected(span, name, textNames(module, names)));
}
