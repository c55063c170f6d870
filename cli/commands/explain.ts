/** `ggsl explain`: a chain stage by stage: ops, nodes, where it runs, bytes read back. */
import type { Command } from "commander";
import { explain, type Explanation } from "../../runtime/explain.js";
import { loadChain, type ChainOptions } from "../chain.js";
import { formatTable } from "../table.js";
import { atMost, disableOption, jsonOption, noOptimizeOption, setOption, stagesOption } from "../usage.js";

interface Options extends ChainOptions {
  readonly vocab: number;
  readonly json?: true;
}

export const addExplain = (program: Command): Command =>
  program
    .command("explain")
    .description("show a chain stage by stage: ops, nodes, where it runs, bytes read back")
    .argument("[file]", "GGSL file, or a compiled *.graph.json")
    .argument("[chain]", "the chain, if the file declares several")
    .addOption(stagesOption())
    .addOption(setOption())
    .option("--vocab <n>", "vocabulary size, for what depends on it", atMost(2 ** 24), 32000)
    .addOption(noOptimizeOption())
    .addOption(disableOption())
    .addOption(jsonOption())
    .action((file: string | undefined, name: string | undefined, options: Options) => {
      const explanation = explain(loadChain(file, name, options).graph, options.vocab);
      process.stdout.write(options.json ? `${JSON.stringify(explanation)}\n` : textOf(explanation));
    });

function textOf(e: Explanation): string {
  const rows = e.stages.map((s) => [s.name, s.device, `${s.nodes}`, s.rows, s.ops.join(" ")]);
  const table = formatTable(["stage", "device", "nodes", "rows after", "ops"], rows);
  const counted = e.isMeasured
    ? "in ggml's graph"
    : "in the spec (the native runtime, which counts in ggml's graph, is not built)";
  const tail = e.stages.find((s) => s.device === "host");
  const boundary = tail ? `${e.readbackBytes} bytes cross to the host before ${tail.name}\n` : "";
  return `${table}\n${boundary}${e.nodes} nodes, ${e.nodesWithoutViews} without views and reshapes, ${counted}\n${e.readbackBytes} bytes read back per token\n`;
}
