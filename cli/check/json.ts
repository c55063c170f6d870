/** `ggsl check --json`: the form is that of runtime/schemas/check.schema.json. */
import type { Diagnostic } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { lineColumn, type Span } from "@ggsl/compiler/source/source.js";
import { fixOf, type Findings, type Unread } from "./findings.js";

/** A new version is a form that readers of the old one cannot read. */
const VERSION = 1;

export const jsonOf = ({ files, errors, warnings, diagnostics, unread }: Findings): string =>
  `${JSON.stringify({
    version: VERSION,
    files,
    errors,
    warnings,
    diagnostics: [...unread.map(unreadJson), ...diagnostics.map(diagnosticJson)],
  })}\n`;

const unreadJson = ({ file, error: { code, message } }: Unread): object => ({
  code,
  severity: "error",
  message,
  file,
});

export function diagnosticJson(d: Diagnostic): object {
  const { code, severity, message, label, help, notes } = d;
  const fix = fixOf(d);
  return {
    code,
    severity,
    message,
    ...placeJson(d.span),
    ...(label !== undefined && { label }),
    ...(help !== undefined && { help }),
    ...(notes && { notes: notes.map((note) => ({ message: note.message, ...placeJson(note.span) })) }),
    ...(fix && {
      fix: { title: fix.title, edits: fix.edits.map(({ span, text }) => ({ ...placeJson(span), text })) },
    }),
  };
}

const placeJson = ({ source, start, end }: Span): object => ({
  file: source.name,
  range: {
    start: { ...lineColumn(source, start), offset: start },
    end: { ...lineColumn(source, end), offset: end },
  },
});
