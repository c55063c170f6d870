/** docs/optimizer.md: every optimization, with an example's graph without and with it. */
import {
  compileProgram,
  compileStages,
  graphOf,
  OPTIMIZATIONS,
  PASSES,
  type CompileOptions,
} from "@ggsl/compiler/driver.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { launches } from "@ggsl/compiler/graph/ops.js";
import { printGraph } from "@ggsl/compiler/graph/text.js";
import type { Optimization } from "@ggsl/compiler/graph/optimization.js";
import { fill, table } from "../lib/markdown.js";

const isProgram = (example: string): boolean => example.includes("chain ");

function graph(example: string, options: CompileOptions): Graph {
  return graphOf((isProgram(example) ? compileProgram : compileStages)(example, options));
}

const countNodes = ({ nodes }: Graph): string => `${nodes.filter(launches).length}`;

const textOf = (g: Graph): string =>
  printGraph(g)
    .replace(/ *\/\/ .*$/gm, "")
    .trim();

function sectionOf({ name, doc, example }: Optimization): string {
  const [off, on] = [graph(example, { disable: [name] }), graph(example, {})];
  return fill("optimizer-section.md", {
    name,
    doc: `${doc.charAt(0).toUpperCase()}${doc.slice(1)}.`,
    example: isProgram(example) ? `\`\`\`ggsl\n${example.trim()}\n\`\`\`` : `\`${example}\``,
    nodesOff: countNodes(off),
    graphOff: textOf(off),
    nodesOn: countNodes(on),
    graphOn: textOf(on),
  });
}

export function page(): string {
  const passes = PASSES.map(({ name }) => name);
  const all = [...OPTIMIZATIONS.values()];
  const rows = all.map(({ name, doc }) => [`[${name}](#${name})`, passes.includes(name) ? "pass" : "rule", doc]);
  return fill("optimizer.md", {
    table: table(["name", "kind", "what it does"], rows),
    sections: all.map(sectionOf).join("\n").trimEnd(),
  });
}
