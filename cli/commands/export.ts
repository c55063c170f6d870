/** `ggsl export`: a chain as settings of another tool. */
import type { Settings } from "@ggsl/compiler/lower/params.js";
import { Option, type Command } from "commander";
import { exportLlama, ExportError, shellText, TARGETS, toFlags, toRequest } from "@ggsl/settings/to/export.js";
import { importerFor, readSource } from "../files.js";
import { programArgument, rootOption, setOption } from "../usage.js";

interface Options {
  readonly set?: Settings;
  readonly json?: true;
  readonly root?: string;
}

export const addExport = (command: Command): Command =>
  command
    .addArgument(programArgument("<file>"))
    .argument("[chain]", "the chain, if the file declares several")
    .addOption(new Option("--to <tool>", "the other tool").choices(TARGETS).makeOptionMandatory())
    .addOption(setOption())
    .addOption(rootOption())
    .option("--json", "print a request to llama-server instead of command-line options")
    .action((file: string, name: string | undefined, { set, json, root }: Options) => {
      const options = {
        importer: importerFor(file, root),
        ...(name !== undefined && { chain: name }),
        ...(set && { set }),
      };
      const made = exportLlama({ name: file, text: readSource(file) }, options);
      for (const warning of made.warnings) process.stderr.write(`warning: ${warning}\n`);
      if (json) {
        process.stdout.write(`${JSON.stringify(toRequest(made), undefined, 2)}\n`);
        return;
      }
      const flags = toFlags(made);
      if ("reasons" in flags) throw new ExportError(flags.reasons);
      process.stdout.write(`${shellText(flags.words)}\n`);
    });
