/** `ggsl test`: the `test` blocks of files, on a list of backends. */
import { InvalidArgumentError, type Command } from "commander";
import { EVALUATE_BACKENDS, type EvaluateBackend } from "../../runtime/evaluate.js";
import { runTests, type Difference, type TestResult } from "../../runtime/testing.js";
import { CompileError } from "../../compiler/check/diagnostics.js";
import { InputError } from "../../runtime/errors.js";
import { fileImporter, readText } from "../files.js";
import { formatTable } from "../table.js";
import { jsonOption } from "../usage.js";

interface Options {
  readonly backend: EvaluateBackend[];
  readonly json?: true;
}

export const addTest = (program: Command): Command =>
  program
    .command("test")
    .description("run the test blocks of files")
    .argument("<files...>", "GGSL files")
    .option("--backend <list>", `backends, comma-separated: ${EVALUATE_BACKENDS.join(", ")}`, backends, ["auto"])
    .addOption(jsonOption())
    .action((files: string[], options: Options) => {
      const results = files.flatMap((name) => resultsOf(name, options.backend));
      const failed = results.filter((r) => r.differences.length > 0);
      if (options.json)
        process.stdout.write(
          `${JSON.stringify({ passed: results.length - failed.length, failed: failed.length, results })}\n`,
        );
      else process.stdout.write(`${failed.map(failureText).join("\n")}${summary(files, results, failed.length)}`);
      if (failed.length > 0) process.exitCode = 1;
    });

/** A file that can not be read or compiled is a failure of its own, and the others are run. */
function resultsOf(name: string, backends: readonly EvaluateBackend[]): TestResult[] {
  try {
    return runTests({ name, text: readText(name) }, backends, fileImporter);
  } catch (error) {
    if (!(error instanceof CompileError || error instanceof InputError)) throw error;
    const found = error.message.replace(/\n/g, "\n  ");
    const differences = [{ what: "error", rows: [{ at: "", expected: "a program", found }] }];
    return [{ title: "it compiles", file: name, line: 1, backend: "compiler", differences }];
  }
}

function backends(list: string): EvaluateBackend[] {
  const names = list.split(",");
  const unknown = names.find((n) => !(EVALUATE_BACKENDS as readonly string[]).includes(n));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`Unknown backend "${unknown}"; expected ${EVALUATE_BACKENDS.join(", ")}.`);
  return names as EvaluateBackend[];
}

function failureText({ file, line, title, backend, differences }: TestResult): string {
  return `FAILED ${file}:${line} "${title}" on ${backend}\n${differences.map(differenceText).join("")}`;
}

function differenceText({ what, rows }: Difference): string {
  if (what === "error") return `  ${rows[0]!.found}\n`;
  const at = ["probs", "logits"].includes(what) ? "token" : "place";
  const table = formatTable(
    [at, `expected ${what}`, "found"],
    rows.map((r) => [r.at, r.expected, r.found]),
  );
  return table.replace(/^(?=.)/gm, "  ");
}

function summary(files: readonly string[], results: readonly TestResult[], failed: number): string {
  const where = [...new Set(results.map((r) => r.backend))].join(", ");
  if (results.length === 0) return `no test blocks in ${files.length} file${files.length === 1 ? "" : "s"}\n`;
  return `${results.length - failed} passed, ${failed} failed, on ${where}\n`;
}
