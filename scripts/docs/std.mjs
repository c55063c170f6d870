/**
 * docs/std.md, the reference of the standard library, from the doc comments in compiler/std/*.ggsl and from the graphs that the
 * samplers compile to.
 */
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileProgram, graphOf } from "@ggsl/compiler/driver.js";
import { launches } from "@ggsl/compiler/graph/ops.js";
import { parse } from "@ggsl/compiler/syntax/parse.js";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const FOLDER = join(root, "compiler/std");

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

function readSampler(file) {
  const source = { name: `compiler/std/${file}`, text: readFileSync(join(FOLDER, file), "utf8") };
  const sampler = parse(source).file.declarations.find((d) => d.kind === "sampler");
  const [doc, from] = (sampler?.doc ?? "").split(/^Source: /m);
  if (!doc || !from) throw new Error(`${source.name}: the sampler's doc comment needs a line "Source: ..."`);
  const name = sampler.name.text;
  const text = source.text.slice(source.text.indexOf(`sampler ${name}(`), sampler.span.end).trim();
  return { name, doc: oneLine(doc), from: oneLine(from), text, params: sampler.params, body: sampler.body };
}

/** The first sentence, or what comes before its semicolon. */
const meaningOf = ({ doc }) => doc.match(/^.*?(?=[.;](\s|$))/)?.[0] ?? doc;

function peerOf({ name, from }) {
  if (ON_DEVICE.includes(name)) return "device";
  return from.includes("llama.cpp") ? "CPU" : "no";
}

/** Nodes that do something, with the defaults or with uniforms; seeds are fixed, so that nothing is random. */
function countNodes({ name, params, body }, withUniforms) {
  const isUniform = (p) => withUniforms && !p.isStatic && ["f32", "i32", "bool"].includes(p.type);
  const uniforms = params.filter(isUniform).map(textOf);
  const args = params.flatMap((p) => {
    if (p.type === "seed") return [`${p.name.text}: 42`];
    return isUniform(p) ? [`${p.name.text}: ${p.name.text}`] : [];
  });
  const chain = `import { ${name} } from "std"\nchain c(${uniforms.join(", ")}) = ${name}(${args.join(", ")})\n`;
  const outputs = body.some((s) => s.kind === "pick") ? ["sampled"] : ["candidates", "logits"];
  return graphOf(compileProgram(chain, { outputs })).nodes.filter(launches).length;
}

function rowOf(sampler) {
  const { name, params, from, nodes } = sampler;
  const list = params.map((p) => `\`${oneLine(textOf(p))}\``).join("<br>");
  const cells = [`[${name}](#${name})`, list, meaningOf(sampler), from, peerOf(sampler), `${nodes[0]} / ${nodes[1]}`];
  return `| ${cells.map(cell).join(" | ")} |`;
}

const PEERS = {
  device: "llama.cpp runs it on the device, too.",
  CPU: "llama.cpp runs it on the CPU only.",
  no: "llama.cpp has no such sampler.",
};

function sectionOf(sampler) {
  const { name, doc, from, text, nodes } = sampler;
  const count = `${nodes[0]} nodes with the defaults, ${nodes[1]} with uniforms.`;
  return `## ${name}\n\n${doc}\n\nSource: ${from}\n\n\`\`\`ggsl\n${text}\n\`\`\`\n\n${count} ${PEERS[peerOf(sampler)]}\n`;
}

export function page() {
  const samplers = readdirSync(FOLDER)
    .filter((file) => file.endsWith(".ggsl"))
    .sort()
    .map(readSampler)
    .map((s) => ({ ...s, nodes: [countNodes(s, false), countNodes(s, true)] }));
  const head =
    "| sampler | parameters | meaning | source | llama.cpp | nodes |\n| --- | --- | --- | --- | --- | --- |\n";
  return `${INTRODUCTION}\n${head}${samplers.map(rowOf).join("\n")}\n\n${samplers.map(sectionOf).join("\n")}`;
}
