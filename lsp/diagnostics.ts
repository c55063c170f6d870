/** Converts diagnostics to the protocol's form. */
import { DiagnosticSeverity, DiagnosticTag, type Diagnostic as LspDiagnostic } from "vscode-languageserver";
import type { Diagnostic } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { isError } from "@ggsl/compiler/diagnostics/diagnostic.js";
import type { SourceFile } from "@ggsl/compiler/source/source.js";
import type { Analysis } from "./analysis.js";
import { locationOf, rangeOf } from "./positions.js";

/** Codes of parts of a program that have no effect. */
const UNNECESSARY: ReadonlySet<string> = new Set(["W0503", "W0504", "W0505", "W0506", "W0508"]);

type UriOf = (source: SourceFile) => string;

export function lspDiagnostic(uriOf: UriOf, d: Diagnostic): LspDiagnostic {
  const details = [d.label, d.help && `help: ${d.help}`].filter((line) => line !== undefined);
  return {
    range: rangeOf(d.span),
    severity: d.severity === "error" ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code: d.code,
    source: "ggsl",
    message: [d.message, ...details].join("\n"),
    ...(UNNECESSARY.has(d.code) ? { tags: [DiagnosticTag.Unnecessary] } : {}),
    ...(d.notes && {
      relatedInformation: d.notes.map(({ message, span }) => ({ message, location: locationOf(uriOf, span) })),
    }),
  };
}

/** The diagnostics of a file, and errors of imported files, shown at the imports. */
export function lspDiagnostics(
  uriOf: UriOf,
  { source, module }: Analysis,
  all: readonly Diagnostic[],
): LspDiagnostic[] {
  const own = all.filter((d) => d.span.source === source).map((d) => lspDiagnostic(uriOf, d));
  const foreign = new Map<SourceFile, Diagnostic>();
  for (const d of all)
    if (isError(d) && d.span.source !== source && !foreign.has(d.span.source)) foreign.set(d.span.source, d);
  const imports = module.file.declarations.filter((d) => d.kind === "import" && d.from !== "std");
  const place = imports[0]?.kind === "import" ? imports[0].fromSpan : module.file.span;
  const atImports = [...foreign].map(([file, { message, span }]): LspDiagnostic => {
    const direct = imports.find((d) => d.kind === "import" && file.name.endsWith(d.from.replace(/^(?:\.\.?\/)+/, "/")));
    return {
      range: rangeOf(direct?.kind === "import" ? direct.fromSpan : place),
      severity: DiagnosticSeverity.Error,
      source: "ggsl",
      message: `"${file.name}", which this file needs, has errors`,
      relatedInformation: [{ message, location: locationOf(uriOf, span) }],
    };
  });
  return [...atImports, ...own];
}
