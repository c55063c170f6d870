/** Sets of tokens, texts and lists, where a program names or writes them. */
import type { Expr, ListLit, StringLit } from "../../../compiler/syntax/ast.js";
import { TOKEN_CLASSES } from "../sets.js";
import { textOf as textOfToken } from "../vocabulary.js";
import type { Moment, Stage, TokenSet } from "./table.js";

type Place = Pick<Moment, "vocabSize">;

/** A set by its entries; a text is that of every token with it. */
export function setOfItems(items: readonly (number | string | RegExp)[], { vocabSize }: Place): TokenSet {
  const has = (token: number): boolean =>
    items.some((entry) => {
      if (typeof entry === "number") return entry === token;
      return typeof entry === "string" ? entry === textOfToken(token) : entry.test(textOfToken(token));
    });
  return { tokens: new Set(Array.from({ length: vocabSize }, (_, token) => token).filter(has)) };
}

export function tokenSet(s: Stage, e: Expr): TokenSet {
  if (e.kind === "part") return { tokens: new Set(TOKEN_CLASSES[e.name.text as "control" | "end"]) };
  if (e.kind === "call")
    return setOfItems(
      e.args.map(({ value }) => entryOf(value)),
      s.moment,
    );
  if (e.kind !== "name") throw new Error("expected a set");
  const argument = s.isFunction ? undefined : s.args.get(e.text);
  if (argument && "tokens" in argument) return argument;
  const declared = s.module.scope.get(e.text)!.declaration;
  if (declared.kind !== "const") throw new Error("expected a constant");
  return tokenSet(s, declared.value);
}

function entryOf(e: Expr): number | string | RegExp {
  if (e.kind === "string") return e.value;
  if (e.kind === "pattern") return new RegExp(e.value, "u");
  return evaluated(e);
}

/** Ids are sums of numbers at most. */
function evaluated(e: Expr): number {
  if (e.kind === "number") return e.value;
  if (e.kind === "binary" && e.op === "+") return evaluated(e.left) + evaluated(e.right);
  throw new Error("expected an id");
}

/** The text or the list that an expression is or names. */
export function textOf(s: Stage, e: Expr): StringLit | ListLit | undefined {
  if (e.kind === "string" || e.kind === "list") return e;
  if (e.kind !== "name") return undefined;
  const argument = s.isFunction ? undefined : s.args.get(e.text);
  if (argument) return "kind" in argument ? argument : undefined;
  const declared = s.module.scope.get(e.text)?.declaration;
  return declared?.kind === "const" ? textOf(s, declared.value) : undefined;
}

/** A text in quotes, or the constant or parameter that is one. */
export function literalOf(s: Stage, e: Expr): string {
  const text = textOf(s, e);
  if (text?.kind !== "string") throw new Error("expected a text");
  return text.value;
}

export type Ending = string | readonly number[];

export function endingOf(s: Stage, e: Expr): Ending {
  const text = textOf(s, e)!;
  if (text.kind === "string") return text.value;
  const [only] = text.values;
  return only?.kind === "string" ? only.value : (listOf(s, text) as number[]);
}

/** Numbers, texts and lists of numbers. */
export function listOf(s: Stage, e: Expr): (number | string | number[])[] {
  const list = textOf(s, e);
  if (list?.kind !== "list") throw new Error("expected a list");
  return list.values.map((v) => {
    if (v.kind === "string") return v.value;
    return v.kind === "list" ? v.values.map(evaluated) : evaluated(v);
  });
}
