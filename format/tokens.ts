/** Prints tokens and the text between them. Every comment is printed in its place, exactly once. */
import type { Node } from "ohm-js";
import { builders } from "prettier/doc";
import { lexemesOf, type Lexeme } from "@ggsl/compiler/source/lexemes.js";

export type Doc = builders.Doc;
const { breakParent, hardline, join, line, literalline, softline } = builders;

/** The separator between two tokens without a comment between them. */
export interface Separator {
  readonly doc: Doc;
  /** For a token on its own line: whether an empty line comes before it; `keep` if the source has one. */
  readonly blank?: Blank;
}

type Blank = "never" | "keep" | "always";

export const NONE: Separator = { doc: "" };
export const SPACE: Separator = { doc: " " };
/** A space, or a line end in a broken group. */
export const LINE: Separator = { doc: line };
/** Nothing, or a line end in a broken group. */
export const SOFT: Separator = { doc: softline };
export const NEWLINE: Separator = { doc: hardline, blank: "never" };
export const NEWLINE_KEEP: Separator = { doc: hardline, blank: "keep" };
export const NEWLINE_BLANK: Separator = { doc: hardline, blank: "always" };

/** The printing position in the text. */
interface Cursor {
  text: string;
  /** The end of the printed text. */
  end: number;
}

let place: Cursor;

/** Prints from the start of `text`. */
export function startPrinting(text: string): void {
  place = { text, end: 0 };
}

/** The present position, to return to for printing the same text in another layout. */
export const placeNow = (): number => place.end;
export function returnTo(end: number): void {
  place.end = end;
}

/** Prints a node of the parse tree by the action of its rule, without the separator before it. */
export const doc = (node: Node): Doc => (node as Node & { doc(): Doc }).doc();

/** Prints a node and the separator before it. */
export const put = (node: Node, separator: Separator): Doc => [gap(node.source.startIdx, separator), doc(node)];

/** A token; `gap` has printed the text before it. */
export function token(node: Node, text = node.sourceString): Doc {
  if (place.end !== node.source.startIdx)
    throw new Error(`printing skipped text from offset ${place.end} to ${node.source.startIdx}`);
  place.end = node.source.endIdx;
  return text;
}

/** A token that is printed as something else. */
export function dropped(node: Node, instead: Doc): Doc {
  token(node);
  return instead;
}

/** The gap between the printed text and `start`: the separator, or the comments in it. */
export function gap(start: number, separator: Separator): Doc {
  const isStart = place.end === 0;
  const { docs, rest, blank, endsLine } = comments(start, separator.blank ?? "never", separator);
  place.end = start;
  if (docs.length > 0) return [docs, endsLine ? newline(rest, blank) : separator.doc === "" && rest === "" ? "" : " "];
  if (isStart) return "";
  return separator.blank === undefined ? separator.doc : newline(rest, separator.blank);
}

/** The comments before a closing bracket at `start`. */
export function commentsBefore(start: number, blank: Blank = "keep"): Doc[] {
  const { docs } = comments(start, blank);
  // so that the closing bracket's own gap does not print them again
  if (docs.length > 0) place.end = start;
  return docs;
}

const commentsIn = (text: string): Lexeme[] => lexemesOf(text).filter(({ kind }) => kind === "comment");

export const hasComment = (text: string): boolean => commentsIn(text).length > 0;

interface Comments {
  readonly docs: Doc[];
  /** The text after the last comment. */
  readonly rest: string;
  readonly blank: Blank;
  /** Whether nothing can follow the last comment on its line. */
  readonly endsLine: boolean;
}

/** Comments between the printed text and `start`. With `before`, the token at `start` may follow a comment on its line. */
function comments(start: number, blank: Blank, before?: Separator): Comments {
  const text = place.text.slice(place.end, start);
  const found = commentsIn(text);
  const tail = text.slice(found.at(-1)?.end ?? 0);
  const endsLine = found.at(-1)?.text.startsWith("//") === true || tail.includes("\n");
  const docs: Doc[] = [];
  found.forEach(({ text: comment, start: index }, i) => {
    const between = blankText(text.slice(found[i - 1]?.end ?? 0, index));
    const isAfterLine = found[i - 1]?.text.startsWith("//") === true;
    const isSameLine = place.end + index > 0 && !between.includes("\n") && !isAfterLine;
    // a comment on the line of the token after it belongs to that token
    const until = text.slice(index);
    const leads = before && !endsLine && !until.includes("\n");
    if (place.end === 0 && i === 0) docs.push("");
    else if (isSameLine && i === 0 && leads)
      docs.push(
        before.blank !== undefined ? newline(between, blank) : before.doc !== "" ? before.doc : spaceOf(between),
      );
    else if (isSameLine) docs.push(" ");
    else {
      docs.push(newline(between, blank));
      blank = "keep";
    }
    for (const one of comment.startsWith("//") ? [comment.trimEnd(), breakParent] : blockDocs(comment)) docs.push(one);
  });
  return { docs, rest: blankText(tail), blank, endsLine };
}

const spaceOf = (between: string): string => (between === "" ? "" : " ");

/** A comment over several lines stays as it is. */
const blockDocs = (comment: string): Doc[] =>
  comment.includes("\n") ? [join(literalline, comment.split("\n")), breakParent] : [comment];

/** Checks that only blanks and redundant semicolons are skipped. */
function blankText(text: string): string {
  if (!/^[\0- ;]*$/.test(text)) throw new Error(`printing would lose ${JSON.stringify(text)}`);
  return text;
}

function newline(between: string, blank: Blank): Doc {
  const hasBlank = blank === "always" || (blank === "keep" && between.split("\n").length > 2);
  return hasBlank ? [hardline, hardline] : hardline;
}
