/** E06xx: test blocks. */
import type { Span } from "../../syntax/source.js";
import { error, type Diagnostic } from "../diagnostics.js";

export const testLacks = (span: Span, what: string): Diagnostic => error("E0601", span, `the test has no ${what}`);

export const clauseTwice = (span: Span, first: Span): Diagnostic =>
  error("E0602", span, "the test has this clause twice", { notes: [{ message: "first given here", span: first }] });

export const tokenExpected = (span: Span, found: number): Diagnostic =>
  error("E0604", span, `expected a token id or a count, found ${found}`, { label: "an integer of 0 or more" });

export const notAnInput = (span: Span, name: string): Diagnostic =>
  error("E0603", span, `there is no input \`${name}\``, { help: `declare it with \`input ${name}: f32\`` });
