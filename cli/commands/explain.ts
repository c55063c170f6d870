/** `ggsl explain`: the ops, nodes, device and readback bytes of each stage. */
import { Option, type Command } from "commander";
import { OPTIMIZATIONS } from "@ggsl/compiler/driver.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { contributions } from "@ggsl/compiler/contributions.js";
import { DEVICE_BACKENDS, type DeviceBackend } from "ggsl/backends/devices/locate.js";
import { explain } from "ggsl/chain/explain.js";
import { explanationText, type Explanation } from "ggsl/chain/explainGraph.js";
import { chainSource, compileChain, type ChainOptions, type ChainSource } from "../chain.js";
import { writeOutput } from "../files.js";
import { writePage, type Page } from "../html/page.js";
import { nameOf, stdinPathOption } from "../programs.js";
import {
  chainArgument,
  atMost,
  deviceOption,
  disableOption,
  jsonOption,
  limitsOption,
  noOptimizeOption,
  rootOption,
  positive,
  setOption,
  stagesOption,
  strictOption,
  UsageError,
} from "../usage.js";
import { print } from "../terminal.js";

interface Options extends ChainOptions {
  readonly vocab: number;
  readonly backend: DeviceBackend;
  readonly device?: number | string;
  readonly rpc?: string;
  readonly strict?: true;
  readonly json?: true;
  readonly html?: true;
  readonly stage?: number;
  readonly drawing?: true;
  readonly output?: string;
}

export const addExplain = (command: Command): Command =>
  command
    .addArgument(chainArgument())
    .argument("[chain]", "the chain, if the file declares several")
    .addOption(stagesOption())
    .addOption(stdinPathOption())
    .addOption(setOption())
    .addOption(rootOption())
    .option("--vocab <n>", "vocabulary size", atMost(2 ** 24), 32000)
    .addOption(
      new Option("--backend <name>", "the backend that would run the chain").choices(DEVICE_BACKENDS).default("cpu"),
    )
    .addOption(deviceOption())
    .addOption(
      new Option(
        "--rpc <worker>",
        "a worker instead of a device: HOST:PORT[=cpu|vulkan|cuda|other]; it need not run",
      ).conflicts(["backend", "device"]),
    )
    .addOption(strictOption())
    .addOption(noOptimizeOption())
    .addOption(disableOption())
    .addOption(limitsOption())
    .addOption(jsonOption().conflicts("html"))
    .option("--html", "write a self-contained page: tables, a drawing, the graph before and after optimization")
    .option(
      "--stage <n>",
      "only this stage, counted from 1; those of a chain within the chain are counted too",
      positive,
    )
    .addOption(new Option("--drawing", "with --html: only the drawing of the graph").conflicts(["json", "stage"]))
    .option("-o, --output <file>", "write to a file instead of standard output")
    .action((file: string | undefined, name: string | undefined, options: Options) => {
      const { backend, device, rpc: server, strict, output } = options;
      const source = chainSource(file, name, options);
      const chain = compileChain(source);
      if (options.drawing && !options.html) throw new UsageError("--drawing needs --html");
      const whole = explain(chain.graph, options.vocab, { backend, device, server, strict });
      if (options.stage !== undefined && options.stage > whole.stages.length)
        throw new UsageError(`the chain has ${whole.stages.length} stages, found --stage ${options.stage}`);
      const text = options.html
        ? writePage(pageOf(source, chain.graph, whole, fileText(file, options), options))
        : options.json
          ? `${JSON.stringify(stageOf(whole, options))}\n`
          : textOf(stageOf(whole, options));
      if (output !== undefined) writeOutput(output, text);
      else if (options.html || options.json) process.stdout.write(text);
      else print(text);
    });

const fileText = (file: string | undefined, options: Options): string =>
  file === undefined ? `-e ${options.stages}` : nameOf(file, options);

/** With `--stage`, the explanation with only this stage; the other numbers are those of the chain. */
const stageOf = (whole: Explanation, { stage }: Options): Explanation =>
  stage === undefined ? whole : { ...whole, stages: whole.stages.slice(stage - 1, stage) };

function pageOf(from: ChainSource, graph: Graph, explanation: Explanation, source: string, options: Options): Page {
  const { vocab: vocabSize, optimize, disable = [] } = options;
  const stage = options.stage === undefined ? undefined : options.stage - 1;
  const common = { source, graph, explanation, vocabSize, stage, isDrawing: options.drawing };
  if (!from.hasVariants) return common;
  const disabled = optimize === false ? [...OPTIMIZATIONS.keys()] : disable;
  const without = (disable: readonly string[]): Graph => from.compile({ disable }).graph;
  return {
    ...common,
    plain: from.compile({ optimize: false }).graph,
    contributions: contributions(graph, without, disabled),
  };
}

function textOf(e: Explanation): string {
  const counted = e.isMeasured
    ? "in ggml's graph"
    : "in the spec (counting in ggml's graph needs the native runtime, which is not built)";
  return explanationText(e, counted);
}
