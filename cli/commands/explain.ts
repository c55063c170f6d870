/** `ggsl explain`: the ops, nodes, device and readback bytes of each stage. */
import { Option, type Command } from "commander";
import { OPTIMIZATIONS } from "@ggsl/compiler/driver.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { contributions } from "@ggsl/compiler/contributions.js";
import { DEVICE_BACKENDS, type DeviceBackend } from "ggsl/devices/locate.js";
import { explain } from "ggsl/explain.js";
import { explanationText, type Explanation } from "ggsl/explanation.js";
import { chainSource, compileChain, type ChainOptions, type ChainSource } from "../chain.js";
import { writeOutput } from "../files.js";
import { writePage, type Page } from "../html/page.js";
import {
  chainArgument,
  atMost,
  deviceOption,
  disableOption,
  jsonOption,
  limitsOption,
  noOptimizeOption,
  rootOption,
  setOption,
  stagesOption,
  strictOption,
} from "../usage.js";

interface Options extends ChainOptions {
  readonly vocab: number;
  readonly backend: DeviceBackend;
  readonly device?: number | string;
  readonly rpc?: string;
  readonly strict?: true;
  readonly json?: true;
  readonly html?: true;
  readonly output?: string;
}

export const addExplain = (command: Command): Command =>
  command
    .addArgument(chainArgument())
    .argument("[chain]", "the chain, if the file declares several")
    .addOption(stagesOption())
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
    .option("-o, --output <file>", "write to a file instead of standard output")
    .action((file: string | undefined, name: string | undefined, options: Options) => {
      const { backend, device, rpc: server, strict, output } = options;
      const source = chainSource(file, name, options);
      const chain = compileChain(source);
      const explanation = explain(chain.graph, options.vocab, { backend, device, server, strict });
      const text = options.html
        ? writePage(pageOf(source, chain.graph, explanation, file ?? `-e ${options.stages}`, options))
        : options.json
          ? `${JSON.stringify(explanation)}\n`
          : textOf(explanation);
      if (output === undefined) process.stdout.write(text);
      else writeOutput(output, text);
    });

function pageOf(from: ChainSource, graph: Graph, explanation: Explanation, source: string, options: Options): Page {
  const { vocab: vocabSize, optimize, disable = [] } = options;
  const common = { source, graph, explanation, vocabSize };
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
