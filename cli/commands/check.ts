/** `ggsl check`: every diagnostic of every file. */
import type { Command } from "commander";
import type { LimitPreset } from "@ggsl/compiler/limits/limits.js";
import { isError } from "@ggsl/compiler/check/diagnostics.js";
import { formatDiagnostics } from "@ggsl/compiler/check/format.js";
import { checkProgram } from "@ggsl/compiler/driver.js";
import { InputError } from "ggsl/errors.js";
import { importerFor, readSource, useColor } from "../files.js";
import { limitsOption, rootOption } from "../usage.js";

interface Options {
  readonly limits?: LimitPreset;
  readonly root?: string;
}

export const addCheck = (program: Command): Command =>
  program
    .command("check")
    .description("print the diagnostics of all files")
    .argument("<files...>", "GGSL files")
    .addOption(limitsOption())
    .addOption(rootOption())
    .action((files: string[], { limits, root }: Options) => {
      const unread: string[] = [];
      const diagnostics = files.flatMap((name) => {
        try {
          const options = { importer: importerFor(name, root), ...(limits && { limits }) };
          return checkProgram({ name, text: readSource(name) }, options);
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          unread.push(`error: ${error.message}\n`);
          return [];
        }
      });
      process.stderr.write(formatDiagnostics(diagnostics, { color: useColor() }) + unread.join(""));
      const errors = diagnostics.filter(isError).length + unread.length;
      const warnings = diagnostics.length - diagnostics.filter(isError).length;
      process.stdout.write(
        `${plural(files.length, "file")} checked: ${plural(errors, "error")}, ${plural(warnings, "warning")}\n`,
      );
      if (errors > 0) process.exitCode = 1;
    });

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
