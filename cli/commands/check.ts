/** `ggsl check`: every diagnostic of every file. */
import { Option, type Command } from "commander";
import { formatDiagnostics } from "@ggsl/compiler/check/format.js";
import { checkFiles, type CheckOptions, type Findings } from "../check/findings.js";
import { checkStdinPath, OR_PACKAGES, programsArgument, programsOf, stdinPathOption } from "../programs.js";
import { say, usesColor } from "../terminal.js";
import { jsonOption, limitsOption, rootOption } from "../usage.js";
import { watch, watchOption } from "../watch.js";

interface Options extends CheckOptions {
  readonly json?: true;
  readonly sarif?: true;
  readonly watch?: true;
}

export const addCheck = (command: Command): Command =>
  command
    .addArgument(programsArgument(OR_PACKAGES))
    .addOption(limitsOption())
    .addOption(rootOption())
    .addOption(stdinPathOption())
    .addOption(jsonOption().conflicts("sarif"))
    .addOption(new Option("--sarif", "print the diagnostics as SARIF 2.1.0"))
    .addOption(watchOption())
    .action((words: string[], options: Options) => {
      checkStdinPath(words, options);
      const version = command.parent?.version() ?? "";
      const once = async (): Promise<void> =>
        print(checkFiles(await programsOf(words, { packages: true }), options), options, version);
      return options.watch ? watch(once, { words, isJson: options.json === true }) : once();
    });

async function print(findings: Findings, { json, sarif }: Options, version: string): Promise<void> {
  if (json) process.stdout.write((await import("../check/json.js")).jsonOf(findings));
  else if (sarif) process.stdout.write((await import("../check/sarif.js")).sarifOf(findings, version));
  else printText(findings);
  if (findings.errors > 0) process.exitCode = 1;
}

function printText({ files, diagnostics, unread, errors, warnings }: Findings): void {
  say(
    formatDiagnostics(diagnostics, { color: usesColor() }) +
      unread.map(({ error }) => `error: ${error.message}\n`).join(""),
  );
  process.stdout.write(
    `${plural(files.length, "file")} checked: ${plural(errors, "error")}, ${plural(warnings, "warning")}\n`,
  );
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
