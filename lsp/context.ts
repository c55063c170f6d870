/** The syntactic context at a position, for completion and signature help. The text may be incomplete. */
import { TAIL_SAMPLERS } from "@ggsl/compiler/llama/samplers.js";
import { DECLARATIONS, mayDeclare } from "@ggsl/compiler/source/declarations.js";
import { KEYWORDS, type Keyword } from "@ggsl/compiler/source/keywords.js";
import { isWord, isWordLexeme, type Lexeme } from "@ggsl/compiler/source/lexemes.js";
import { lexemesIn, type SourceFile } from "@ggsl/compiler/source/source.js";

/** A call with an open bracket. */
export interface OpenCall {
  readonly name: string;
  /** `stage` of a chain, `host` stage, `function` in an expression. */
  readonly kind: "stage" | "host" | "function";
  /** The index of the argument at the position. */
  readonly index: number;
  /** Names of the arguments given so far. */
  readonly given: readonly string[];
}

type ContextKind =
  | "nothing"
  | "declaration"
  | "import"
  | "stage"
  | "host"
  | "parameter"
  | "type"
  | "inputType"
  | "statement"
  | "expression"
  | "tokenClass"
  | "text"
  | "clause"
  | "expected";

export interface Context {
  readonly place: ContextKind;
  readonly call?: OpenCall;
  /** Names declared before the position in the same declaration: parameters, `let`, `state`. */
  readonly locals: readonly { readonly name: string; readonly what: string }[];
  /** The file of an `import`, if present. */
  readonly from?: string;
}

const NOTHING: Context = { place: "nothing", locals: [] };

export function contextAt(source: SourceFile, offset: number): Context {
  const { text } = source;
  const all = lexemesIn(source);
  const count = countBefore(all, offset);
  let start = count - 1;
  while (start > 0 && !mayDeclare(text, all[start]!)) start--;
  const last = all[count - 1];
  const isInside = last !== undefined && last.end >= offset;
  if (isInside && isOpenAt(last, offset)) return NOTHING;
  // the incomplete lexeme at the position does not count
  const isIncomplete = isInside && (isWordLexeme(last) || last.end > offset);
  const lexemes = all
    .slice(Math.max(0, start), isIncomplete ? count - 1 : count)
    .filter(({ kind }) => kind !== "comment" && kind !== "doc");
  if (lexemes.at(-1)?.text === "." && lexemes.at(-2)?.text === "tokens") return { place: "tokenClass", locals: [] };
  if (isInside && (last.kind === "number" || last.text.startsWith("."))) return NOTHING;
  return contextOf(lexemes, text.slice(offset));
}

