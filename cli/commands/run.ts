/** `ggsl run`: text from a model, with the chain in its graph. */
import { Option, type Command } from "commander";
import type { GenerationStats } from "../../runtime/generate.js";
import { loadModel, MODEL_BACKENDS, type ModelBackend } from "../../runtime/model.js";
import { loadChain, type ChainOptions } from "../chain.js";
import { packageFile } from "../files.js";
import { atMost, jsonOption, positive, seedOption, setOption, stagesOption } from "../usage.js";

interface Options extends ChainOptions {
  readonly model: string;
  readonly prompt: string;
  readonly tokens: number;
  readonly backend: ModelBackend;
  readonly contextSize?: number;
  readonly stats?: true;
  readonly json?: true;
}

const DEMO_MODEL = packageFile("examples/model/demo-q8_0.gguf");

export const addRun = (program: Command): Command =>
  program
    .command("run")
    .description("generate text with a model")
    .argument("[file]", "GGSL file, or a compiled *.graph.json")
    .argument("[chain]", "the chain, if the file declares several")
    .addOption(stagesOption())
    .addOption(new Option("--model <gguf>", "the model").default(DEMO_MODEL, "the demo model"))
    .option("--prompt <text>", "what the text begins with", "In the beginning")
    .option("-n, --tokens <n>", "tokens to generate at most", positive, 128)
    .addOption(new Option("--backend <name>", "where to run").choices(MODEL_BACKENDS).default("auto"))
    .option(
      "--context-size <n>",
      "tokens of prompt and text together (default: what the model was trained for)",
      atMost(2 ** 24),
    )
    .addOption(seedOption())
    .addOption(setOption())
    .option("--stats", "print a line of facts after the text, on standard error")
    .addOption(jsonOption())
    .action(run);

async function run(file: string | undefined, name: string | undefined, options: Options): Promise<void> {
  const chain = loadChain(file, name, options);
  using model = await loadModel(options.model, { backend: options.backend });
  const abort = new AbortController();
  const onInterrupt = (): void => abort.abort();
  process.once("SIGINT", onInterrupt);
  const generation = model.generate(options.prompt, {
    chain,
    maxTokens: options.tokens,
    signal: abort.signal,
    ...(options.contextSize !== undefined && { contextSize: options.contextSize }),
  });
  const tokens: number[] = [];
  let text = "";
  try {
    for await (const piece of generation) {
      if (!options.json && tokens.length === 0) process.stdout.write(options.prompt);
      tokens.push(piece.token);
      text += piece.text;
      if (!options.json) process.stdout.write(piece.text);
    }
  } finally {
    process.removeListener("SIGINT", onInterrupt);
    if (!options.json && tokens.length > 0) process.stdout.write("\n");
  }
  const stats = generation.stats();
  if (options.json) process.stdout.write(`${JSON.stringify({ backend: model.backend, text, tokens, stats })}\n`);
  else if (options.stats) process.stderr.write(`${factsLine(model.backend, stats)}\n`);
}

function factsLine(backend: string, s: GenerationStats): string {
  return [
    `backend ${backend}`,
    `${s.nodes} nodes added to the graph (${s.nodesWithoutViews} without views)`,
    `${s.graphBuilds} graph builds`,
    `${s.readbackBytes} bytes read back per token`,
    `${s.tokensPerSecond.toFixed(0)} tokens/s`,
    `${s.generatedTokens} tokens, ended by ${s.finish}`,
  ].join(" | ");
}
