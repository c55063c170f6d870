/** E039x: grammars that are given with the request. */
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
