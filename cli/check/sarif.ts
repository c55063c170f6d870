/** `ggsl check --sarif`: SARIF 2.1.0, which code hosts and editors read. */
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import type { Diagnostic } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { RULES } from "./rules.js";
import { lineColumn, type Span } from "@ggsl/compiler/source/source.js";
import { fixOf, type Findings, type Unread } from "./findings.js";

const ENTRIES = Object.entries(RULES);
const CODES = ENTRIES.map(([code]) => code);

const text = (value: string): { readonly text: string } => ({ text: value });

export const sarifOf = ({ diagnostics, unread }: Findings, version: string): string =>
  `${JSON.stringify({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "ggsl", version, rules: ENTRIES.map(ruleOf) } },
        columnKind: "utf16CodeUnits",
        invocations: [
          {
            executionSuccessful: unread.length === 0,
            ...(unread.length > 0 && { toolExecutionNotifications: unread.map(notification) }),
          },
        ],
        results: diagnostics.map(resultOf),
      },
    ],
  })}\n`;

const ruleOf = ([id, { title, help }]: (typeof ENTRIES)[number]): object => ({
  id,
  shortDescription: text(title),
  help: text(help),
  defaultConfiguration: { level: id.startsWith("E") ? "error" : "warning" },
});

const notification = ({ file, error: { code, message } }: Unread): object => ({
  level: "error",
  message: text(message),
  descriptor: { id: code },
  locations: [{ physicalLocation: { artifactLocation: artifact(file) } }],
});

function resultOf(d: Diagnostic): object {
  const details = [d.label, d.help && `help: ${d.help}`].filter((line) => line !== undefined);
  const fix = fixOf(d);
  return {
    ruleId: d.code,
    ruleIndex: CODES.indexOf(d.code),
    level: d.severity,
    message: text([d.message, ...details].join("\n")),
    locations: [{ physicalLocation: placeOf(d.span) }],
    ...(d.notes && {
      relatedLocations: d.notes.map(({ message, span }) => ({
        message: text(message),
        physicalLocation: placeOf(span),
      })),
    }),
    ...(fix && {
      fixes: [
        {
          description: text(fix.title),
          artifactChanges: [
            {
              artifactLocation: artifact(d.span.source.name),
              replacements: fix.edits.map((edit) => ({
                deletedRegion: regionOf(edit.span),
                insertedContent: text(edit.text),
              })),
            },
          ],
        },
      ],
    }),
  };
}

const placeOf = (span: Span): object => ({
  artifactLocation: artifact(span.source.name),
  region: regionOf(span),
});

function regionOf({ source, start, end }: Span): object {
  const [first, last] = [lineColumn(source, start), lineColumn(source, end)];
  return {
    startLine: first.line,
    startColumn: first.column,
    endLine: last.line,
    endColumn: last.column,
  };
}

/** A path as a URI: relative to the working directory, unless it is absolute. */
const artifact = (file: string): { readonly uri: string } => ({
  uri: isAbsolute(file) ? pathToFileURL(file).href : file.split(/[\\/]/).map(encodeURIComponent).join("/"),
});
