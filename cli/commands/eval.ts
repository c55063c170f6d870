/** `ggsl eval`: a chain on given numbers. */
import { Option, type Command } from "commander";
import { createEvaluator, EVALUATE_BACKENDS, type EvaluateBackend, type Evaluation } from "../../runtime/evaluate.js";
import { loadChain, type ChainOptions } from "../chain.js";
import { logitsOf, readNumbers } from "../numbers.js";
import { formatTable } from "../table.js";
import { jsonOption, positive, seedOption, setOption, stagesOption, UsageError } from "../usage.js";

interface Options extends ChainOptions {
  readonly logits?: string;
  readonly probs?: string;
  readonly history?: string;
  readonly uniform?: string;
  readonly backend: EvaluateBackend;
  readonly steps?: number;
  readonly json?: true;
}

export const addEval = (program: Command): Command =>
  program
    .command("eval")
    .description("run a chain once on given numbers")
    .argument("[file]", "GGSL file, or a compiled *.graph.json")
    .argument("[chain]", "the chain, if the file declares several")
    .addOption(stagesOption())
    .option("--logits <list|file>", "logits: comma-separated, a JSON array, a raw .f32 file, or - for standard input")
    .option("--probs <list|file>", "probabilities, in the same forms")
    .option("--history <list|file>", "token ids before the one that is chosen")
    .addOption(seedOption())
    .option("--uniform <list>", "draws in [0, 1], one a step, in place of the chain's own")
    .addOption(setOption())
    .addOption(new Option("--backend <name>", "where to run").choices(EVALUATE_BACKENDS).default("auto"))
    .option("--steps <n>", "repeat with the same logits, accepting each token", positive)
    .addOption(jsonOption())
    .action((file: string | undefined, name: string | undefined, options: Options) => {
      if ((options.logits === undefined) === (options.probs === undefined))
        throw new UsageError("expected either --logits or --probs");
      const chain = loadChain(file, name, options);
      const logits =
        options.logits === undefined
          ? logitsOf(readNumbers(options.probs!, "--probs"))
          : readNumbers(options.logits, "--logits");
      const history = options.history === undefined ? [] : [...readNumbers(options.history, "--history")];
      const draws = options.uniform === undefined ? undefined : [...readNumbers(options.uniform, "--uniform")];
      using evaluator = createEvaluator(chain.rowsGraph, logits.length, { backend: options.backend, draws, history });
      const steps = Array.from({ length: options.steps ?? 1 }, () => {
        const evaluation = evaluator.evaluate(logits);
        if (evaluation.token !== null) evaluator.accept();
        return evaluation;
      });
      const tokens = options.steps === undefined ? undefined : steps.map((s) => s.token);
      process.stdout.write(options.json ? jsonOf(steps[0]!, tokens) : textOf(steps[0]!, tokens));
    });

const jsonOf = (evaluation: Evaluation, tokens: readonly (number | null)[] | undefined): string =>
  `${JSON.stringify({ ...evaluation, ...(tokens && { tokens }) })}\n`;

function textOf({ backend, token, candidates }: Evaluation, tokens: readonly (number | null)[] | undefined): string {
  const rows = candidates.map((c) => [`${c.token}`, c.logit.toFixed(4), c.prob.toFixed(4), bar(c.prob, candidates)]);
  const picked = token === null ? "the chain picks no token" : `token ${token}`;
  const more = tokens ? `tokens ${tokens.join(" ")}\n` : "";
  return `${formatTable(["token", "logit", "prob", ""], rows)}${picked}, on ${backend}\n${more}`;
}

/** A bar as long as the probability, the likeliest row 30 characters. */
function bar(prob: number, candidates: Evaluation["candidates"]): string {
  const most = candidates.reduce((a, c) => Math.max(a, c.prob), 0);
  return "█".repeat(Math.round((30 * prob) / most));
}
