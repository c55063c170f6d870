/** Sets of tokens, texts and lists: what programs say about the tokens of a vocabulary. */
import * as fc from "fast-check";
import { nameOf, oneOf, t, words, type Named, type Snippet } from "./text.js";

/** A vocabulary has at least these tokens, in the order of their ids; see `vocabularyOf`. */
export const FIRST_TEXTS: readonly string[] = ["a", "b", " a", "7", "ab", "", "\u00e9", "a"];

/** Ids of tokens that every vocabulary has. */
export const TOKEN_CLASSES: Readonly<Record<"control" | "end", readonly number[]>> = { control: [5, 7], end: [5] };

const ITEMS = ["0", "1", "2", "3", "7", '"a"', '"7"', '" a"', "/a/", "/^[0-9]+$/", "/^_?(a|b)*$/", "/\u00e9|\\x20/"];

const literal: Snippet = fc
  .oneof(
    fc.array(fc.constantFrom(...ITEMS), { maxLength: 3 }).map((items) => `tokens(${items.join(", ")})`),
    fc.constantFrom("tokens.control", "tokens.end", "tokens(1 + 2, 4)", "tokens(5, 6,)"),
  )
  .map((text) => () => text);

/** The text of a set. */
export const setLiterals: fc.Arbitrary<string> = literal.map((write) => write(undefined as never));

/** The entries of a set that a request gives. */
export const setValues: fc.Arbitrary<readonly (number | string)[]> = fc.array(
  fc.constantFrom<number | string>(0, 1, 2, 3, 5, 6, "b", "7", "ab"),
  { maxLength: 3 },
);

const sets = oneOf((s) => s.sets, literal);
const membership = words("in", "not in");

/** Whether each token is in a set. */
export const tokenInSet: Snippet = t`(token ${membership} ${sets})`;

const isKnownWhole = ({ kind, rate }: Named): boolean => kind === "whole" && rate !== "runtime";

/** The ids of tokens near the end of the text. */
const positions = nameOf(({ isPosition }) => isPosition === true, words("1", "2", "3", "40"));
export const lastTokens: Snippet = t`last(${positions})`;

/** Whether a token is in a set, known before the graph runs. */
export const knownInSet: Snippet = t`(${fc.oneof(nameOf(isKnownWhole, words("3")), lastTokens, words("1", "-1", "(2 + 1)"))} ${membership} ${sets})`;

/** What the text may end with. */
const endings = fc.oneof(
  words('"a"', '"ab"', '"b"', '" a7"', '"\u00e9a"', "[0]", "[1, 0]", "[2]", "[0, 0]", "[3, 1,]"),
  oneOf((s) => s.endings, words('"a"')),
);
export const endsWith: Snippet = t`ends_with(${endings})`;
export const since: Snippet = t`since(${endings})`;
export const inside: Snippet = t`inside(${endings}, ${endings})`;

/** How many sequences each token would complete. */
export const completes: Snippet = t`completes(${words("[0]", '["a", [1, 0]]', '["aba", 3]', "[[0, 1, 2], [1, 2], [2, 2], 1]", '[" ab", "b7"]', "[]")})`;

/** Whether each token begins a phrase that the text was taken back for, which these texts never are. */
export const rejected: Snippet = t`rejected(${words("phrases()", 'phrases("a")', 'phrases("ab", /b{1,3}7/)', 'phrases(/(?i)A/, "b")')})`;

/** Values of constants that are texts and lists of token ids, and of constant sets. */
export const endingConstants = fc.constantFrom('"a"', '"ba"', "[1]", "[2, 0,]");
