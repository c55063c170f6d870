/** E0394 to E0399: phrases that must not be written. */
import type { Span } from "../source/source.js";
import { error, type Diagnostic } from "./diagnostic.js";

const LITERAL = 'as in `phrases("a tapestry", /shivers? down/)`';

export const settingOfPhrases = (span: Span, name: string): Diagnostic =>
  error("E0394", span, `\`${name}\` is a list of phrases: expected a list of texts`, {
    help: `on the command line: \`--set ${name}=["a tapestry"]\`; regular expressions are given with the request`,
  });

export const phrasesExpected = (span: Span): Diagnostic =>
  error("E0395", span, "expected phrases", {
    label: "no phrases",
    help: `a parameter of type \`phrases\`, or a literal ${LITERAL}`,
  });

export const phrasesHere = (span: Span): Diagnostic =>
  error("E0396", span, "phrases are not a value", {
    help: "ask whether the token begins one that the text was taken back for: `rejected(list)`; or pass them as an argument",
  });

export const phrasesStatic = (span: Span, name: string): Diagnostic =>
  error("E0397", span, "phrases that are given with the request cannot be static", {
    help: `write \`${name}: phrases\`; a literal is known at compile time in any case`,
  });

export const notAPhrase = (span: Span): Diagnostic =>
  error("E0398", span, "expected a phrase", {
    label: "neither a text nor a pattern",
    help: `list the phrases, ${LITERAL}`,
  });

export const badPhrase = (span: Span, message: string): Diagnostic =>
  error("E0399", span, `this cannot be a phrase: ${message}`, {
    help: "a text is held back while it may become a phrase, so its longest match must be bounded; one that ignores case begins with `(?i)`",
  });
