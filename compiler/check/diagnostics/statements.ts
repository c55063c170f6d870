/** E05xx and W05xx: statements and stages in an order that makes no sense. */
import type { Span } from "../../syntax/source.js";
import { error, warning, type Diagnostic } from "../diagnostics.js";

export const afterThePick = (span: Span): Diagnostic =>
  error("E0501", span, "the token is picked already", { label: "`pick` comes last but for `after pick`" });

export const stateNeedsPick = (span: Span): Diagnostic =>
  error("E0502", span, "`after pick` without a `pick` before it");

export const notAssignable = (span: Span, name: string, help: string): Diagnostic =>
  error("E0503", span, `\`${name}\` can not be assigned`, { help });

export const pickInBranch = (span: Span): Diagnostic =>
  error("E0504", span, "`pick` can not stand in one branch of an `if`", { help: "pick once, after the `if`" });

export const stageAfterPick = (span: Span, name: string, picker: string): Diagnostic =>
  warning("W0501", span, `\`${name}\` has no effect: \`${picker}\` before it picks the token`, { help: `move \`${picker}\` to the end` });
