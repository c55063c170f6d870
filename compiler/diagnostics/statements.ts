/** E05xx and W05xx: the order and effect of statements and stages. */
import type { Span } from "../source/source.js";
import { LIMITS } from "../limits/format.js";
import { error, warning, type Diagnostic, type Fix } from "./diagnostic.js";

export const afterThePick = (span: Span): Diagnostic =>
  error("E0501", span, "the token is already picked", {
    label: "only `after pick`, `measure`, `stop when` and `write` can follow `pick`",
  });

export const notAssignable = (span: Span, name: string, help: string): Diagnostic =>
  error("E0503", span, `\`${name}\` cannot be assigned`, { help });

export const pickInBranch = (span: Span): Diagnostic =>
  error("E0504", span, "`pick` inside a branch of an `if`", { help: "pick once, after the `if`" });

export const stageAfterPick = (span: Span, name: string, picker: string): Diagnostic =>
  warning("W0501", span, `\`${name}\` has no effect: \`${picker}\` before it picks the token`, {
    help: `move \`${picker}\` to the end`,
    fix: { kind: "removeStage", span },
  });

export const nestedDeclaration = (
  span: Span,
  what: string,
  help = "move it to the top level of the sampler",
): Diagnostic => error("E0505", span, `${what} inside another block`, { help });

export const notAfterPick = (span: Span, what: string): Diagnostic =>
  error("E0506", span, `\`${what}\` inside \`after pick\``, {
    help: "only `let`, `if`, `measure`, `stop when` and assignments to states are allowed there",
  });

export const measuredTwice = (span: Span, name: string, first: Span): Diagnostic =>
  error("E0520", span, `\`${name}\` is measured twice`, {
    label: "a measure has one value for each token",
    notes: [{ message: "first measured here", span: first }],
    help: "give one of them another name",
  });

export const stopName = (span: Span, name: string): Diagnostic =>
  error("E0521", span, name === "" ? "the name of a stop is empty" : "the name of a stop is too long", {
    label: `a name has 1 to ${LIMITS.stopName} characters`,
    help: 'readers of the text see it as the reason of its end: `stop when n == 1 as "certain"`',
  });

export const writeUnknown = (span: Span): Diagnostic =>
  error("E0523", span, "the condition of `write` depends on the candidates", {
    label: "it must be known before the model's logits are",
    help: "use parameters, states, `step` and the text so far; a state can remember what was true of the last token",
  });

export const writtenTooLong = (span: Span, length: number): Diagnostic =>
  error("E0524", span, `a text that is written has at most ${LIMITS.written} characters, found ${length}`, {
    help: "write a shorter text, or put it into the prompt",
  });

export const pickedOnTail = (span: Span): Diagnostic =>
  error("E0522", span, "the chain picks the token on the host tail", {
    label: "this is about the picked token, which the graph does not know then",
    help: "pick with a sampler that is not `host`",
  });

export const stageAfterTail = (span: Span, name: string): Diagnostic =>
  error("E0507", span, `\`${name}\` after the host tail`, {
    label: "only `host` stages can follow a `host` stage",
    help: "move it before the first `host` stage",
  });

/** A stage that is named `late` comes after one that is named `early`. */
export const wrongOrder = (
  span: Span,
  late: string,
  early: { readonly name: { readonly text: string }; readonly span: Span },
  why: string,
): Diagnostic =>
  warning("W0502", span, `\`${late}\` comes after \`${early.name.text}\``, {
    label: why,
    notes: [{ message: "this stage comes before it", span: early.span }],
    help: `put \`${late}\` first`,
  });

/** `percentage`: an argument that looks like one, and the fraction that it is. */
export const noEffect = (
  span: Span,
  name: string,
  percentage: { readonly span: Span; readonly meant: number } | undefined,
): Diagnostic =>
  warning("W0503", span, `\`${name}\` has no effect with these arguments`, {
    help: percentage
      ? `did you mean ${percentage.meant}? Otherwise remove the stage`
      : "remove the stage, or give it other arguments",
    fix: percentage
      ? { kind: "replace", span: percentage.span, text: String(percentage.meant) }
      : { kind: "removeStage", span },
  });

export const unusedLet = (span: Span, name: string): Diagnostic =>
  warning("W0505", span, `the value of \`${name}\` is never used`, { help: "use it, or remove the `let`" });

export const unusedInput = (span: Span, name: string): Diagnostic =>
  warning("W0506", span, `no sampler uses the input \`${name}\``, {
    help: "use it as a column in a sampler, or remove it",
  });

export const unusedState = (span: Span, name: string): Diagnostic =>
  warning("W0508", span, `nothing depends on the state \`${name}\``, {
    label: "no row, no pick and no measure uses its value, so sequences do not keep it",
    help: "use it in a condition, a logit or another state, report it with `measure`, or remove it",
  });

export const infiniteLogit = (span: Span, fix: Fix | undefined): Diagnostic =>
  error("E0508", span, "an assigned logit can be minus infinity", {
    label: "the row would stay: `n`, `mean` and `rank` count it",
    help:
      fix?.kind === "replace"
        ? `drop the rows: \`${fix.text}\``
        : "drop rows with `keep`, as in `keep token != 3`; to make them unlikely, subtract a finite number",
    ...(fix && { fix }),
  });

export const textOfRows = (span: Span, name: string, dropped: Span): Diagnostic =>
  warning("W0507", span, `\`${name}\` asks the rows left about the text`, {
    label: "tokens of the text that were dropped are missing from it",
    notes: [{ message: "rows are dropped here", span: dropped }],
    help: "ask before any row is dropped: with a `let` above, or in an earlier stage",
  });

export const unusedParameter = (span: Span, name: string): Diagnostic =>
  warning("W0504", span, `the parameter \`${name}\` has no effect`, { label: "it is never used" });
