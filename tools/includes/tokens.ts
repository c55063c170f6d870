/** C++ as tokens that know their scope: enough to find names, without a compiler. */

/** What the nearest braces around a token are of. `code` also of initializers, and of enumerators. */
type Scope = "namespace" | "class" | "code";

export interface Token {
  readonly text: string;
  readonly line: number;
  readonly scope: Scope;
  /** The namespace it is in, as `ggsl::cpu`; those without a name are left out. */
  readonly namespace: string;
  /** Whether parentheses are around it, inside of the nearest braces. */
  readonly isInParentheses: boolean;
}

export interface SourceText {
  readonly tokens: readonly Token[];
  /** What `#include "..."` names. */
  readonly includes: readonly string[];
  readonly macros: readonly string[];
}

interface Word {
  readonly text: string;
  readonly line: number;
}

interface Braces {
  readonly scope: Scope;
  readonly namespace: string;
}

const PIECES =
  // comments, directives with their continued lines, texts, words and numbers, and operators of two characters that matter
  /\/\/.*|\/\*[^]*?\*\/|^[ \t]*#(?:.*\\\n)*.*|R"\(([^]*?)\)"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'|[A-Za-z_]\w*|\d(?:[\w.']|[eE][+-])*|::|->|&&|[^\s\w]/gm;

/** Of directives: includes and macros are noted, others have no names. */
const INCLUDE = /^\s*#\s*include\s+"([^"]+)"/;
const MACRO = /^\s*#\s*define\s+(\w+)/;

/** Takes a source apart. */
export function readSource(text: string): SourceText {
  const includes: string[] = [];
  const macros: string[] = [];
  const words: Word[] = [];
  let line = 1;
  let end = 0;
  for (const match of text.matchAll(PIECES)) {
    const [piece] = match;
    line += countLines(text.slice(end, match.index));
    end = match.index;
    if (/^\s*#/.test(piece)) {
      const [, include] = INCLUDE.exec(piece) ?? [];
      if (include !== undefined) includes.push(include);
      const [, macro] = MACRO.exec(piece) ?? [];
      if (macro !== undefined) macros.push(macro);
    } else if (!/^(?:\/\/|\/\*|R?"|')/.test(piece)) words.push({ text: piece, line });
  }
  return { tokens: withScopes(words), includes, macros };
}

const countLines = (text: string): number => text.split("\n").length - 1;

function withScopes(words: readonly Word[]): Token[] {
  const tokens: Token[] = [];
  let inner: Braces = { scope: "namespace", namespace: "" };
  const outer: { braces: Braces; depth: number }[] = [];
  let depth = 0;
  // the words since the last brace or semicolon, which say what the next braces are of
  let begin = 0;
  words.forEach(({ text, line }, index) => {
    if (text === "}" || text === ")") {
      if (text === ")") depth = Math.max(0, depth - 1);
      else ({ braces: inner, depth } = outer.pop() ?? { braces: inner, depth: 0 });
    }
    tokens.push({ text, line, scope: inner.scope, namespace: inner.namespace, isInParentheses: depth > 0 });
    if (text === "(") depth += 1;
    if (text === "{") {
      const head = words.slice(begin, index).map((word) => word.text);
      outer.push({ braces: inner, depth });
      inner = depth > 0 ? { ...inner, scope: "code" } : bracesOf(head, inner);
      depth = 0;
    }
    if (text === "{" || text === "}" || text === ";") begin = index + 1;
  });
  return tokens;
}

/** What the braces after these words are of. */
function bracesOf(head: readonly string[], { scope, namespace }: Braces): Braces {
  const at = head.indexOf("namespace");
  if (at >= 0) {
    const name = head.slice(at + 1).join("");
    return { scope: "namespace", namespace: [namespace, name].filter((part) => part !== "").join("::") };
  }
  if (scope === "namespace" && head.length === 1 && head[0] === "extern") return { scope, namespace };
  const isType = head.some((word) => word === "struct" || word === "class" || word === "union");
  const isOther = head.includes("(") || head.includes("enum") || head.includes("=");
  return { scope: isType && !isOther ? "class" : "code", namespace };
}
