/** `ggsl test`: runs the `test` blocks of files on a list of backends. */
import { InvalidArgumentError, type Command } from "commander";
import { visible } from "@ggsl/compiler/syntax/visible.js";
import { EVALUATE_BACKENDS, type EvaluateBackend } from "ggsl/evaluate.js";
import { runTests, type Difference, type TestResult } from "ggsl/testing.js";
import { CompileError } from "@ggsl/compiler/check/diagnostics.js";
import { InputError } from "ggsl/errors.js";
import type { GivenVocabulary } from "ggsl/features/vocabulary.js";
import { formatTable } from "ggsl/table.js";
import { importerFor, readSource } from "../files.js";
import { CHILD, failureOf, isGpu, resultsInChildren } from "../testChildren.js";
import { deviceOption, jsonOption, rootOption, strictOption, vocabOption } from "../usage.js";
import { readVocabulary } from "../vocabulary.js";

interface Options {
  readonly backend: EvaluateBackend[];
  readonly device?: number | string;
  readonly strict?: true;
  readonly root?: string;
  readonly vocab?: string;
  readonly json?: true;
}

export const addTest = (program: Command): Command =>
  program
    .command("test")
    .description("run the test blocks of files")
    .argument("<files...>", "GGSL files")
    .option("--backend <list>", `backends, comma-separated: ${EVALUATE_BACKENDS.join(", ")}`, backends, ["auto"])
    .addOption(deviceOption())
    .addOption(strictOption())
    .addOption(rootOption())
    .addOption(vocabOption())
    .addOption(jsonOption())
    .action(async (files: string[], options: Options) => {
      const results = await resultsOf(files, options);
      const failed = results.filter((r) => r.differences.length > 0);
      if (options.json)
        process.stdout.write(
          `${JSON.stringify({ passed: results.length - failed.length, failed: failed.length, results })}\n`,
        );
      else
        process.stdout.write(`${visible(failed.map(failureText).join("\n"))}${summary(files, results, failed.length)}`);
      if (failed.length > 0) process.exitCode = 1;
    });

/** Tests on a GPU run in child processes. */
async function resultsOf(files: readonly string[], options: Options): Promise<TestResult[]> {
  const here = options.backend.filter((backend) => !isGpu(backend));
  const there = options.backend.filter(isGpu);
  const child = process.env[CHILD];
  const vocabulary = here.length > 0 || child !== undefined ? await readVocabulary(options.vocab) : undefined;
  const given = { ...options, vocabulary };
  const results = here.length > 0 ? files.flatMap((name) => resultsHere(name, here, given)) : [];
  if (there.length === 0) return results;
  if (child !== undefined) {
    const only = child === "" ? undefined : Number(child);
    return files.flatMap((name) => resultsHere(name, there, given, only));
  }
  for (const backend of there) results.push(...(await resultsInChildren(files, backend, options)));
  return results;
}

/** A file that cannot be read or compiled is one failure; the other files still run. */
function resultsHere(
  name: string,
  backends: readonly EvaluateBackend[],
  { device, strict, root, vocabulary }: Options & { readonly vocabulary: GivenVocabulary | undefined },
  only?: number,
): TestResult[] {
  try {
    return runTests({ name, text: readSource(name) }, backends, importerFor(name, root), {
      ...{ device, strict, only, vocabulary },
    });
  } catch (error) {
    if (!(error instanceof CompileError || error instanceof InputError)) throw error;
    return [failureOf(name, "it compiles", "compiler", error.message)];
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
