/** `ggsl gen`: the chains of a file as a typed module. */
import type { Settings } from "@ggsl/compiler/lower/params.js";
import { existsSync } from "node:fs";
import { basename, dirname, relative, resolve, sep } from "node:path";
import type { Command } from "commander";
import { moduleChains } from "@ggsl/codegen/chains.js";
import { genCommand } from "@ggsl/codegen/command.js";
import { declarations, MARK, nameChains, typeScriptModule, type NamedChain } from "@ggsl/codegen/module.js";
import { formatDiagnostics } from "@ggsl/compiler/check/format.js";
import { InputError } from "ggsl/core/errors.js";
import type { PackageVersion } from "@ggsl/compiler/source/source.js";
import { changedPackages } from "@ggsl/codegen/packages.js";
import { importerFor, MAX_BYTES, readSource, readText, writeOutput } from "../files.js";
import { say, usesColor } from "../terminal.js";
import { programArgument, rootOption, setChainsOption, UsageError } from "../usage.js";

interface Options {
  readonly output?: string;
  readonly dts?: true;
  readonly check?: true;
  readonly root?: string;
  readonly set?: Settings;
}

export const addGen = (command: Command): Command =>
  command
    .addArgument(programArgument("<file>"))
    .argument("[chains...]", "the chains to write (default: all that the file declares)")
    .option("-o, --output <file>", "the module; - is standard output (default: FILE with .ts instead of .ggsl)")
    .option("--dts", "write only types, to FILE.d.ts, for a bundler that imports the .ggsl file itself")
    .addOption(rootOption())
    .option("--check", "write nothing; exit with status 1 if the module is out of date")
    .addOption(setChainsOption())
    .action((file: string, chains: string[], options: Options) => {
      const output = outputOf(file, options);
      const { text, named, packages } = generate(file, chains, output, options);
      for (const { name, exported } of named)
        if (name !== exported) say(`note: the chain \`${name}\` is exported as \`${exported}\`\n`);
      if (output === "-") return void process.stdout.write(text);
      const present = presentText(output);
      const changed = changedPackages(present ?? "", packages);
      if (options.check) return compare({ output, text, present, changed }, commandOf(file, chains, options));
      for (const change of changed) say(`note: ${change}\n`);
      write(output, text, present);
    });

function outputOf(file: string, { output, dts, check }: Options): string {
  if (output === "-" && check) throw new UsageError("--check compares a file, and standard output is not a file");
  if (output !== undefined) return output;
  if (file === "-") throw new UsageError("a program from standard input needs a name for its module: give -o OUT");
  return dts ? `${file}.d.ts` : `${file.replace(/\.ggsl$/, "")}.ts`;
}

interface Generated {
  readonly text: string;
  readonly named: readonly NamedChain[];
  readonly packages: readonly PackageVersion[];
}

/** File names in the module are relative to the module, so the output does not depend on the working directory. */
function generate(file: string, wanted: readonly string[], output: string, { set, dts, root }: Options): Generated {
  const source = { name: file, text: readSource(file) };
  const folder = dirname(file);
  const { chains, packages, warnings } = moduleChains(source, {
    importer: importerFor(file, root),
    nameOf: (name) => portable(relative(folder, name)),
    ...(wanted.length > 0 && { chains: wanted }),
    ...(set && { set }),
  });
  say(formatDiagnostics(warnings, { color: usesColor() }));
  const named = nameChains(chains);
  const from = output === "-" ? folder : dirname(output);
  const command = genCommand({
    file: file === "-" ? file : portable(relative(resolve(from), resolve(file))),
    chains: wanted,
    set,
    dts,
    root: root === undefined ? undefined : portable(relative(resolve(from), resolve(root))) || ".",
    output:
      output === outputOf(file === "-" ? "." : file, dts ? { dts } : {}) || output === "-"
        ? undefined
        : basename(output),
  });
  const write = dts ? declarations : typeScriptModule;
  return { text: write(named, command, packages), named, packages };
}

const portable = (path: string): string => path.split(sep).join("/");

/** The present module, or undefined if there is none. */
const presentText = (output: string): string | undefined =>
  existsSync(output) ? readText(output, MAX_BYTES.module) : undefined;

/** The command that was given, without `--check`. */
const commandOf = (file: string, chains: readonly string[], { set, dts, root, output }: Options): string =>
  genCommand({ file, chains, set, dts, root, output });

interface Comparison {
  readonly output: string;
  readonly text: string;
  readonly present: string | undefined;
  readonly changed: readonly string[];
}

function compare({ output, text, present, changed }: Comparison, command: string): void {
  if (present?.replace(/\r\n/g, "\n") === text) return;
  const fault = present === undefined ? "does not exist" : ["is out of date", ...changed].join("; ");
  throw new InputError(`"${output}" ${fault}. To generate it: ${command}`, { code: "OUT_OF_DATE" });
}

/** Does not overwrite a file that `ggsl gen` did not generate. */
function write(output: string, text: string, present: string | undefined): void {
  if (present === text) return;
  if (present !== undefined && !present.includes(MARK))
    throw new InputError(
      `"${output}" cannot be written: the file exists, and \`ggsl gen\` did not generate it; remove it, or choose another file with -o`,
      { code: "FILE_EXISTS" },
    );
  writeOutput(output, text);
  process.stdout.write(`wrote ${output}\n`);
}
