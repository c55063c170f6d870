/** `ggsl compile`: compiles a chain to its graph. */
import { Option, type Command } from "commander";
import { printDot } from "@ggsl/compiler/graph/dot.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { writeSpec } from "@ggsl/compiler/graph/json.js";
import { printGraph } from "@ggsl/compiler/graph/text.js";
import { visible } from "@ggsl/compiler/syntax/visible.js";
import { loadChain, type ChainOptions } from "../chain.js";
import { writeText } from "../files.js";
import { disableOption, limitsOption, noOptimizeOption, rootOption, setOption, stagesOption } from "../usage.js";

const EMITTERS: Readonly<Record<string, (graph: Graph) => string>> = {
  json: writeSpec,
  text: (graph) => visible(printGraph(graph)),
  dot: (graph) => visible(printDot(graph)),
};

interface Options extends ChainOptions {
  readonly emit: string;
  readonly output?: string;
}

export const addCompile = (program: Command): Command =>
  program
    .command("compile")
    .description("compile a chain to a graph")
    .argument("[file]", "GGSL file")
    .argument("[chain]", "the chain, if the file declares several")
    .addOption(stagesOption())
    .addOption(setOption())
    .addOption(rootOption())
    .addOption(new Option("--emit <form>", "the form to write").choices(Object.keys(EMITTERS)).default("json"))
    .option("-o, --output <file>", "write to a file instead of standard output")
    .addOption(noOptimizeOption())
    .addOption(disableOption())
    .addOption(limitsOption())
    .action((file: string | undefined, name: string | undefined, options: Options) => {
      const text = EMITTERS[options.emit]!(loadChain(file, name, options).graph);
      if (options.output === undefined) process.stdout.write(text);
      else writeText(options.output, text);
    });
