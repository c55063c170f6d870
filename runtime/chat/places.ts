/** Where the nodes of a template come from: the package's tokens and nodes have no positions. */
import type { Node, Program, Token } from "./jinja.js";

/** A tag of a template: `{% ... %}` or `{{ ... }}`. */
export interface Tag {
  /** From 1 on. */
  readonly line: number;
  readonly text: string;
  /** Index of the first character after it. */
  readonly end: number;
}

const GENERATION = /^\{%-?\s*(?:end)?generation\s*-?%\}$/;

/** The tags of a template in their order, without comments, and without `generation`, which the package removes. */
export function tagsOf(source: string): Tag[] {
  const tags: Tag[] = [];
  let [at, line] = [0, 1];
  for (;;) {
    const rest = /\{[%{#]/g;
    rest.lastIndex = at;
    const found = rest.exec(source);
    if (!found) return tags;
    const begin = found.index;
    const end = endOf(source, begin);
    for (let i = at; i < begin; i++) if (source[i] === "\n") line++;
    const text = source.slice(begin, end);
    if (source[begin + 1] !== "#" && !GENERATION.test(text)) tags.push({ line, text, end });
    for (let i = begin; i < end; i++) if (source[i] === "\n") line++;
    at = end;
  }
}

/** The end of the tag that begins there; that of the template if it is not closed. */
function endOf(source: string, begin: number): number {
  const kind = source[begin + 1]!;
  if (kind === "#") {
    const close = source.indexOf("#}", begin + 2);
    return close < 0 ? source.length : close + 2;
  }
  const close = kind === "%" ? "%}" : "}}";
  let depth = 0;
  for (let i = begin + 2; i < source.length; i++) {
    const char = source[i]!;
    if (char === '"' || char === "'") {
      for (i++; i < source.length && source[i] !== char; i++) if (source[i] === "\\") i++;
    } else if (source.startsWith(close, i) && (depth === 0 || kind === "%")) return i + 2;
    else if (char === "{") depth++;
    else if (char === "}") depth--;
  }
  return source.length;
}

/** The members of nodes that a tag can begin. */
interface Parts {
  readonly type: string;
  readonly body?: readonly Node[];
  readonly alternate?: readonly Node[];
  readonly defaultBlock?: readonly Node[];
  readonly value?: unknown;
}

/** The index of the tag that each statement and expression of a template is from. */
export function placesOf(program: Program, tokens: readonly Token[]): Map<Node, number> {
  const places = new Map<Node, number>();
  // texts, comments and tags in their order; a tag is its first word
  const parts = tokens.flatMap(({ type, value }, i) => {
    if (type === "Text" || type === "Comment") return [undefined];
    return type === "OpenStatement" || type === "OpenExpression" ? [tokens[i + 1]?.value ?? value] : [];
  });
  let [part, tag] = [0, 0];
  const skip = (): void => {
    if (parts[part++] !== undefined) tag++;
  };
  const assign = (nodes: readonly Node[] = []): void => {
    for (const node of nodes) {
      if (parts[part] !== undefined) places.set(node, tag);
      skip();
      inside(node);
    }
  };
  const inside = (node: Parts): void => {
    switch (node.type) {
      case "If":
        assign(node.body);
        if (parts[part] === "elif") {
          // one more `If`, without an end of its own
          places.set(node.alternate![0]!, tag);
          skip();
          return inside(node.alternate![0] as Parts);
        }
        if (parts[part] === "else") {
          skip();
          assign(node.alternate);
        }
        return skip();
      case "For":
        assign(node.body);
        if (parts[part] === "else") {
          skip();
          assign(node.defaultBlock);
        }
        return skip();
      case "Set":
        if (node.value) return;
        assign(node.body);
        return skip();
      case "Macro":
      case "CallStatement":
      case "FilterStatement":
        assign(node.body);
        return skip();
    }
  };
  assign(program.body);
  return places;
}

/** The tag where the lexer fails: the first without which the rest before it is a template. */
export function faultyTag(source: string, tags: readonly Tag[], tokenize: (source: string) => unknown): number {
  let [good, bad] = [-1, tags.length - 1];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    try {
      tokenize(source.slice(0, tags[middle]!.end));
      good = middle;
    } catch {
      bad = middle;
    }
  }
  return bad;
}

const MAX_SHOWN = 80;

export function describeTag({ line, text }: Tag): string {
  const shown = text.replace(/\s+/g, " ");
  return `line ${line}, \`${shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}...` : shown}\``;
}
