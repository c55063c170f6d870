/** `ggsl compare`: texts of several chains with the same prompt and seeds, and what is measured on them. */
import { basename } from "node:path";
import { InvalidArgumentError, Option, type Command } from "commander";
import { hasOpenSeed } from "@ggsl/compiler/graph/seeds.js";
import { MAX_SEQUENCES } from "ggsl/generation/request.js";
import { compareChains } from "ggsl/compare/compare.js";
import type { Comparison } from "ggsl/compare/comparison.js";
import { writeCsv } from "ggsl/compare/csv.js";
import { DEFAULTS, MOST, type CompareProgress, type ComparedChain } from "ggsl/compare/options.js";
import { demoModel } from "ggsl/models/demo.js";
import { drawFigure } from "ggsl/compare/plot/figure.js";
import { compareText } from "ggsl/compare/table.js";
import type { Model } from "ggsl/models/model.js";
import { assignment } from "../assignment.js";
import { comparedChains, type ChainsOptions, type Variation } from "../compare/chains.js";
import { endable } from "../ending.js";
import { checkOutput, writeOutput } from "../files.js";
import { addGrammarOptions, readGrammar } from "../grammar.js";
import { comparisonPage } from "../html/comparison.js";
import { addModelOptions, settingsOf, type ModelFlags } from "../modelOptions.js";
import { programsOf } from "../programs.js";
import { loadShown, progressLine } from "../progress.js";
import {
  atMost,
  chainsArgument,
  collected,
  jsonOption,
  limitsOption,
  rootOption,
  seed,
  setChainsOption,
  stagesOption,
  UsageError,
} from "../usage.js";
import { print, say } from "../terminal.js";

interface Options extends ChainsOptions, ModelFlags {
  readonly model: string;
  readonly prompt: string;
  readonly special?: true;
  readonly texts: number;
  readonly tokens: number;
  readonly seed: number;
  readonly sequences: number;
  readonly csv?: string;
  readonly svg?: string;
  readonly html?: string;
  readonly json?: true;
}

export const addCompare = (command: Command): Command =>
  addGrammarOptions(addModelOptions(command))
    .addArgument(chainsArgument())
    .addOption(stagesOption("a chain of standard samplers, beside those of FILES; repeatable").argParser(collected))
    .option("--chain <name>", "a chain of FILES, of which all that pick a token are compared; repeatable", collected)
    .addOption(setChainsOption())
    .option("--vary <name=values>", "compare chains with several values of a parameter, as in t=0.5,1,1.5", variation)
    .addOption(limitsOption())
    .addOption(rootOption())
    .addOption(new Option("-m, --model <gguf>", "the model file").default(demoModel(), "the demo model"))
    .option("-p, --prompt <text>", "the beginning of the texts", "In the beginning")
    .option("--special", "read special tokens in the prompt, such as <|im_start|>, as these tokens")
    .option("--texts <n>", `texts of each chain, at most ${MOST.texts}`, atMost(MOST.texts), DEFAULTS.texts)
    .option(
      "-n, --tokens <n>",
      `the most tokens of a text, at most ${MOST.tokens}`,
      atMost(MOST.tokens),
      DEFAULTS.tokens,
    )
    .option("--seed <n>", "the seed of the first texts; the next ones have the next seeds", seed, DEFAULTS.seed)
    .option("--sequences <n>", "texts that are written at the same time", atMost(MAX_SEQUENCES), DEFAULTS.sequences)
    .option("--csv <file>", "write the measures and the curves as CSV")
    .option("--svg <file>", "write the figure")
    .option("--html <file>", "write a self-contained page: table, figure and texts")
    .addOption(jsonOption())
    .action((files: string[], options: Options) => endable((signal) => run(files, options, signal)));

const VARIATION = assignment("([^]+)");

/** Reads `NAME=VALUE,VALUE`. */
function variation(text: string): Variation {
  const [, name, list = ""] = VARIATION.exec(text) ?? [];
  const values = list.split(",").map((value) => (value.trim() === "" ? NaN : Number(value)));
  if (name === undefined || values.some(Number.isNaN))
    throw new InvalidArgumentError("Expected NAME=NUMBER,NUMBER, as in t=0.5,1.");
  return { name, values };
}

async function run(words: readonly string[], options: Options, signal: AbortSignal): Promise<void> {
  checkOutputs(options);
  if (words.length === 0 && !options.stages) throw new UsageError("expected FILES or -e STAGES to compare");
  const grammar = readGrammar(options);
  // reports errors in programs before a large model is loaded
  const chains = comparedChains(await programsOf(words), options, grammar);
  for (const { name, chain } of chains)
    if (!hasOpenSeed(chain.graph))
      say(`warning: \`${name}\` has no draws, or fixes all its seeds: its texts do not depend on the seed\n`);
  using model = await loadShown(options.model, { ...settingsOf(options), signal });
  const comparison = await compareShown(model, chains, options, signal);
  if (comparison) write(comparison, model, options);
}

/** After an abort of the signal it is the comparison of the texts that had ended, if there are any. */
async function compareShown(
  model: Model,
  chains: readonly ComparedChain[],
  options: Options,
  signal: AbortSignal,
): Promise<Comparison | undefined> {
  const { prompt, texts, tokens, seed: first, sequences, ctxSize, strict, special } = options;
  const line = progressLine("writing texts");
  let latest: CompareProgress | undefined;
  try {
    return await compareChains(model, prompt, {
      chains,
      texts,
      tokens,
      seed: first,
      sequences,
      contextSize: ctxSize,
      strict,
      special,
      signal,
      onProgress(progress) {
        latest = progress;
        line.report(progress.fraction);
      },
    });
  } catch (error) {
    if (!signal.aborted) throw error;
    line.clear();
    const count = latest?.texts ?? 0;
    say(`interrupted: ${count} of ${texts} texts of each chain had ended\n`);
    return latest?.comparison();
  } finally {
    line.clear();
  }
}

const FILES = ["csv", "svg", "html"] as const;

/** Wrong usage if two outputs are standard output; an error if a file cannot be written. */
function checkOutputs(options: Options): void {
  for (const name of FILES) if (options[name] !== undefined) checkOutput(options[name]);
  const there = [...FILES.filter((name) => options[name] === "-"), ...(options.json ? ["json"] : [])];
  if (there.length > 1)
    throw new UsageError(
      `standard output can have one form, and ${there.map((name) => `--${name}`).join(" and ")} are given`,
    );
}

function write(comparison: Comparison, model: Model, options: Options): void {
  const forms: Readonly<Record<(typeof FILES)[number], () => string>> = {
    csv: () => writeCsv(comparison),
    svg: () => drawFigure(comparison),
    html: () => comparisonPage(comparison, `${basename(options.model)}, on ${model.backend}`),
  };
  for (const name of FILES) {
    const file = options[name];
    if (file === undefined) continue;
    writeOutput(file, forms[name]());
    if (file !== "-") say(`wrote ${file}\n`);
  }
  if (options.json) process.stdout.write(`${JSON.stringify({ backend: model.backend, ...comparison })}\n`);
  else if (!FILES.some((name) => options[name] === "-")) print(compareText(comparison));
}
