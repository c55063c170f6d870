/** E01xx: text that is not GGSL. */
import type { Span } from "../../syntax/source.js";
import { error, type Diagnostic } from "../diagnostics.js";

const STARTS = ["`import`", "const", "input", "sampler", "chain", "test"];

export function syntaxError(span: Span, expected: readonly string[], found: string | undefined): Diagnostic {
  const isTopLevel = STARTS.filter((s) => expected.includes(s.replace(/`/g, ""))).length > 3;
  const shown = isTopLevel ? ["a declaration (import, const, sampler, chain)"] : summarize(expected);
  const what = found === undefined ? "the end of the text" : `\`${found}\``;
  const label = shown.length > 0 ? `expected ${joinOr(shown)}` : undefined;
  return error("E0101", span, `unexpected ${what}`, label === undefined ? {} : { label });
}

/** A long list of what could come is shortened: an expression begins in many ways, and operators may always follow. */
function summarize(expected: readonly string[]): string[] {
  const beginsExpression = expected.includes("a number");
  const operators = /^`(?:[-+*/%^?]|[<>=!]=?|\|>|[=!<>]=)`$|^(?:and|or)$/;
  const rest = expected.filter((e) => !(beginsExpression && /^(?:a number|a text in quotes|a name|not|`[-([]`|`true`|`false`|`inf`)$/.test(e)));
  const words = rest.filter((e) => !operators.test(e));
  const shown = words.length > 0 || beginsExpression ? words : rest;
  const capped = shown.length > 8 ? shown.slice(0, 8) : shown;
  return [...(beginsExpression ? ["an expression"] : []), ...capped];
}

const joinOr = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} or ${parts.at(-1)}`;

export const sourceTooLong = (span: Span, limit: number, found: number): Diagnostic =>
  error("E0102", span, `the source is too long: at most ${limit} characters are allowed, found ${found}`);

export const nestedTooDeep = (span: Span, limit: number): Diagnostic =>
  error("E0103", span, "expressions or blocks are nested too deep", { label: `more than ${limit} levels`, help: "name parts of it with `let`" });
