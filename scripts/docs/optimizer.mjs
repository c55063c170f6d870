/** docs/optimizer.md: every optimization with the graph of an example without and with it. */
import { compileProgram, compileStages, graphOf, OPTIMIZATIONS, PASSES } from "@ggsl/compiler/driver.js";
import { launches } from "@ggsl/compiler/graph/ops.js";
import { printGraph } from "@ggsl/compiler/graph/text.js";

const INTRODUCTION = `# The optimizer

The compiler sees the whole chain, and makes the graph as short as it can. Every optimization has a name and can be switched
off: \`ggsl compile --disable NAME\` and \`ggsl explain --disable NAME\` (repeatable), \`--no-optimize\` for all of them, and in the API
\`compile(source, { disable: ["merge-masks"] })\` or \`{ optimize: false }\`. Whatever is off, the same rows are kept, probabilities are the
same to 1e-5, and the same draws give the same tokens: random programs are compiled both ways and compared.

There are two kinds. A *pass* is a function from graph to graph (\`compiler/optimize/\`, one a file); passes run in the order below.
A *rule* is a choice that lowering makes while it writes the graph, because it needs what a program means and a graph no
longer shows: that rows are in order, or that a condition holds for the best row.

Each section shows an example's graph with all optimizations but one, and with all of them. The number of nodes leaves views
apart, which move no data. The sources of the nodes are left out. This page is made by \`npm run docs\`.
`;

const isProgram = (example) => example.includes("chain ");

function graph(example, options) {
  return graphOf((isProgram(example) ? compileProgram : compileStages)(example, options));
}

const countNodes = ({ nodes }) => nodes.filter(launches).length;

const textOf = (g) =>
  printGraph(g)
    .replace(/ *\/\/ .*$/gm, "")
    .trim();

const block = (language, text) => `\`\`\`${language}\n${text}\n\`\`\`\n`;

function sectionOf({ name, doc, example }) {
  const [off, on] = [graph(example, { disable: [name] }), graph(example, {})];
  const source = isProgram(example) ? block("ggsl", example.trim()) : `\`${example}\`\n`;
  return `## ${name}

${doc[0].toUpperCase()}${doc.slice(1)}.

${source}
Without it, ${countNodes(off)} nodes:

${block("text", textOf(off))}
With it, ${countNodes(on)} nodes:

${block("text", textOf(on))}`;
}

export function page() {
  const passes = PASSES.map(({ name }) => name);
  const row = ({ name, doc }) => `| [${name}](#${name}) | ${passes.includes(name) ? "pass" : "rule"} | ${doc} |`;
  const all = [...OPTIMIZATIONS.values()];
  const table = `| name | kind | what it does |\n| --- | --- | --- |\n${all.map(row).join("\n")}\n`;
  return `${INTRODUCTION}\n${table}\n${all.map(sectionOf).join("\n")}`;
}
