/** Prints tokens and the text between them. Every comment is printed in its place, exactly once. */
import type { Node } from "ohm-js";
import { builders } from "prettier/doc";

export type Doc = builders.Doc;
const { breakParent, hardline, line, softline } = builders;

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
interface Place {
  text: string;
  /** The end of the printed text. */
  end: number;
}

let place: Place;

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

/** The gap between the printed text and `start`: the separator, or the comments in it. */
export function gap(start: number, separator: Separator): Doc {
  const isStart = place.end === 0;
  const { docs, rest, blank } = comments(start, separator.blank ?? "never");
  place.end = start;
  if (docs.length > 0) return [docs, newline(rest, blank)];
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

export const hasComment = (text: string): boolean =>
  [...text.matchAll(/"(?:\\.|[^"\\\n])*"|\/\/[^\n]*/g)].some(([found]) => found.startsWith("//"));

/** Comments between the printed text and `start`, and the text after the last of them. */
function comments(start: number, blank: Blank): { docs: Doc[]; rest: string; blank: Blank } {
  const text = place.text.slice(place.end, start);
  const docs: Doc[] = [];
  let from = 0;
  for (const { 0: comment, index } of text.matchAll(/\/\/[^\n]*/g)) {
    const before = blankText(text.slice(from, index));
    const isFirst = docs.length === 0;
    if (isFirst && place.end > 0 && !before.includes("\n")) docs.push(" ");
    else {
      docs.push(isFirst && place.end === 0 ? "" : newline(before, blank));
      blank = "keep";
    }
    docs.push(comment.trimEnd(), breakParent);
    from = index + comment.length;
  }
  return { docs, rest: blankText(text.slice(from)), blank };
}

/** Checks that only blanks and redundant semicolons are skipped. */
function blankText(text: string): string {
  if (!/^[\0- ;]*$/.test(text)) throw new Error(`printing would lose ${JSON.stringify(text)}`);
  return text;
}

function newline(between: string, blank: Blank): Doc {
  const hasBlank = blank === "always" || (blank === "keep" && between.split("\n").length > 2);
  return hasBlank ? [hardline, hardline] : hardline;
}
