/**
 * A regular expression as an item. What looks ahead says of the rest of the text which one it is: an intersection with what is there,
 * from there on; what looks behind, an intersection with what is before. `^` and `$` are looks also. A look in a repetition, or one
 * ahead that reaches over one behind, is an intersection with its neighbours where these are long enough to decide it. What is left is
 * read by an automaton.
 */
import { spend } from "../budget.js";
import {
  ANY_TEXT,
  both,
  choice,
  edge,
  EMPTY,
  except,
  isNothing,
  isNullable,
  lengths,
  NOTHING,
  oneOf,
  repeat,
  sequence,
} from "../regular/items.js";
import type { Item } from "../text/rules.js";
import { areDisjoint, isSubset } from "../regular/ranges.js";
import { ANYTHING, END, START, type Look, type Part } from "./syntax.js";

/** A look needs an automaton. */
export class NotLocal extends Error {}

type Element = Item | Look;
/** What comes one after another, in the order of the text. */
type Sequence = readonly Element[];
/** Whether the text begins before the first element, and ends after the last. */
interface Edges {
  readonly isAtStart: boolean;
  readonly isAtEnd: boolean;
}

const WHOLE: Edges = { isAtStart: true, isAtEnd: true };
/** Repetitions of at most this many looks are written out. */
const MOST_COPIES = 4;
/** More alternatives with looks, one after another, are read by an automaton. */
const MOST_SEQUENCES = 200;

const isLook = (element: Element): element is Look => element.kind === "look";

/** Texts that match from their beginning to their end. Throws `NotLocal`. */
export const wholeItem = (part: Part): Item => choice(...sequences(part).map((one) => resolved(one, WHOLE)));

/** Texts in which a match is. Throws `NotLocal`. */
export const containedItem = (part: Part): Item => wholeItem({ kind: "all", parts: [ANYTHING, part, ANYTHING] });

/** The alternatives, of which each is a sequence; those without looks are one. */
function sequences(part: Part): Sequence[] {
  spend();
  switch (part.kind) {
    case "class":
      return [[oneOf(part.ranges)]];
    case "look":
      return [[part]];
    case "all":
      return part.parts.map(sequences).reduce(products, [[]]);
    case "any": {
      const all = part.parts.flatMap(sequences);
      const pure = all.filter((one) => !one.some(isLook)) as Item[][];
      const others = all.filter((one) => one.some(isLook));
      return pure.length === 0 ? others : [[choice(...pure.map((one) => sequence(...one)))], ...others];
    }
    case "repeat":
      return repeated(sequences(part.part), part.min, part.max);
  }
}

function products(heads: readonly Sequence[], tails: readonly Sequence[]): Sequence[] {
  if (heads.length * tails.length > MOST_SEQUENCES) throw new NotLocal();
  return heads.flatMap((head) =>
    tails.map((tail) => {
      spend(head.length + tail.length);
      return [...head, ...tail];
    }),
  );
}

function repeated(all: readonly Sequence[], min: number, max: number): Sequence[] {
  const pure = all.map((one) => (one.some(isLook) ? undefined : sequence(...(one as Item[]))));
  if (pure.every((one) => one !== undefined)) return [[repeat(choice(...pure), min, max)]];
  if (max > 1)
    try {
      return [[repeat(choice(...all.map(local)), min, max)]];
    } catch (error) {
      if (!(error instanceof NotLocal)) throw error;
    }
  if (max > MOST_COPIES) throw new NotLocal();
  const copies: Sequence[][] = [[[]]];
  for (let count = 1; count <= max; count++) copies.push(products(copies.at(-1)!, all));
  return copies.slice(min).flat();
}

/** The texts that the looks inside decide whatever is around them. */
function local(all: Sequence): Item {
  const elements = withoutLooks(decided(all));
  return elements.length === 0 ? EMPTY : sequence(...elements);
}

/** All texts, with what a sequence means between these edges. */
function resolved(all: Sequence, edges: Edges): Item {
  spend(all.length);
  const { elements, whole } = anchored(all, edges);
  if (!elements) return NOTHING;
  // what looks from the text's own beginning or end says something of all of it
  return whole.reduce((item, look) => restricted(item, look, edges), folded(elements, edges));
}

/** What a text is that a look finds, up to the edge of the text to which it looks. */
export function contextOf({ part, isBehind }: Look, { isAtStart, isAtEnd }: Edges): Item {
  const edges: Edges = isBehind ? { isAtStart: true, isAtEnd } : { isAtStart, isAtEnd: true };
  const all = sequences(part).map((one) => (isBehind ? [ANY_TEXT, ...one] : [...one, ANY_TEXT]));
  return choice(...all.map((one) => resolved(one, edges)));
}

interface Anchored {
  /** Without `^`, `$` and what looks from the edges; undefined if nothing matches. */
  readonly elements: Sequence | undefined;
  /** What looks ahead from the beginning of the text, and behind from its end. */
  readonly whole: readonly Look[];
}

