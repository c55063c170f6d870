/** Random edits of texts, token by token. */
import * as fc from "fast-check";
import { tokensOf } from "../../syntax/corpus.js";

/** Texts that are rarely written and often handled wrongly. */
const HOSTILE = [
  ..."( ) { } [ ] < > = \" ' ` \\ , : ; | |> -> . .. ... // /// /* */ /a/ /(a+)+$/ ,) ,]".split(" "),
  ...["\0", "\x1b[31m", "\u202e", "\ufeff", "\u2028", "\ud800", "é", "𝒳", "\r", "\t", "\v"],
  ...[
    "0",
    "-0",
    "1e308",
    "1e999",
    "1e-400",
    "4294967295",
    "4294967296",
    "-1",
    "0x10",
    "1_000",
    ".5",
    "5.",
    "1e",
    "16777217",
  ],
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "_", "x".repeat(300)],
  ..."sampler chain const input import from state let keep top sort by if else pick after test at least and or not".split(
    " ",
  ),
  ..."fn repeat with sum any all measure as tokens tokens(1) tokens.end last since ends_with completes prompt generated raw_prob".split(
    " ",
  ),
  ..."logit prob token rank n vocab step bias logits true false static seed text bool i32 f32 host".split(" "),
];

interface Edit {
  readonly kind: "delete" | "repeat" | "insert" | "replace" | "move" | "splice" | "cut";
  /** Fractions of the text. */
  readonly at: number;
  readonly to: number;
  readonly length: number;
  readonly times: number;
  readonly hostile: string;
}

const fractions = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

export const edits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Edit["kind"]>(
      "delete",
      "delete",
      "repeat",
      "insert",
      "insert",
      "replace",
      "move",
      "splice",
      "cut",
    ),
    at: fractions,
    to: fractions,
    length: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 3 }) }, fc.integer({ min: 4, max: 60 })),
    times: fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 1, max: 3 }) }, fc.constantFrom(10, 30, 120)),
    hostile: fc.constantFrom(...HOSTILE),
  }),
  { minLength: 1, maxLength: 6, size: "max" },
);

/** Applies edits to a text; spliced parts come from another one. */
export function mutated(text: string, other: string, all: readonly Edit[]): string {
  const tokens = words(text);
  const others = words(other);
  for (const { kind, at, to, length, times, hostile } of all) {
    const start = Math.floor(at * tokens.length);
    const target = Math.floor(to * tokens.length);
    const part = tokens.slice(start, start + length);
    if (kind === "delete") tokens.splice(start, length);
    else if (kind === "repeat") tokens.splice(start, 0, ...Array.from({ length: times }, () => part).flat());
    else if (kind === "insert") tokens.splice(start, 0, hostile.repeat(Math.min(times, 30)));
    else if (kind === "replace") tokens.splice(start, 1, hostile);
    else if (kind === "move") tokens.splice(target, 0, ...tokens.splice(start, length));
    else if (kind === "cut") tokens.splice(Math.max(start, target) + 1);
    else tokens.splice(start, 0, ...others.slice(Math.floor(to * others.length)).slice(0, 4 * length));
    if (tokens.length > MOST_TOKENS) tokens.length = MOST_TOKENS;
  }
  return tokens.join("");
}

const MOST_TOKENS = 20_000;

/** The tokens, each with the blanks after it. */
function words(text: string): string[] {
  const found: string[] = [];
  let end = 0;
  for (const token of tokensOf(text)) {
    const start = text.indexOf(token, end);
    if (found.length > 0) found.push(found.pop()! + text.slice(end, start));
    found.push(token);
    end = start + token.length;
  }
  return found;
}
