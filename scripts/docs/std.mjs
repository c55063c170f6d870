/**
 * docs/std.md, the reference of the standard library, from the files in compiler/std and from the graphs that the samplers compile
 * to.
 */
import { compileProgram, graphOf } from "@ggsl/compiler/compile.js";
import { launches } from "@ggsl/compiler/graph/ops.js";
import { STD_SAMPLERS } from "@ggsl/compiler/std/samplers.js";

/** What llama.cpp runs on the device that holds the logits. Its other samplers run on the CPU. */
const ON_DEVICE = "greedy dist top_k top_p min_p temp temp_ext penalties logit_bias".split(" ");

const INTRODUCTION = `# The standard library

Every sampler of the standard library: \`import { top_k, dist } from "std"\`. The tests beside each in \`compiler/std/\` show more of
what it does. This page is made by \`npm run docs\`.

A parameter marked \`static\` is known when compiling; all others may also be uniforms, which change from token to token.
"Nodes" are the nodes of the graph that the sampler alone compiles to, views and reshapes apart: with its defaults, which are
folded, and with every parameter that may be one as a uniform. In a chain there are often
fewer, because samplers share what they compute.
"llama.cpp" says whether llama.cpp has the sampler and runs it on the device that holds the logits, too, or on the CPU only.
`;

const oneLine = (text) => text.replace(/\s+/g, " ").trim();
const textOf = ({ span }) => span.source.text.slice(span.start, span.end);
/** In a table a bar would end the cell. */
const cell = (text) => text.replaceAll("|", "\\|");

/** The sampler without its doc comment. */
function codeOf({ name, declaration: { span } }) {
  const { text } = span.source;
  return text.slice(text.indexOf(`sampler ${name}(`), span.end).trim();
}

/** The first sentence, or what comes before its semicolon. */
const meaningOf = ({ doc }) => doc.match(/^.*?(?=[.;](\s|$))/)?.[0] ?? doc;

function peerOf({ name, peer }) {
  if (ON_DEVICE.includes(name)) return "device";
  return peer === undefined ? "no" : "CPU";
}

/** Nodes that do something, with the defaults or with uniforms; seeds are fixed, so that nothing is random. */
function countNodes({ name, picks, declaration: { params } }, withUniforms) {
  const isUniform = (p) => withUniforms && !p.isStatic && ["f32", "i32", "bool"].includes(p.type);
  const uniforms = params.filter(isUniform).map(textOf);
  const args = params.flatMap((p) => {
    if (p.type === "seed") return [`${p.name.text}: 42`];
    return isUniform(p) ? [`${p.name.text}: ${p.name.text}`] : [];
  });
  const chain = `import { ${name} } from "std"\nchain c(${uniforms.join(", ")}) = ${name}(${args.join(", ")})\n`;
  const outputs = picks ? ["sampled"] : ["candidates", "logits"];
  return graphOf(compileProgram(chain, { outputs })).nodes.filter(launches).length;
}

function rowOf(sampler) {
  const { name, declaration, from, nodes } = sampler;
  const list = declaration.params.map((p) => `\`${oneLine(textOf(p))}\``).join("<br>");
  const cells = [`[${name}](#${name})`, list, meaningOf(sampler), from, peerOf(sampler), `${nodes[0]} / ${nodes[1]}`];
  return `| ${cells.map(cell).join(" | ")} |`;
}

const PEERS = {
  device: "llama.cpp runs it on the device, too.",
  CPU: "llama.cpp runs it on the CPU only.",
  no: "llama.cpp has no such sampler.",
};

function sectionOf(sampler) {
  const { name, doc, from, example, nodes } = sampler;
  const count = `${nodes[0]} nodes with the defaults, ${nodes[1]} with uniforms.`;
  return `## ${name}\n\n${doc}\n\nSource: ${from}\n\nExample: \`${example}\`.\n\n\`\`\`ggsl\n${codeOf(sampler)}\n\`\`\`\n\n${count} ${PEERS[peerOf(sampler)]}\n`;
}

export function page() {
  const samplers = STD_SAMPLERS.map((s) => ({ ...s, nodes: [countNodes(s, false), countNodes(s, true)] }));
  const head =
    "| sampler | parameters | meaning | source | llama.cpp | nodes |\n| --- | --- | --- | --- | --- | --- |\n";
  return `${INTRODUCTION}\n${head}${samplers.map(rowOf).join("\n")}\n\n${samplers.map(sectionOf).join("\n")}`;
}