function anchored(all: Sequence, { isAtStart, isAtEnd }: Edges): Anchored {
  const nothing: Anchored = { elements: undefined, whole: [] };
  const left = isAtStart ? cutBefore(all) : all;
  if (!left) return nothing;
  const right = isAtEnd
    ? cutBefore([...left].reverse().map(mirrored))
        ?.reverse()
        .map(mirrored)
    : left;
  if (!right) return nothing;
  const elements = behindFirst(decided(right));
  const whole: Look[] = [];
  const holds = (look: Look, edges: Edges): boolean => isNullable(contextOf(look, edges)) !== look.isNegated;
  for (let first = elements[0]; isAtStart && first && isLook(first); first = elements[0]) {
    if (first.isBehind && !holds(first, { isAtStart: true, isAtEnd: false })) return nothing;
    if (!first.isBehind && !isAtEnd) break;
    if (!first.isBehind) whole.push(first);
    elements.shift();
  }
  for (let last = elements.at(-1); isAtEnd && last && isLook(last); last = elements.at(-1)) {
    if (!last.isBehind && !holds(last, { isAtStart: false, isAtEnd: true })) return nothing;
    if (last.isBehind && !isAtStart) break;
    if (last.isBehind) whole.push(last);
    elements.pop();
  }
  return { elements, whole };
}

/** A look of the other direction: a sequence read backwards. */
const mirrored = (element: Element): Element =>
  isLook(element) && (element === START || element === END) ? (element === START ? END : START) : element;

/** From the last `^` on: what is before it is empty. Undefined if it cannot be. */
function cutBefore(all: Sequence): Element[] | undefined {
  const last = all.lastIndexOf(START);
  if (last < 0) return [...all];
  const before = all.slice(0, last);
  if (before.some((one) => !isLook(one) && !isNullable(one))) return undefined;
  return [...before.filter(isLook).filter((one) => one !== START), ...all.slice(last + 1)];
}

/** Without looks at one character that the characters beside them decide. Throws nothing. */
function decided(all: Sequence): Element[] {
  const result: Element[] = [];
  for (const [i, element] of all.entries()) {
    const neighbour = isLook(element) ? all[element.isBehind ? i - 1 : i + 1] : undefined;
    const outcome = neighbour && isLook(element) && !isLook(neighbour) ? outcomeOf(element, neighbour) : undefined;
    if (outcome === false) return [NOTHING];
    if (outcome === undefined) result.push(element);
  }
  return result;
}

function outcomeOf({ part, isBehind, isNegated }: Look, neighbour: Item): boolean | undefined {
  if (part.kind !== "class" || isNullable(neighbour) || isNothing(neighbour)) return undefined;
  const ranges = edge(neighbour, isBehind);
  if (isSubset(ranges, part.ranges)) return !isNegated;
  return areDisjoint(ranges, part.ranges) ? isNegated : undefined;
}

/** A sequence between its edges. */
function folded(elements: Sequence, edges: Edges): Item {
  const lastBehind = elements.findLastIndex((one) => isLook(one) && one.isBehind);
  const firstAhead = elements.findIndex((one) => isLook(one) && !one.isBehind);
  const hasBoth = lastBehind >= 0 && firstAhead >= 0 && firstAhead < lastBehind;
  const isOpen = (lastBehind >= 0 && !edges.isAtStart) || (firstAhead >= 0 && !edges.isAtEnd);
  if (hasBoth || isOpen) return sequence(...withoutLooks(elements));
  let left: Item = EMPTY;
  for (const element of elements.slice(0, lastBehind + 1))
    left = isLook(element) ? restricted(left, element, { isAtStart: true, isAtEnd: false }) : sequence(left, element);
  let right: Item = EMPTY;
  for (const element of elements.slice(lastBehind + 1).reverse())
    right = isLook(element)
      ? restricted(right, element, { isAtStart: false, isAtEnd: true })
      : sequence(element, right);
  return sequence(left, right);
}

const restricted = (item: Item, look: Look, edges: Edges): Item =>
  look.isNegated ? except(item, contextOf(look, edges)) : both(item, contextOf(look, edges));

/** Looks at one place: those behind come first. */
function behindFirst(all: Sequence): Element[] {
  const result = [...all];
  for (let i = 1; i < result.length; i++)
    for (let at = i; at > 0; at--) {
      const [one, other] = [result[at - 1]!, result[at]!];
      if (!isLook(one) || !isLook(other) || one.isBehind || !other.isBehind) break;
      [result[at - 1], result[at]] = [other, one];
    }
  return result;
}

/** Each look as an intersection with its neighbours. Throws `NotLocal` where they are too short. */
function withoutLooks(all: Sequence): Item[] {
  const ahead = (elements: Sequence, isBehind: boolean): Element[] => {
    const result: Element[] = [];
    // `result` is what comes after, or before, from the nearest on
    for (const element of isBehind ? elements : [...elements].reverse()) {
      if (!isLook(element) || element.isBehind !== isBehind) result.unshift(element);
      else applyLook(element, result);
    }
    return isBehind ? result.reverse() : result;
  };
  return ahead(ahead(all, false), true) as Item[];
}

/** @param near what a look looks at, from the nearest element on */
function applyLook(look: Look, near: Element[]): void {
  const inner = sequences(look.part);
  if (inner.some((one) => one.some(isLook))) throw new NotLocal();
  const item = choice(...inner.map((one) => sequence(...(one as Item[]))));
  const { most } = lengths(item);
  const taken: Item[] = [];
  let least = 0;
  while (least < most) {
    const next = near[0];
    if (!next || isLook(next)) throw new NotLocal();
    taken.push(next);
    near.shift();
    least += lengths(next).least;
  }
  if (look.isBehind) taken.reverse();
  const found = look.isBehind ? sequence(ANY_TEXT, item) : sequence(item, ANY_TEXT);
  const whole = sequence(...taken);
  near.unshift(look.isNegated ? except(whole, found) : both(whole, found));
}
