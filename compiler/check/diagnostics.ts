/** Diagnostics: what is wrong with a program, where, and what to do. One family a file in `diagnostics/`. */
import type { Span } from "../syntax/source.js";

export interface Diagnostic {
  /** Stable: `E` for errors, `W` for warnings, and four digits. */
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly span: Span;
  /** Said beside the caret. */
  readonly label?: string;
  readonly help?: string;
  /** Other places that belong to the fault, such as the path through the program that led there. */
  readonly notes?: readonly Note[];
  /** What an editor can do about it. */
  readonly fix?: Fix;
}

export type Fix =
  /** Another text in a place. */
  | { readonly kind: "replace"; readonly span: Span; readonly text: string }
  /** The import of a standard sampler. */
  | { readonly kind: "import"; readonly name: string }
  /** The mark `static` for these parameters of the declaration around the fault. */
  | { readonly kind: "static"; readonly params: readonly string[] }
  /** The chain without this stage. */
  | { readonly kind: "removeStage"; readonly span: Span };

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

/** In order of place, each once. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const key = (d: Diagnostic): string => `${d.span.source.name}:${d.span.start}:${d.code}:${d.message}`;
  const unique = [...new Map(diagnostics.map((d) => [key(d), d])).values()];
  return unique.sort((a, b) => a.span.source.name.localeCompare(b.span.source.name) || a.span.start - b.span.start);
}

/** A program that can not be compiled; `diagnostics` holds everything that is wrong with it. */
export class CompileError extends Error {
  override readonly name = "CompileError";
  constructor(
    readonly diagnostics: readonly Diagnostic[],
    formatted: string,
  ) {
    super(formatted);
  }
}
