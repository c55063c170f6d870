/** The diagnostics of a check, of which a limited number is kept. */
import { isError, keyOf, sortDiagnostics, type Diagnostic, type Sink } from "../diagnostics/diagnostic.js";
import { moreDiagnostics } from "../diagnostics/limits.js";
import type { SourceFile } from "../source/source.js";

/** Keeps the first errors, and the first warnings where fewer errors leave room. */
export class Report implements Sink {
  private readonly keys = new Set<string>();
  private readonly errors: Diagnostic[] = [];
  private readonly warnings: Diagnostic[] = [];

  constructor(private readonly limit: number) {}

  get hasErrors(): boolean {
    return this.errors.length > 0;
  }

  push(...diagnostics: readonly Diagnostic[]): void {
    for (const d of diagnostics) {
      const key = keyOf(d);
      const kept = isError(d) ? this.errors : this.warnings;
      if (kept.length < Math.max(1, this.limit) && !this.keys.has(key)) kept.push(d);
      this.keys.add(key);
    }
  }

  /** Sorted by place; the last one counts those that were not kept, at the end of `source`. */
  sorted(source: SourceFile): Diagnostic[] {
    const shown = sortDiagnostics([...this.errors, ...this.warnings.slice(0, this.limit - this.errors.length)]);
    const more = this.keys.size - shown.length;
    if (more === 0) return shown;
    const end = { source, start: source.text.length, end: source.text.length };
    return [...shown, moreDiagnostics(end, this.limit, more, this.hasErrors)];
  }
}