/** How many lexemes begin before an offset. */
function countBefore(lexemes: readonly Lexeme[], offset: number): number {
  let [low, high] = [0, lexemes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lexemes[middle]!.start < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether what is typed at an offset would be a part of a comment, a text or a pattern that begins before it. */
function isOpenAt({ kind, text, end }: Lexeme, offset: number): boolean {
  if (kind === "comment" || kind === "doc") return true;
  if (kind !== "text" && kind !== "pattern") return false;
  return end > offset || (kind === "text" && (text.length === 1 || !text.endsWith('"')));
}

/** What follows a colon, other than the type of a parameter or a state. */
const TYPED: Readonly<Record<string, ContextKind>> = { test: "expression", input: "inputType" };

function contextOf(lexemes: readonly Lexeme[], after: string): Context {
  const words = lexemes.map(({ text }) => text);
  const depths = depthsOf(words);
  const from = words.findLastIndex((word, i) => depths[i] === 0 && DECLARATIONS.has(word));
  const declaration = words[from];
  const inside = words.slice(Math.max(0, from));
  const locals = localsOf(inside);
  const open = openBrackets(inside);
  const previous = inside.at(-1);
  const call = openCall(inside, open, declaration);
  const context = (place: ContextKind): Context => ({ place, locals, ...(call && { call }) });
  if (declaration === undefined) return context("declaration");
  if (declaration === "import") return importContext(inside, open, after);
  if (call && previous === ":" && inside.at(-2) === "in") return context("text");
  if (call)
    return context(
      previous === ":" || previous === "," || previous === "(" || isOperator(previous) ? "expression" : "nothing",
    );
  if (previous === ":")
    return context(isTypeNext(inside, open, declaration) ? (TYPED[declaration] ?? "type") : "expression");
  if (declaration === "fn" && previous === "->" && open.length === 0) return context("type");
  if (
    open.length > 0 &&
    inside[open.at(-1)!] === "(" &&
    ["fn", "sampler", "chain"].includes(declaration) &&
    isParams(inside, open)
  )
    return context(
      previous === "(" || previous === "," ? "parameter" : isOperator(previous) ? "expression" : "nothing",
    );
  switch (declaration) {
    case "chain":
      if (previous === "|>" || (previous === "=" && open.length === 0)) return context("stage");
      if (previous === "host") return context("host");
      return context(open.length > 0 ? "expression" : inside.length > 2 ? "declaration" : "nothing");
    case "test":
      return testContext(inside, open, context);
    case "fn":
      return context(functionPlace(inside, open));
    case "sampler":
      return context(samplerPlace(inside, open));
    default:
      return context(isOperator(previous) ? "expression" : inside.length > 2 ? "declaration" : "nothing");
  }
}

function importContext(inside: readonly string[], open: readonly number[], after: string): Context {
  const from = /^[^"\n]*\bfrom\s*"([^"\n]*)"/.exec(after)?.[1];
  if (open.length > 0) return { place: "import", locals: [], ...(from !== undefined && { from }) };
  return { place: inside.length > 4 ? "declaration" : "nothing", locals: [] };
}

function testContext(
  inside: readonly string[],
  open: readonly number[],
  context: (place: ContextKind) => Context,
): Context {
  const previous = inside.at(-1);
  if (open.length === 0) return context(previous === "}" ? "declaration" : "nothing");
  if (previous === "expect") return context("expected");
  if (previous === "run" || previous === "|>") return context("stage");
  if (previous === "host") return context("host");
  return context(open.length > 1 ? "expression" : "clause");
}

/** Whether a colon begins a type: of a parameter, an input or a state, but not in a fold, a `repeat` or `? :`. */
function isTypeNext(inside: readonly string[], open: readonly number[], declaration: string): boolean {
  if (declaration === "test") return false;
  const isInBody = open.some((i) => inside[i] === "{") || (declaration === "fn" && open.length === 0);
  return !isInBody || inside.at(-3) === "state";
}

function functionPlace(inside: readonly string[], open: readonly number[]): ContextKind {
  const previous = inside.at(-1)!;
  if (open.length > 0) return previous === "let" ? "nothing" : "expression";
  if (isOperator(previous)) return "expression";
  return previous === "}" || inside.includes("=") ? "declaration" : "nothing";
}

function samplerPlace(inside: readonly string[], open: readonly number[]): ContextKind {
  const previous = inside.at(-1)!;
  if (open.length === 0) return previous === "}" ? "declaration" : "nothing";
  if (inside[open.at(-1)!] !== "{") return "expression";
  if (previous === "{" || previous === "}" || previous === ";" || previous === "sort") return "statement";
  if (isOperator(previous) || ["keep", "top", "by", "if", "least", "pick", "when"].includes(previous))
    return "expression";
  return ["let", "state", "as"].includes(previous) ? "nothing" : "statement";
}

const isOperator = (token: string | undefined): boolean =>
  token !== undefined && /^(?:[-+*/%^?=<>]|[-+*/<>=!]=|and|or|not|\(|\[|,|in)$/.test(token);

const CLOSING: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** The indices of the brackets that are open at the end. */
function openBrackets(words: readonly string[]): number[] {
  const open: number[] = [];
  words.forEach((word, i) => {
    if ("([{".includes(word)) open.push(i);
    else if (word in CLOSING && words[open.at(-1) ?? -1] === CLOSING[word]) open.pop();
  });
  return open;
}

/** The number of open brackets before each word. */
function depthsOf(words: readonly string[]): number[] {
  let depth = 0;
  return words.map((word) => {
    const before = depth;
    if ("([{".includes(word)) depth++;
    else if (word in CLOSING && depth > 0) depth--;
    return before;
  });
}

/** Whether the innermost bracket is that of a declaration's parameters: `sampler NAME (`. */
const isParams = (words: readonly string[], open: readonly number[]): boolean =>
  open.length === 1 && open[0] === 2 && isWord(words[1]!);

function openCall(
  words: readonly string[],
  open: readonly number[],
  declaration: string | undefined,
): OpenCall | undefined {
  // the innermost bracket of a call; those of lists and groups inside it do not end it
  const at = open.findLast((i) => words[i] === "(" && i > 0 && isWord(words[i - 1]!));
  if (at === undefined || (at === 2 && declaration !== "test")) return undefined;
  if (open.some((i) => i > at && words[i] === "{")) return undefined;
  const name = words[at - 1]!;
  const before = words[at - 2];
  const isStage = before === "|>" || before === "run" || (declaration === "chain" && before === "=");
  const kind = before === "host" && Object.hasOwn(TAIL_SAMPLERS, name) ? "host" : isStage ? "stage" : "function";
  const inside = words.slice(at + 1);
  const depths = depthsOf(inside);
  return {
    name,
    kind,
    index: inside.filter((word, i) => word === "," && depths[i] === 0).length,
    given: inside.filter((word, i) => depths[i] === 0 && inside[i + 1] === ":" && isWord(word)),
  };
}

const groupOf = (word = ""): Keyword["group"] | undefined =>
  Object.hasOwn(KEYWORDS, word) ? KEYWORDS[word]!.group : undefined;

function localsOf(words: readonly string[]): { name: string; what: string }[] {
  return words.flatMap((word, i) => {
    const before = words[i - 1];
    if (!isWord(word)) return [];
    if (before === "let") return [{ name: word, what: "let" }];
    if (groupOf(before) === "fold" && words[i + 1] === "in") return [{ name: word, what: "counter" }];
    if (before === "with" && words[i + 1] === "=") return [{ name: word, what: "value of the rounds" }];
    if (before === "state") return [{ name: word, what: "state" }];
    const type = words[i + 2];
    const isTyped = words[i + 1] === ":" && (groupOf(type) === "type" || type === "tokens");
    return isTyped ? [{ name: word, what: "parameter" }] : [];
  });
}
