/** `ggsl eval`: evaluates a chain on given numbers. */
import { Option, type Command } from "commander";
import {
  createEvaluator,
  EVALUATE_BACKENDS,
  type EvaluateBackend,
  type Evaluation,
  type Evaluator,
} from "ggsl/chain/evaluate.js";
import { takesDraws } from "ggsl/sequence/streams.js";
import { formatTable } from "ggsl/core/table.js";
import { loadChain, type ChainOptions } from "../chain.js";
import { biasOption, feedOf, inputOption, type FeedFlags } from "../feeds.js";
import { logitsOf, NUMBER_FORMS, readNumbers, readTokens } from "../numbers.js";
import { reportSplit } from "../split.js";
import {
  chainArgument,
  atMost,
  deviceOption,
  jsonOption,
  limitsOption,
  seedOption,
  rootOption,
  setOption,
  stagesOption,
  strictOption,
  UsageError,
  vocabOption,
} from "../usage.js";
import { readVocabulary } from "../vocabulary.js";
import { watch, watchOption } from "../watch.js";

interface Options extends ChainOptions, FeedFlags {
  readonly logits?: string;
  readonly probs?: string;
  readonly history?: string;
  readonly uniform?: string;
  readonly backend: EvaluateBackend;
  readonly device?: number | string;
  readonly strict?: true;
  readonly vocab?: string;
  readonly steps?: number;
  readonly json?: true;
  readonly watch?: true;
}

export const addEval = (command: Command): Command =>
  command
    .addArgument(chainArgument())
    .argument("[chain]", "the chain, if the file declares several")
    .addOption(stagesOption())
    .option("--logits <list|file>", `logits: ${NUMBER_FORMS}`)
    .option("--probs <list|file>", "probabilities, in the same forms")
    .option("--history <list|file>", "token ids of the text so far")
    .addOption(seedOption())
    .option("--uniform <list>", "numbers in [0, 1] that replace the chain's draws, see docs/testing.md")
    .addOption(setOption())
    .addOption(limitsOption())
    .addOption(rootOption())
    .addOption(new Option("--backend <name>", "the backend to run on").choices(EVALUATE_BACKENDS).default("auto"))
    .addOption(deviceOption())
    .addOption(strictOption())
    .addOption(biasOption())
    .addOption(inputOption())
    .addOption(vocabOption())
    .option("--steps <n>", "repeat with the same logits, accepting each token", atMost(1_000_000))
    .addOption(jsonOption())
    .addOption(watchOption())
    .action((file: string | undefined, name: string | undefined, options: Options) => {
      if ((options.logits === undefined) === (options.probs === undefined))
        throw new UsageError("expected either --logits or --probs");
      const once = (): Promise<void> => evaluate(file, name, options);
      return options.watch ? watch(once, { words: file === "-" ? [file] : [], isJson: options.json === true }) : once();
    });

async function evaluate(file: string | undefined, name: string | undefined, options: Options): Promise<void> {
  const chain = loadChain(file, name, options);
  const logits =
    options.logits === undefined
      ? logitsOf(readNumbers(options.probs!, "--probs"))
      : readNumbers(options.logits, "--logits");
  const graph = chain.rowsGraph;
  const vocabulary = await readVocabulary(options.vocab);
  if (options.uniform !== undefined && !takesDraws(graph))
    throw new UsageError(`--uniform replaces draws, and the chain \`${graph.name}\` has none: leave it out`);
  using evaluator = createEvaluator(graph, logits.length, {
    backend: options.backend,
    device: options.device,
    strict: options.strict,
    draws: options.uniform === undefined ? undefined : [...readNumbers(options.uniform, "--uniform")],
    history: options.history === undefined ? [] : readTokens(options.history, "--history"),
    feed: { ...feedOf(graph, options), ...(vocabulary && { vocabulary }) },
  });
  reportSplit(evaluator.split);
  const first = step(evaluator, logits);
  const tokens = [first.token];
  for (let i = 1; i < (options.steps ?? 1); i++) tokens.push(step(evaluator, logits).token);
  const shown = options.steps === undefined ? undefined : tokens;
  process.stdout.write(options.json ? jsonOf(first, shown) : textOf(first, shown));
}

/** Evaluates once and accepts the token. */
function step(evaluator: Evaluator, logits: Float32Array): Evaluation {
  const evaluation = evaluator.evaluate(logits);
  if (evaluation.token !== null) evaluator.accept();
  return evaluation;
}

const jsonOf = (evaluation: Evaluation, tokens: readonly (number | null)[] | undefined): string =>
  `${JSON.stringify({ ...evaluation, ...(tokens && { tokens }) })}\n`;

function textOf(
  { backend, token, candidates, measures = {}, stop }: Evaluation,
  tokens: readonly (number | null)[] | undefined,
): string {
  const rows = candidates.map((c) => [`${c.token}`, c.logit.toFixed(4), c.prob.toFixed(4), bar(c.prob, candidates)]);
  const picked = token === null ? "the chain picks no token" : `token ${token}`;
  const more = tokens ? `tokens ${tokens.join(" ")}\n` : "";
  const measured = Object.entries(measures).map(([name, value]) => `${name} ${value.toFixed(4)}\n`);
  const ends = stop === undefined ? "" : `the text ends: stop ${JSON.stringify(stop)}\n`;
  return `${formatTable(["token", "logit", "prob", ""], rows)}${picked}, on ${backend}\n${measured.join("")}${ends}${more}`;
}

/** A bar with a length in proportion to the probability: 30 characters for the likeliest row. */
function bar(prob: number, candidates: Evaluation["candidates"]): string {
  const most = candidates.reduce((a, c) => Math.max(a, c.prob), 0);
  // a half is rounded down, whichever side of it the last digit of an f32 is
  return "█".repeat(Math.round((30 * prob) / most - 1e-4));
}
