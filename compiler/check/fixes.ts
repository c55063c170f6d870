/** Quick fixes: converts a diagnostic's `fix` to edits of its file. */
import type { File, StageCall } from "../syntax/ast.js";
import { LINE_COMMENT } from "../source/lexemes.js";
import type { SourceFile, Span } from "../source/source.js";
import type { Diagnostic, Fix } from "../diagnostics/diagnostic.js";

/** Replaces a span by a text. */
export interface Edit {
  readonly span: Span;
  readonly text: string;
}

export interface QuickFix {
  readonly title: string;
  readonly edits: readonly Edit[];
}

const insert = (source: SourceFile, at: number, text: string): Edit => ({ span: { source, start: at, end: at }, text });

/** The fix of a diagnostic of this file, if there is one and it still applies. */
export function quickFix(file: File, { fix, span }: Diagnostic): QuickFix | undefined {
  if (!fix) return undefined;
  const { source } = file.span;
  const edits = editsOf(file, source, fix, span);
  return edits.length > 0 ? { title: titleOf(fix), edits } : undefined;
}

function titleOf(fix: Fix): string {
  switch (fix.kind) {
    case "replace":
      return `Change to \`${fix.text}\``;
    case "import":
      return `Import \`${fix.name}\` from "std"`;
    case "static":
      return `Mark ${fix.params.map((name) => `\`${name}\``).join(" and ")} \`static\``;
    case "sort":
      return "Sort the rows before it";
    case "removeStage":
      return "Remove the stage";
  }
}

function editsOf(file: File, source: SourceFile, fix: Fix, span: Span): Edit[] {
  switch (fix.kind) {
    case "replace":
      return [{ span: fix.span, text: fix.text }];
    case "import":
      return importEdits(file, fix.name);
    case "static": {
      const around = file.declarations.find((d) => d.span.start <= span.start && span.end <= d.span.end);
      const params = around && "params" in around ? around.params : [];
      return params
        .filter((p) => fix.params.includes(p.name.text) && !p.isStatic)
        .map((p) => insert(source, p.span.start, "static "));
    }
    case "sort":
      return sortBefore(file, source, span);
    case "removeStage":
      return removeStage(file, source, fix.span);
  }
}

/** Adds a name to the import of the standard library, or adds this import before all declarations. */
export function importEdits(file: File, name: string): Edit[] {
  const { source } = file.span;
  const imports = file.declarations.filter((d) => d.kind === "import");
  const present = imports.find((d) => d.from === "std" && d.names.length > 0);
  if (present) return [insert(source, present.names.at(-1)!.span.end, `, ${name}`)];
  const line = `import { ${name} } from "std"\n`;
  const first = imports[0] ?? file.declarations[0];
  if (!first) return [insert(source, afterComments(source.text), line)];
  return [insert(source, first.span.start, first.kind === "import" ? line : `${line}\n`)];
}

/** The offset after the comments at the start of a file, except doc comments. */
const afterComments = (text: string): number => COMMENTS.exec(text)![0].length;
const COMMENTS = new RegExp(String.raw`^(?:[ \t]*(?:${LINE_COMMENT})?\n)*`, "u");

/** Puts `sort` before the statement of a sampler that a place is in; a function has no statements. */
function sortBefore({ declarations }: File, source: SourceFile, { start, source: other }: Span): Edit[] {
  if (other.name !== source.name) return [];
  const bodies = declarations.flatMap((d) => (d.kind === "sampler" ? d.body : []));
  const statement = bodies.find(({ span }) => span.start <= start && start < span.end);
  if (!statement) return [];
  const at = statement.span.start;
  const line = source.text.slice(source.text.lastIndexOf("\n", at - 1) + 1, at);
  return [insert(source, at, /^[ \t]*$/.test(line) ? `sort\n${line}` : "sort ")];
}

/** Removes a stage and the `|>` beside it; the only stage of a chain stays. */
function removeStage({ declarations }: File, source: SourceFile, { start }: Span): Edit[] {
  const lists = declarations.flatMap((d): (readonly StageCall[])[] =>
    d.kind === "chain"
      ? [d.stages]
      : d.kind === "test"
        ? d.clauses.flatMap((c) => (c.kind === "run" ? [c.stages] : []))
        : [],
  );
  const stages = lists.find((list) => list.some((s) => s.span.start === start));
  if (!stages || stages.length < 2) return [];
  const i = stages.findIndex((s) => s.span.start === start);
  const from = i === 0 ? start : stages[i - 1]!.span.end;
  const end = i === 0 ? stages[1]!.span.start : stages[i]!.span.end;
  return [{ span: { source, start: from, end }, text: "" }];
}
