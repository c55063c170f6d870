/** Recognises samplers that are settings in other tools: biases of tokens, and a grammar. */
import type { Bias } from "../from/plan.js";
import { bodyOf } from "@ggsl/compiler/check/samplers.js";
import type { Expr, SamplerBinding, Stmt } from "@ggsl/compiler/check/tree.js";
import type { TokenItem, TokenSequence } from "@ggsl/compiler/graph/graph.js";

export interface TokenBiases {
  readonly biases: readonly Bias[];
  /** The tokens that end a text are banned. */
  readonly bansEnd: boolean;
}

/** A sampler's biases, if each of its statements adds a constant to the logits of some tokens or bans some. */
export function biasesOf(sampler: SamplerBinding): TokenBiases | undefined {
  const body = bodyOf(sampler).value;
  if (sampler.declaration.params.length > 0 || body.length === 0) return undefined;
  const found = body.map(biasesIn);
  if (!found.every((b) => b !== undefined)) return undefined;
  return { biases: found.flatMap((b) => (b === "end" ? [] : b)), bansEnd: found.includes("end") };
}

/** `keep token != 5`, `keep token not in tokens.end`, `logit += token in tokens(7, " yes") ? 1.5 : 0` */
function biasesIn(stmt: Stmt): readonly Bias[] | "end" | undefined {
  if (stmt.kind === "keep" && !stmt.atLeast) {
    const found = tokensOf(stmt.cond);
    if (!found?.isNegated) return undefined;
    return found.tokens === "end" ? "end" : found.tokens.map((token) => ({ token, bias: -Infinity }));
  }
  if (stmt.kind !== "assign" || stmt.state || stmt.op !== "+=") return undefined;
  if (stmt.value.kind !== "conditional" || numberOf(stmt.value.else) !== 0) return undefined;
  const [found, bias] = [tokensOf(stmt.value.cond), numberOf(stmt.value.then)];
  if (!found || found.isNegated || found.tokens === "end" || bias === undefined) return undefined;
  return found.tokens.map((token) => ({ token, bias }));
}

interface Tokens {
  readonly tokens: readonly (number | string)[] | "end";
  readonly isNegated: boolean;
}

const isToken = (expr: Expr): boolean => expr.kind === "builtin" && expr.name === "token";

/** The tokens for which a condition holds, or does not hold. */
function tokensOf(expr: Expr): Tokens | undefined {
  if (expr.kind === "binary" && (expr.op === "==" || expr.op === "!=") && isToken(expr.left)) {
    const token = numberOf(expr.right);
    return token === undefined ? undefined : { tokens: [token], isNegated: expr.op === "!=" };
  }
  if (expr.kind !== "member" || expr.id || expr.set.kind !== "set") return undefined;
  const { items } = expr.set;
  const tokens = isEnd(items) ? "end" : listed(items);
  return tokens && { tokens, isNegated: expr.isNegated };
}

const isEnd = (items: readonly TokenItem[]): boolean =>
  items.length === 1 && typeof items[0] === "object" && "class" in items[0] && items[0].class === "end";

/** Ids and texts; undefined if there are patterns or classes. */
export const listed = (items: readonly TokenItem[]): (number | string)[] | undefined => {
  const tokens = [...new Set(items)];
  return tokens.every((item) => typeof item !== "object") ? tokens : undefined;
};

/** The tokens of sequences of one token each. */
export function singleTokens(sequences: readonly TokenSequence[]): number[] | undefined {
  const tokens = sequences.map((s) => (typeof s === "object" && s.length === 1 ? s[0]! : s));
  return tokens.every((token) => typeof token === "number") ? tokens : undefined;
}

function numberOf(expr: Expr): number | undefined {
  if (expr.kind === "unary" && expr.op === "-") {
    const value = numberOf(expr.operand);
    return value === undefined ? undefined : -value;
  }
  return expr.kind === "number" ? expr.value : undefined;
}

/** The grammar of a sampler whose only statement is `keep allowed("...")`. */
export function grammarOf(sampler: SamplerBinding): string | undefined {
  const [only, ...more] = bodyOf(sampler).value;
  if (sampler.declaration.params.length > 0 || more.length > 0 || only?.kind !== "keep" || only.atLeast)
    return undefined;
  const { cond } = only;
  if (cond.kind !== "call" || cond.callee.text !== "allowed") return undefined;
  const text = cond.args[0]?.value;
  return text?.kind === "text" ? text.value : undefined;
}
