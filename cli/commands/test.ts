/** `ggsl test`: runs the `test` blocks of files on a list of backends. */
import { InvalidArgumentError, Option, type Command } from "commander";
import { visible } from "@ggsl/compiler/source/visible.js";
import { EVALUATE_BACKENDS, type EvaluateBackend } from "ggsl/chain/evaluate.js";
import { eachTest, type Difference, type TestResult } from "ggsl/chain/testing.js";
import { CompileError } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { checkProgram } from "@ggsl/compiler/driver.js";
import { InputError } from "ggsl/core/errors.js";
import { nextTask } from "ggsl/core/nextTask.js";
import type { GivenVocabulary } from "ggsl/core/vocabulary.js";
import { formatTable } from "ggsl/core/table.js";
import { endable } from "../ending.js";
import { importerFor, readSource } from "../files.js";
import {
  checkStdinPath,
  nameOf,
  OR_PACKAGES,
  programsArgument,
  programsOf,
  stdinPathOption,
  type ProgramFlags,
} from "../programs.js";
import { statusLine } from "../progress.js";
import { CHILD, failureOf, isGpu, resultsInChildren } from "../testChildren.js";
import { deviceOption, jsonOption, positive, rootOption, strictOption, UsageError, vocabOption } from "../usage.js";
import { readVocabulary } from "../vocabulary.js";
import { watch, watchOption } from "../watch.js";
import { withValues } from "../values.js";
import { print, say } from "../terminal.js";

interface Options extends ProgramFlags {
  readonly backend: EvaluateBackend[];
  readonly device?: number | string;
  readonly strict?: true;
  readonly root?: string;
  readonly vocab?: string;
  readonly line?: number;
  readonly json?: true;
  readonly watch?: true;
}

export const addTest = (command: Command): Command =>
  command
    .addArgument(programsArgument(OR_PACKAGES))
    .addOption(backendsOption())
    .addOption(deviceOption())
    .addOption(strictOption())
    .addOption(rootOption())
    .addOption(stdinPathOption())
    .addOption(vocabOption())
    .option("--line <n>", "run only the test block on this line, of one file", positive)
    .addOption(jsonOption())
    .addOption(watchOption())
    .action((words: string[], options: Options) => {
      checkStdinPath(words, options);
      const once = (signal: AbortSignal): Promise<void> => test(words, options, signal);
      return options.watch ? watch(once, { words, isJson: options.json === true }) : endable(once);
    });

/** After an abort of the signal it prints the results until then; a watch has no use for them. */
async function test(words: readonly string[], options: Options, signal: AbortSignal): Promise<void> {
  const files = await programsOf(words, { packages: true });
  if (options.line !== undefined && files.length !== 1)
    throw new UsageError(`--line needs one file, found ${files.length}`);
  const progress = statusLine();
  const results = await resultsOf(files, { ...options, signal }, progress.show).finally(progress.clear);
  const isInterrupted = signal.aborted;
  if (isInterrupted && options.watch) return;
  const failed = results.filter((r) => r.differences.length > 0);
  if (options.json)
    process.stdout.write(
      `${JSON.stringify({
        passed: results.length - failed.length,
        failed: failed.length,
        results,
        ...(isInterrupted && { interrupted: true }),
      })}\n`,
    );
  else print(`${visible(failed.map(failureText).join("\n"))}${summary(files, results, failed.length)}`);
  if (isInterrupted) say("interrupted: the other tests did not run\n");
  if (failed.length > 0) process.exitCode = 1;
}

/** A run of all tests. */
interface Run extends Options {
  readonly signal: AbortSignal;
}

/** Tests on a GPU run in child processes. `show` gets the progress. */
async function resultsOf(files: readonly string[], options: Run, show: (text: string) => void): Promise<TestResult[]> {
  const here = options.backend.filter((backend) => !isGpu(backend));
  const there = options.backend.filter(isGpu);
  const child = process.env[CHILD];
  const isHere = here.length > 0 || child !== undefined;
  const vocabulary = isHere ? await readVocabulary(options.vocab) : undefined;
  // once, for all backends
  const input = files.includes("-") ? readSource("-") : undefined;
  const given = { ...options, vocabulary, input };
  const onFile = (index: number, backend: string): void =>
    show(`${backend}: ${index + 1} of ${files.length}, ${files[index]!}`);
  const results: TestResult[] = [];
  const add = (result: TestResult): void => void results.push(result);
  if (child !== undefined) {
    for (const file of files)
      await runHere(file, [...here, ...there], { ...given, only: child === "" ? undefined : +child }, add);
    return results;
  }
  if (here.length > 0)
    for (const [i, file] of files.entries()) {
      onFile(i, here.join(", "));
      await runHere(file, here, given, add);
      if (options.signal.aborted) break;
    }
  if (there.length > 0 && here.length === 0 && options.watch) files.forEach((file) => noteImports(file, options));
  for (const backend of there) {
    if (options.signal.aborted) break;
    for (const one of await resultsInChildren(files, backend, { ...options, input }, onFile)) results.push(one);
  }
  return results;
}

/** Reads what the children read, so that a watch knows of it. */
function noteImports(file: string, { root }: Options): void {
  try {
    checkProgram({ name: file, text: readSource(file) }, { importer: importerFor(file, root) });
  } catch (error) {
    // the child reports it
    if (!(error instanceof InputError)) throw error;
  }
}

interface Here extends Run {
  readonly vocabulary: GivenVocabulary | undefined;
  /** The text of the file `-`. */
  readonly input: string | undefined;
  readonly only?: number | undefined;
}

/** A file that cannot be read or compiled is one failure; the other files still run. */
async function runHere(
  file: string,
  backends: readonly EvaluateBackend[],
  { device, strict, root, stdinPath, vocabulary, input, only, line, signal }: Here,
  add: (result: TestResult) => void,
): Promise<void> {
  const name = nameOf(file, { stdinPath });
  try {
    const text = file === "-" ? input! : readSource(file);
    const options = { device, strict, only, line, vocabulary };
    for (const result of eachTest({ name, text }, backends, importerFor(name, root), options)) {
      add(result);
      // lets a signal end the run
      await nextTask();
      if (signal.aborted) return;
    }
  } catch (error) {
    if (!(error instanceof CompileError || error instanceof InputError)) throw error;
    add(failureOf(name, "it compiles", "compiler", error.message));
  }
}

const backendsOption = (): Option =>
  withValues(
    new Option("--backend <list>", `backends, comma-separated: ${EVALUATE_BACKENDS.join(", ")}`)
      .argParser(backends)
      .default(["auto"]),
    { words: EVALUATE_BACKENDS, isList: true },
  );

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
