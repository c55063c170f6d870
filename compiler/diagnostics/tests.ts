/** E06xx: test blocks. */
import { show } from "../core/show.js";
import type { Span } from "../source/source.js";
import { error, type Diagnostic } from "./diagnostic.js";

export const testLacks = (span: Span, what: string): Diagnostic => error("E0601", span, `the test has no ${what}`);

export const clauseTwice = (span: Span, first: Span): Diagnostic =>
  error("E0602", span, "the test has this clause twice", { notes: [{ message: "first given here", span: first }] });

export const tokenExpected = (span: Span, found: number): Diagnostic =>
  error("E0604", span, `expected a token id or a count, found ${found}`, { label: "an integer of 0 or more" });

export const tokenTextExpected = (span: Span): Diagnostic =>
  error("E0360", span, "expected the text of a token", {
    label: 'a text in quotes, as in `vocab ["a", " b"]`',
    help: "the vocabulary of a test lists the text of each token, the text of token 0 first",
  });

export const tokenTextTwice = (span: Span, text: string, first: Span): Diagnostic =>
  error("E0361", span, `two tokens of the vocabulary have the text ${show(text)}`, {
    notes: [{ message: "first given here", span: first }],
    help: "give each token a text of its own",
  });

export const vocabularyTooSmall = (span: Span, found: number, rows: number, candidates: Span): Diagnostic =>
  error("E0362", span, `the vocabulary has ${found} ${found === 1 ? "text" : "texts"} for ${rows} candidates`, {
    label: `expected at least ${rows}`,
    notes: [{ message: "the candidates", span: candidates }],
  });

export const listExpected = (span: Span): Diagnostic =>
  error("E0358", span, "expected a list, as the other steps have", {
    help: "give one list, or a list for each step: `logits [[1, 2], [2, 1]]`",
  });

export const unevenRows = (span: Span, expected: number, found: number): Diagnostic =>
  error("E0359", span, `expected ${expected} candidates, as in the first step, found ${found}`);

export const notAnInput = (span: Span, name: string): Diagnostic =>
  error("E0603", span, `there is no input \`${name}\``, { help: `declare it with \`input ${name}: f32\`` });
