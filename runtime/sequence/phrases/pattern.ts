/**
 * A regular expression as its places: each takes one character, and others follow it (Glushkov). Repetitions are written out, so that
 * every match is bounded.
 */
import { budgeted, spend } from "../../grammars/budget.js";
import { readPattern } from "../../grammars/patterns/read.js";
import type { Part } from "../../grammars/patterns/syntax.js";
import { invalid, type InputError } from "../../core/errors.js";
import { lowered, raised } from "./letters.js";
import { limited, PHRASE_LIMITS, type PatternPhrase } from "./phrases.js";

/** Takes one character of a class, which several places share. */
class CharacterClass {
  private readonly isMost: boolean;
  /** 1 for those that it takes. */
  private readonly ascii: Uint8Array;

  /** @param ranges both ends included, one after another, in order */
  constructor(
    private readonly ranges: readonly number[],
    private readonly ignoresCase: boolean,
  ) {
    let size = 0;
    for (let i = 0; i < ranges.length; i += 2) size += ranges[i + 1]! - ranges[i]! + 1;
    this.isMost = size > 0x80000;
    this.ascii = Uint8Array.from({ length: 0x80 }, (_, character) => (this.matches(character) ? 1 : 0));
  }

  takes(character: number): boolean {
    return character < 0x80 ? this.ascii[character] === 1 : this.matches(character);
  }

  private matches(character: number): boolean {
    const is = this.has(character);
    // of a class that leaves characters out, neither case may be left out
    if (!this.ignoresCase || is !== this.isMost) return is;
    const [low, high] = [this.has(lowered(character)), this.has(raised(character))];
    return this.isMost ? low && high : low || high;
  }

  private has(character: number): boolean {
    const { ranges } = this;
    let [low, high] = [0, ranges.length / 2];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (character <= ranges[2 * middle + 1]!) high = middle;
      else low = middle + 1;
    }
    return 2 * low < ranges.length && character >= ranges[2 * low]!;
  }
}

export class Place {
  /** Places that may come next, by number. */
  readonly next: number[] = [];
  /** A match may end here. */
  isLast = false;

  constructor(private readonly characters: CharacterClass) {}

  takes(character: number): boolean {
    return this.characters.takes(character);
  }
}

/** The places of a list, and the ways between them. */
export interface Places {
  readonly all: Place[];
  ways: number;
  /** Of parts that repetitions have copied. */
  readonly classes: Map<Part, CharacterClass>;
}

/** The places of a part. */
interface Fragment {
  readonly first: readonly number[];
  readonly last: readonly number[];
  /** It also takes no character. */
  readonly isNullable: boolean;
}

/** Of RE2's expressions that ignore the case of letters. */
const MARK = "(?i)";

const EMPTY: Fragment = { first: [], last: [], isNullable: true };

/**
 * Adds the places of an expression.
 * @returns those where a match begins
 * @throws InputError for one that is not right, that looks around, or whose matches are not bounded
 */
export function addPlaces(places: Places, phrase: PatternPhrase, name: string): readonly number[] {
  const isMarked = phrase.regex.startsWith(MARK);
  const ignoreCase = isMarked || phrase.ignoreCase === true;
  const regex = isMarked ? phrase.regex.slice(MARK.length) : phrase.regex;
  const what = `\`${name}\``;
  return budgeted(what, () => {
    const part = readPattern(regex, { dotAll: false, what });
    const most = mostBytes(part, what);
    if (most === Infinity)
      throw limited(
        `${what}: the regular expression matches texts of any length, all of which would be held back: give its repetitions bounds, such as \`{0,40}\``,
      );
    if (most > PHRASE_LIMITS.longest)
      throw limited(
        `${what}: the longest match of the regular expression must have at most ${PHRASE_LIMITS.longest} bytes, found ${most}`,
      );
    // some parts are the same in all expressions, whose case may differ
    places.classes.clear();
    const { first, last, isNullable } = fragment(part, places, ignoreCase, what);
    if (isNullable) throw invalid(`${what}: the regular expression matches an empty text, which is everywhere`);
    for (const one of last) places.all[one]!.isLast = true;
    return first;
  });
}

/** The most bytes of a match. */
function mostBytes(part: Part, what: string): number {
  spend();
  switch (part.kind) {
    case "class": {
      const last = part.ranges.at(-1)?.[1] ?? 0;
      return last < 0x80 ? 1 : last < 0x800 ? 2 : last < 0x10000 ? 3 : 4;
    }
    case "all":
      return part.parts.reduce((sum, one) => sum + mostBytes(one, what), 0);
    case "any":
      return part.parts.reduce((most, one) => Math.max(most, mostBytes(one, what)), 0);
    case "repeat": {
      const most = mostBytes(part.part, what);
      return most === 0 || part.max === 0 ? 0 : most * part.max;
    }
    case "look":
      throw invalid(
        `${what}: a phrase cannot look around, as \`^\`, \`$\`, \`\\b\` and \`(?=\` do: write the blank or the punctuation beside it`,
      );
  }
}

function fragment(part: Part, places: Places, ignoresCase: boolean, what: string): Fragment {
  spend();
  const inner = (one: Part): Fragment => fragment(one, places, ignoresCase, what);
  switch (part.kind) {
    case "class": {
      const characters = places.classes.get(part) ?? new CharacterClass(part.ranges.flat(), ignoresCase);
      places.classes.set(part, characters);
      const number = places.all.push(new Place(characters)) - 1;
      if (places.all.length > PHRASE_LIMITS.places) throw tooLarge(what, `${PHRASE_LIMITS.places} places`);
      return { first: [number], last: [number], isNullable: false };
    }
    case "all":
      return part.parts.reduceRight((after, one) => joined(inner(one), after, places, what), EMPTY);
    case "any": {
      const all = part.parts.map(inner);
      return {
        first: all.flatMap(({ first }) => first),
        last: all.flatMap(({ last }) => last),
        isNullable: all.some(({ isNullable }) => isNullable),
      };
    }
    case "repeat": {
      let after = EMPTY;
      for (let count = part.max; count > 0; count--) {
        after = joined(inner(part.part), after, places, what);
        if (count > part.min) after = { ...after, isNullable: true };
      }
      return after;
    }
    case "look":
      throw invalid(`${what}: a phrase cannot look around`);
  }
}

const tooLarge = (what: string, most: string): InputError =>
  limited(
    `${what}: all regular expressions of a list have at most ${most}, with repetitions written out: use fewer or shorter ones`,
  );

function joined(before: Fragment, after: Fragment, places: Places, what: string): Fragment {
  spend(before.first.length + before.last.length + after.first.length + after.last.length + 1);
  places.ways += before.last.length * after.first.length;
  if (places.ways > PHRASE_LIMITS.ways) throw tooLarge(what, `${PHRASE_LIMITS.ways} ways between their places`);
  for (const one of before.last) for (const next of after.first) places.all[one]!.next.push(next);
  if (after === EMPTY) return before;
  return {
    first: before.isNullable ? [...before.first, ...after.first] : before.first,
    last: after.isNullable ? [...before.last, ...after.last] : after.last,
    isNullable: before.isNullable && after.isNullable,
  };
}
