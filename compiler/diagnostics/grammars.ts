/** E0384 to E0387 and E039x: grammars that are given with the request. */
import type { Span } from "../source/source.js";
import { error, type Diagnostic } from "./diagnostic.js";

export const grammarExpected = (span: Span): Diagnostic =>
  error("E0390", span, "expected a grammar", {
    label: "not a grammar",
    help: 'a parameter of type `grammar`, or a GBNF grammar as a text: "root ::= [0-9]+"',
  });

export const grammarHere = (span: Span): Diagnostic =>
  error("E0391", span, "a grammar is not a value", {
    help: "ask whether it accepts the token next: `allowed(g)`; or pass it as an argument",
  });

export const grammarStatic = (span: Span, name: string): Diagnostic =>
  error("E0392", span, "a grammar that is given with the request cannot be static", {
    help: `write \`${name}: grammar\`; a grammar that the program has is a text: \`static ${name}: text\``,
  });

export const settingOfGrammar = (span: Span, name: string): Diagnostic =>
  error("E0393", span, `\`${name}\` is a grammar, which is given with the request, not when the chain is compiled`, {
    help: "on the command line: `--grammar FILE` or `--json-schema FILE`",
  });

export const grammarNotFollowed = (span: Span, name: string): Diagnostic =>
  error("E0384", span, `\`${name}\` asks where a grammar stands that the chain does not follow`, {
    label: "no stage asks this grammar for tokens",
    help: "keep what the grammar allows, with the same grammar: `constrain(g)` as the first stage, or `keep allowed(g)`",
  });

export const ruleNameEmpty = (span: Span, most: number, length: number): Diagnostic =>
  error("E0385", span, `the name of a rule must have 1 to ${most} characters, found ${length}`, {
    help: 'name a rule of the grammar, as in `in_rule(g, "key")`',
  });

export const ruleTooEarly = (span: Span, name: string, what: string): Diagnostic =>
  error("E0386", span, `\`${name}\` is not known ${what}`, {
    help: "where a grammar stands is known at each token: use it in a condition, an expression of rows, or `after pick`",
  });
