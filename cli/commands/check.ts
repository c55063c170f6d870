/** `ggsl check`: every diagnostic of every file. */
import type { Command } from "commander";
import { isError } from "../../compiler/check/diagnostics.js";
import { formatDiagnostics } from "../../compiler/check/format.js";
import { checkProgram } from "../../compiler/compile.js";
import { fileImporter, readText, useColor } from "../files.js";

export const addCheck = (program: Command): Command =>
  program
    .command("check")
    .description("print every diagnostic of every file")
    .argument("<files...>", "GGSL files")
    .action((files: string[]) => {
      const diagnostics = files.flatMap((name) => checkProgram({ name, text: readText(name) }, fileImporter));
      process.stderr.write(formatDiagnostics(diagnostics, { color: useColor() }));
      const errors = diagnostics.filter(isError).length;
      const warnings = diagnostics.length - errors;
      process.stdout.write(
        `${files.length} file${files.length === 1 ? "" : "s"} checked: ${errors} errors, ${warnings} warnings\n`,
      );
      if (errors > 0) process.exitCode = 1;
    });
