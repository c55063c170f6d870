/** The names that a C++ source declares, and those that it uses. */
import type { SourceText, Token } from "./tokens.js";

/** A name as others see it: the namespace it is in, and whether the declaration is complete. */
interface Declared {
  readonly name: string;
  readonly namespace: string;
}

export interface Used extends Declared {
  readonly line: number;
  /** What stands before `::`. */
  readonly qualifier?: string;
}

export interface Names {
  /** At the level of namespaces. Types that are only announced (`class Model;`) are not among them. */
  readonly declared: readonly Declared[];
  /** At any level, as members, parameters and locals too: such a name need not be that of a header. */
  readonly introduced: ReadonlySet<string>;
  /** Those of them that are members, which classes that inherit use as their own. */
  readonly members: ReadonlySet<string>;
  readonly used: readonly Used[];
  /** Types that are announced at the level of namespaces. */
  readonly announced: ReadonlySet<string>;
  /** Of `using namespace`. */
  readonly opened: ReadonlySet<string>;
}

const WORD = /^[A-Za-z_]\w*$/;
/** What stands before a name without declaring it. */
const EXPRESSIONS: ReadonlySet<string> = new Set(
  "return else new delete throw case goto co_return co_await co_yield sizeof alignof operator not and or in do".split(
    " ",
  ),
);
const TYPE_WORDS: ReadonlySet<string> = new Set(["struct", "class", "union", "enum", "using", "typename", "typedef"]);
/** What stands before a type. */
const QUALIFIERS: ReadonlySet<string> = new Set(
  "const constexpr consteval static inline extern mutable thread_local volatile virtual explicit friend public private protected".split(
    " ",
  ),
);
/** Ends a declaration of a value. */
const AFTER_VALUES: ReadonlySet<string> = new Set(["=", ";", "[", "{"]);

export function namesOf({ tokens, macros }: SourceText): Names {
  const declared: Declared[] = macros.map((name) => ({ name, namespace: "" }));
  const introduced = new Set(macros);
  const members = new Set<string>();
  const announced = new Set<string>();
  const used: Used[] = [];
  const opened = new Set<string>();
  tokens.forEach((token, index) => {
    const { text: name, namespace, scope } = token;
    if (!WORD.test(name)) return;
    const before = tokens[index - 1];
    const after = tokens[index + 1];
    if (isIntroduced(token, before, after)) {
      introduced.add(name);
      if (scope === "class") members.add(name);
      if (scope === "namespace" && TYPE_WORDS.has(before!.text) && after?.text === ";") announced.add(name);
      if (scope === "namespace" && !token.isInParentheses && isDeclared(tokens, index))
        declared.push({ name, namespace });
      return;
    }
    if (before?.text === "namespace") {
      if (tokens[index - 2]?.text === "using") opened.add(qualifiedFrom(tokens, index));
      return;
    }
    if (before?.text === "." || before?.text === "->") return;
    const line = token.line;
    if (before?.text !== "::") used.push({ name, namespace, line });
    else {
      const qualifier = tokens[index - 2]?.text;
      if (qualifier !== undefined && WORD.test(qualifier)) used.push({ name, namespace, line, qualifier });
    }
  });
  return { declared, introduced, members, announced, used, opened };
}

/** `a::b` that begins here. */
function qualifiedFrom(tokens: readonly Token[], index: number): string {
  let end = index;
  while (tokens[end + 1]?.text === "::") end += 2;
  return tokens
    .slice(index, end + 1)
    .map(({ text }) => text)
    .join("");
}

/** Whether the token declares something, of whatever level, by what stands around it. */
function isIntroduced(token: Token, before: Token | undefined, after: Token | undefined): boolean {
  if (before === undefined) return false;
  const previous = before.text;
  if (TYPE_WORDS.has(previous)) return after?.text !== "::";
  if (QUALIFIERS.has(previous)) return false;
  if (WORD.test(previous)) return !EXPRESSIONS.has(previous) && previous !== "namespace" && after?.text !== "::";
  if (previous !== "*" && previous !== "&" && previous !== "&&" && previous !== ">") return false;
  // in code, `a * f(x)` and `a > b` are expressions
  if (token.scope !== "code") return after?.text !== "::" && after?.text !== "<";
  return previous === ">"
    ? after?.text !== "::"
    : after !== undefined && [",", ")", "=", ":", ";"].includes(after.text);
}

/** Whether a name that is introduced at the level of a namespace is declared there: not a word of its type. */
function isDeclared(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1]!.text;
  const after = tokens[index + 1]?.text;
  if (after === undefined) return false;
  if (before === "using") return after === "=";
  // a type that gets another name
  if (before === "typedef") return false;
  if (before === "struct" || before === "class" || before === "union" || before === "enum")
    return after === "{" || after === ":" || after === "final";
  return after === "(" || AFTER_VALUES.has(after);
}
