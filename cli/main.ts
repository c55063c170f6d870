/** The `ggsl` command: a thin layer over compiler and runtime. Exit status 1: errors in the input, 2: wrong usage. */
import { readFileSync } from "node:fs";
import { Command } from "commander";
import { visible } from "@ggsl/compiler/source/visible.js";
import { addCommand, COMMANDS, listCommand } from "./commands.js";
import { endStatus, watchOutput } from "./ending.js";
import { offerInput, packageFile } from "./files.js";
import { asksForJson, report } from "./report.js";

watchOutput();
offerInput();

const { version } = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string };

const program = new Command("ggsl")
  .description("Compile sampler chains written in GGSL to ggml graphs, inspect them and run them.")
  .version(version)
  .exitOverride()
  // arguments are shown in errors
  .configureOutput({ writeErr: (text) => process.stderr.write(visible(text)) })
  .showHelpAfterError("(--help lists commands and options)")
  .configureHelp({ showGlobalOptions: false });

const [first = "", second = ""] = process.argv.slice(2);
const asked = first === "help" ? second : first;
for (const name of Object.keys(COMMANDS)) {
  if (name === asked || COMMANDS[asked]?.needsAll) await addCommand(program, name);
  else listCommand(program, name);
}

try {
  await program.parseAsync();
} catch (error) {
  const command = program.commands.find((one) => one.name() === asked);
  process.exitCode = await report(error, asksForJson(command, process.argv.slice(2)));
}
process.exitCode = endStatus() ?? process.exitCode;
