/** Turns a plan into a checked program. */
import { isError } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { formatDiagnostics } from "@ggsl/compiler/check/format.js";
import { checkProgram } from "@ggsl/compiler/driver.js";
import { print } from "@ggsl/format/print.js";
import { MAX_LENGTH } from "./length.js";
import { ImportError, type Note } from "./notes.js";
import type { Plan } from "./plan.js";
import { writeProgram } from "./write.js";

export interface Imported {
  /** The program's text; it declares the chain `imported`. */
  readonly text: string;
  readonly notes: readonly Note[];
  /** The tool that the settings were read as. */
  readonly tool: string;
}

/** Writes the program and compiles it: errors fail the import. */
export function finish(plan: Plan, name: string): Imported {
  const text = canonicalForm(writeProgram(plan, name));
  if (text.length > MAX_LENGTH) throw new ImportError(`${name}: the program would be longer than a program may be`);
  const errors = checkProgram({ name: "imported.ggsl", text }).filter(isError);
  if (errors.length > 0)
    throw new ImportError(
      `${name}: these settings make no program that compiles:\n${formatDiagnostics(errors).trimEnd()}`,
    );
  return { text, notes: plan.notes, tool: plan.tool };
}

/** The form that `ggsl fmt` gives; a text with syntax errors stays, and the check of the program reports them. */
function canonicalForm(text: string): string {
  const printed = print({ name: "imported.ggsl", text });
  return "text" in printed ? printed.text : text;
}
