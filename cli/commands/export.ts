/** `ggsl export`: a chain as settings of another tool. */
import type { Settings } from "@ggsl/compiler/lower/params.js";
import { Option, type Command } from "commander";
import {
  exportLlama,
  ExportError,
  shellText,
  TARGETS,
  toFlags,
  toRequest,
  type LlamaExport,
} from "@ggsl/settings/to/export.js";
import { importerFor, readSource } from "../files.js";
import { programArgument, rootOption, setOption, stagesOption, UsageError } from "../usage.js";
import { say } from "../terminal.js";

interface Options {
  readonly stages?: string;
  readonly set?: Settings;
  readonly json?: true;
  readonly root?: string;
}

export const addExport = (command: Command): Command =>
  command
    .addArgument(programArgument("[file]"))
    .argument("[chain]", "the chain, if the file declares several")
    .addOption(stagesOption())
    .addOption(new Option("--to <tool>", "the other tool").choices(TARGETS).makeOptionMandatory())
    .addOption(setOption())
    .addOption(rootOption())
    .option("--json", "print a request to llama-server instead of command-line options")
    .action((file: string | undefined, name: string | undefined, options: Options) => {
      const { json } = options;
      const made = exported(file, name, options);
      for (const warning of made.warnings) say(`warning: ${warning}\n`);
      if (json) {
        process.stdout.write(`${JSON.stringify(toRequest(made), undefined, 2)}\n`);
        return;
      }
      const flags = toFlags(made);
      if ("reasons" in flags) throw new ExportError(flags.reasons);
      process.stdout.write(`${shellText(flags.words)}\n`);
    });

function exported(file: string | undefined, name: string | undefined, { stages, set, root }: Options): LlamaExport {
  const options = set ? { set } : {};
  if (stages !== undefined && file === undefined)
    return exportLlama({ name: "-e", text: stages, isPipeline: true }, options);
  if (stages !== undefined || file === undefined) throw new UsageError("expected either a FILE or -e STAGES");
  return exportLlama(
    { name: file, text: readSource(file) },
    { ...options, importer: importerFor(file, root), ...(name !== undefined && { chain: name }) },
  );
}
