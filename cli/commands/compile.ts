/** `ggsl compile`: compiles a chain to its graph. */
import { Option, type Command } from "commander";
import { loadChain, type ChainOptions } from "../chain.js";
import { writeOutput } from "../files.js";
import { checkFormOptions, formOptions, FORMS, optionsOf, type FormName, type FormOptions } from "../forms.js";
import {
  programArgument,
  disableOption,
  limitsOption,
  noOptimizeOption,
  rootOption,
  setOption,
  stagesOption,
  UsageError,
} from "../usage.js";

interface Options extends ChainOptions, FormOptions {
  readonly emit: FormName;
  readonly output?: string;
}

export function addCompile(command: Command): Command {
  command
    .addArgument(programArgument("[file]"))
    .argument("[chain]", "the chain, if the file declares several")
    .addOption(stagesOption())
    .addOption(setOption())
    .addOption(rootOption())
    .addOption(
      new Option(
        "--emit <form>",
        "the form to write; json is a spec, which other programs run (docs/c.md, docs/graph.md)",
      )
        .choices(Object.keys(FORMS))
        .default("json"),
    );
  formOptions().forEach((option) => command.addOption(option));
  return command
    .option("-o, --output <file>", "write to a file instead of standard output")
    .addOption(noOptimizeOption())
    .addOption(disableOption())
    .addOption(limitsOption())
    .action(async (file: string | undefined, name: string | undefined, { emit, output, ...options }: Options) => {
      checkFormOptions(emit, options);
      const written = await FORMS[emit].write(loadChain(file, name, options), optionsOf(options), output);
      if (typeof written !== "string" && output === undefined && process.stdout.isTTY)
        throw new UsageError(`--emit ${emit} writes bytes, which a terminal does not show; name a file with -o`);
      writeOutput(output ?? "-", written);
    });
}
