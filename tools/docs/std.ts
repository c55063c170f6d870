/**
 * docs/std.md, the reference of the standard library, from the doc comments in compiler/std/*.ggsl and from the graphs that the
 * samplers compile to.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { compileProgram, graphOf } from "@ggsl/compiler/driver.js";
import { launches } from "@ggsl/compiler/graph/ops.js";
import type { Param, Sampler } from "@ggsl/compiler/syntax/ast.js";
import { parse } from "@ggsl/compiler/syntax/parse.js";
import { fill, table } from "../lib/markdown.js";
import { root } from "../lib/process.js";

const FOLDER = join(root, "compiler/std");

/** What llama.cpp runs on the device that holds the logits. Its other samplers run on the CPU. */
const ON_DEVICE = "greedy dist top_k top_p min_p temp temp_ext penalties logit_bias".split(" ");

interface Entry {
  readonly name: string;
  readonly doc: string;
  readonly from: string;
  /** The declaration without its comment. */
  readonly text: string;
  readonly sampler: Sampler;
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
const textOf = ({ span }: Param): string => span.source.text.slice(span.start, span.end);

function readSampler(file: string): Entry {
  const source = { name: `compiler/std/${file}`, text: readFileSync(join(FOLDER, file), "utf8") };
  const sampler = parse(source).file.declarations.find((d) => d.kind === "sampler");
  const [doc, from] = (sampler?.doc ?? "").split(/^Source: /m);
  if (!sampler || !doc || !from)
    throw new Error(`${source.name}: the sampler's doc comment needs a line "Source: ..."`);
  const name = sampler.name.text;
  const text = source.text.slice(source.text.indexOf(`sampler ${name}(`), sampler.span.end).trim();
  return { name, doc: oneLine(doc), from: oneLine(from), text, sampler };
}

/** The first sentence, or what comes before its semicolon. */
const meaningOf = ({ doc }: Entry): string => /^.*?(?=[.;](\s|$))/.exec(doc)?.[0] ?? doc;

function peerOf({ name, from }: Entry): "device" | "CPU" | "no" {
  if (ON_DEVICE.includes(name)) return "device";
  return from.includes("llama.cpp") ? "CPU" : "no";
}

/** Nodes that do something, with the defaults or with uniforms; seeds are fixed, so that nothing is random. */
function countNodes({ name, sampler: { params, body } }: Entry, withUniforms: boolean): number {
  const isUniform = (p: Param): boolean => withUniforms && !p.isStatic && ["f32", "i32", "bool"].includes(p.type);
  const uniforms = params.filter(isUniform).map(textOf);
  const args = params.flatMap((p) => {
    if (p.type === "seed") return [`${p.name.text}: 42`];
    return isUniform(p) ? [`${p.name.text}: ${p.name.text}`] : [];
  });
  const chain = `import { ${name} } from "std"\nchain c(${uniforms.join(", ")}) = ${name}(${args.join(", ")})\n`;
  const outputs = body.some((s) => s.kind === "pick") ? (["sampled"] as const) : (["candidates", "logits"] as const);
  return graphOf(compileProgram(chain, { outputs })).nodes.filter(launches).length;
}

interface Counts {
  readonly plain: number;
  readonly uniform: number;
}

function rowOf(entry: Entry, { plain, uniform }: Counts): string[] {
  const { name, sampler, from } = entry;
  const list = sampler.params.map((p) => `\`${oneLine(textOf(p))}\``).join("<br>");
  return [`[${name}](#${name})`, list, meaningOf(entry), from, peerOf(entry), `${plain} / ${uniform}`];
}

const PEERS = {
  device: "llama.cpp runs it on the device, too.",
  CPU: "llama.cpp runs it on the CPU only.",
  no: "llama.cpp has no such sampler.",
};

function sectionOf(entry: Entry, { plain, uniform }: Counts): string {
  const { name, doc, from, text } = entry;
  const counts = { plain: `${plain}`, uniform: `${uniform}` };
  return fill("std-sampler.md", { name, doc, from, text, ...counts, peer: PEERS[peerOf(entry)] });
}

export function page(): string {
  const samplers = readdirSync(FOLDER)
    .filter((file) => file.endsWith(".ggsl"))
    .sort()
    .map(readSampler)
    .map((entry) => [entry, { plain: countNodes(entry, false), uniform: countNodes(entry, true) }] as const);
  const header = ["sampler", "parameters", "meaning", "source", "llama.cpp", "nodes"];
  return fill("std.md", {
    table: table(
      header,
      samplers.map(([entry, counts]) => rowOf(entry, counts)),
    ),
    sections: samplers
      .map(([entry, counts]) => sectionOf(entry, counts))
      .join("\n")
      .trimEnd(),
  });
}
