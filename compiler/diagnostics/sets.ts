/** E036x to E037x: sets of tokens. */
import type { Span } from "../source/source.js";
import { error, type Diagnostic } from "./diagnostic.js";
import { foreign, NAMES } from "./foreign.js";
import { didYouMean } from "./names.js";

const LITERALS = 'as in `tokens(1, 2)`, `tokens("</s>")` or `tokens(/^[0-9]+$/)`';

/** `meant` is the set that has the entries of a list that is given instead. */
export const setExpected = (span: Span, meant?: string): Diagnostic =>
  error("E0363", span, "expected a set of tokens", {
    label: meant === undefined ? "not a set" : "a list, not a set",
    help: meant === undefined ? `a parameter of type \`tokens\`, or a set ${LITERALS}` : `write \`${meant}\``,
    ...(meant !== undefined && { fix: { kind: "replace", span, text: meant } }),
  });

export const setHere = (span: Span): Diagnostic =>
  error("E0364", span, "a set of tokens is not a value", {
    help: "ask whether a token is in it: `token in set`; name a set with `const`, or pass it as an argument",
  });

export const notAToken = (span: Span): Diagnostic =>
  error("E0365", span, "the left side of `in` must be `token`, or a token id that is known before the graph runs", {
    label: "neither",
    help: "write `token in set`; a known id is an integer of constants, parameters, states and functions of them",
  });

export const sizeMissing = (span: Span, name: string): Diagnostic =>
  error("E0366", span, `the set \`${name}\` can change with every token, so it needs its largest size`, {
    label: "the size is missing",
    help: `write \`${name}: tokens(64)\`, or mark the parameter \`static\``,
    fix: { kind: "static", params: [name] },
  });

export const sizeOfStatic = (span: Span): Diagnostic =>
  error("E0367", span, "a static set has no size", { help: "it may have any number of tokens: write `tokens`" });

export const sizeOnType = (span: Span, type: string): Diagnostic =>
  error("E0368", span, `the type ${type} has no size`, { help: "only `tokens` has one: `banned: tokens(64)`" });

export const notAnItem = (span: Span): Diagnostic =>
  error("E0369", span, "expected a token", {
    label: "neither an id, nor a text, nor a pattern",
    help: `list the tokens, ${LITERALS}; ids can be constants`,
  });

export const notATokenId = (span: Span, found: number): Diagnostic =>
  error("E0370", span, `expected the id of a token, found ${found}`, { label: "an integer from 0 to 2147483647" });

export const emptyTokenText = (span: Span): Diagnostic => error("E0371", span, "no token has an empty text");

export const badPattern = (span: Span, message: string): Diagnostic =>
  error("E0372", span, `the pattern is not valid: ${message}`, {
    help: "patterns are regular expressions of RE2: without references and lookaround, which can take exponential time",
  });

export const patternHere = (span: Span): Diagnostic =>
  error("E0373", span, "a pattern cannot be used in an expression", {
    help: "the tokens whose text matches are a set: `token in tokens(/^[0-9]+$/)`",
  });

export const unknownPart = (span: Span, of: string, name: string, known: readonly string[]): Diagnostic =>
  error("E0374", span, of === "tokens" ? `there is no set \`tokens.${name}\`` : `\`${of}\` has no parts`, {
    help:
      of === "tokens"
        ? `there are ${known.map((part) => `\`tokens.${part}\``).join(" and ")}`
        : (foreign(NAMES, name)?.help ??
          `names have no prefix, and a function takes its values in brackets, as in \`log(prob)\``),
    ...(of === "tokens" && didYouMean(span, name, known)),
  });

export const settingOfSet = (span: Span, name: string): Diagnostic =>
  error("E0375", span, `\`${name}\` is a set of tokens, but is set to a number`, {
    help: `give a list of token ids and texts: \`--set ${name}=[1,"</s>"]\` on the command line`,
  });

export const settingIsList = (span: Span, name: string): Diagnostic =>
  error("E0376", span, `\`${name}\` is not a set of tokens, but is set to a list`);

export const settingItems = (span: Span, name: string): Diagnostic =>
  error("E0377", span, `\`${name}\` is set to a list with an entry that is neither a token id nor a text`);

export const tooManyTokens = (span: Span, name: string, capacity: number, found: number): Diagnostic =>
  error("E0378", span, `\`${name}\` takes at most ${capacity} tokens, found ${found}`);
