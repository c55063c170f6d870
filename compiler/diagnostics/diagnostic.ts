/** Diagnostics: what is wrong with a program, where, and how to fix it. `diagnostics/` has one file for each family. */
import type { Span } from "../source/source.js";

export interface Diagnostic {
  /** Stable: `E` for errors or `W` for warnings, then four digits. */
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly span: Span;
  /** Shown beside the caret. */
  readonly label?: string;
  readonly help?: string;
  /** Other relevant places, such as the first of two declarations. */
  readonly notes?: readonly Note[];
  /** The quick fix for editors. */
  readonly fix?: Fix;
}

/** An edit that a diagnostic proposes. */
export type Fix =
  /** Replaces a span. */
  | { readonly kind: "replace"; readonly span: Span; readonly text: string }
  /** Adds the import of a standard sampler. */
  | { readonly kind: "import"; readonly name: string }
  /** Marks these parameters of the enclosing declaration `static`. */
  | { readonly kind: "static"; readonly params: readonly string[] }
  /** Sorts the rows before the statement that the diagnostic is in. */
  | { readonly kind: "sort" }
  /** Removes this stage from the chain. */
  | { readonly kind: "removeStage"; readonly span: Span };

/** What else a diagnostic has to say, at a place of its own. */
export interface Note {
  readonly message: string;
  readonly span: Span;
}

export type Extra = Pick<Diagnostic, "label" | "help" | "notes" | "fix">;

export const error = (code: string, span: Span, message: string, extra: Extra = {}): Diagnostic => ({
  code,
  severity: "error",
  message,
  span,
  ...extra,
});

export const warning = (code: string, span: Span, message: string, extra: Extra = {}): Diagnostic => ({
  ...error(code, span, message, extra),
  severity: "warning",
});

export const isError = (d: Diagnostic): boolean => d.severity === "error";

/** Equal diagnostics have equal keys. */
export const keyOf = (d: Diagnostic): string => `${d.span.source.name}:${d.span.start}:${d.code}:${d.message}`;

/** Sorted by place, without duplicates. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const unique = [...new Map(diagnostics.map((d) => [keyOf(d), d])).values()];
  return unique.sort((a, b) => a.span.source.name.localeCompare(b.span.source.name) || a.span.start - b.span.start);
}

/** Takes diagnostics: an array, or a `Report`, which keeps a limited number. */
export interface Sink {
  push(...diagnostics: Diagnostic[]): unknown;
}

/** A program that cannot be compiled; `diagnostics` has all errors and warnings. */
export class CompileError extends Error {
  override readonly name = "CompileError";
  readonly code = "INVALID_PROGRAM";
  constructor(
    readonly diagnostics: readonly Diagnostic[],
    formatted: string,
  ) {
    super(formatted);
  }
}
