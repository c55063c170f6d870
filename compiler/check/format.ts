/** Diagnostics as text for a terminal. */
import { lineColumn, packageText, type Span } from "../source/source.js";
import { visible } from "../source/visible.js";
import { CompileError, sortDiagnostics, type Diagnostic } from "../diagnostics/diagnostic.js";
import { checkNames, type OptionNames } from "../core/optionNames.js";
import { OptionError } from "../core/optionError.js";

/** How diagnostics are printed. */
export interface FormatOptions {
  /** With the colors of a terminal. */
  readonly color?: boolean | undefined;
}

/** The most columns of source shown; longer lines are cut around the caret. */
const MAX_WIDTH = 120;

/** Bold red and magenta, bold, and dim: readable on dark and on light backgrounds, where yellow, cyan and blue are not. */
const COLORS = { error: "1;31", warning: "1;35", note: "1", frame: "2" } as const;

const paint = (code: string, text: string, color: boolean): string => (color ? `\x1b[${code}m${text}\x1b[0m` : text);

const NAMES: OptionNames<FormatOptions> = { color: true };

/** A diagnostic as the command line prints it: code, message, source line with a caret, help. With `color`, for terminals. */
export function formatDiagnostic(d: Diagnostic, options: FormatOptions = {}): string {
  checkNames(options, NAMES);
  const { color = false } = options;
  requireDiagnostic(d);
  const tint = d.severity === "error" ? COLORS.error : COLORS.warning;
  const lines = [`${paint(tint, `${d.severity}[${d.code}]`, color)}: ${visible(d.message)}`];
  for (const one of excerpt(d.span, d.label, tint, color)) lines.push(one);
  for (const note of d.notes ?? []) {
    lines.push(`${paint(COLORS.note, "note", color)}: ${visible(note.message)}`);
    for (const one of excerpt(note.span, undefined, COLORS.note, color)) lines.push(one);
  }
  if (d.help !== undefined) lines.push(`${paint(COLORS.note, "help", color)}: ${visible(d.help)}`);
  return lines.join("\n");
}

/** All diagnostics sorted by place, with a blank line after each. Throws an `OptionError` for other values. */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], options: FormatOptions = {}): string {
  checkNames(options, NAMES);
  if (!Array.isArray(diagnostics)) throw new OptionError("expected a list of diagnostics");
  diagnostics.forEach(requireDiagnostic);
  return sortDiagnostics(diagnostics)
    .map((d) => `${formatDiagnostic(d, options)}\n`)
    .join("\n");
}

/** Callers without types can pass anything. */
function requireDiagnostic(value: unknown): void {
  const { message, span } = (value ?? {}) as Partial<Diagnostic>;
  if (typeof message !== "string" || typeof span?.source?.text !== "string")
    throw new OptionError("expected a diagnostic of the compiler");
}

export const compileError = (diagnostics: readonly Diagnostic[]): CompileError =>
  new CompileError(sortDiagnostics(diagnostics), formatDiagnostics(diagnostics).trimEnd());

/** `--> file:line:column`, the line, and carets under the span. */
function excerpt({ source, start, end }: Span, label: string | undefined, tint: string, color: boolean): string[] {
  const { line, column } = lineColumn(source, start);
  const text = (source.text.split("\n")[line - 1] ?? "").replace(/\r$/, "");
  const first = Math.max(0, Math.min(column - 1 - MAX_WIDTH / 2, text.length - MAX_WIDTH));
  const shown = visible(text.slice(first, first + MAX_WIDTH));
  const marked = text.slice(column - 1, Math.min(column - 1 + end - start, first + MAX_WIDTH));
  const width = Math.max(1, visible(marked).length);
  const gutter = " ".repeat(String(line).length);
  const indent = visible(text.slice(first, column - 1)).replace(/[^\t]/g, " ");
  const carets = paint(tint, "^".repeat(width) + (label === undefined ? "" : ` ${visible(label)}`), color);
  const bar = paint(COLORS.frame, "|", color);
  const within = source.package ? `, of ${visible(packageText(source.package))}` : "";
  return [
    `${gutter}${paint(COLORS.frame, "-->", color)} ${visible(source.name)}:${line}:${column}${within}`,
    `${gutter} ${bar}`,
    `${line} ${bar} ${shown}`.trimEnd(),
    `${gutter} ${bar} ${indent}${carets}`,
  ];
}
