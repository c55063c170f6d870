/**
 * docs/std.md, the reference of the standard library, from the files in compiler/std and from the graphs that the samplers
 * compile to.
 */
import { compileProgram, graphOf } from "@ggsl/compiler/driver.js";
import { launches } from "@ggsl/compiler/graph/ops.js";
import { stdFile, stdSource } from "@ggsl/compiler/std/library.js";
import { STD_SAMPLERS, type StdSampler } from "@ggsl/compiler/std/samplers.js";
import type { Param } from "@ggsl/compiler/syntax/ast.js";
import { fill, table } from "../lib/markdown.js";
import { exampleArg } from "../lib/stdExample.js";

/** The samplers that llama.cpp runs on the device with the logits. Its others run on the CPU. */
const ON_DEVICE = "greedy dist top_k top_p min_p temp temp_ext penalties logit_bias".split(" ");

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
const textOf = ({ span }: Param): string => span.source.text.slice(span.start, span.end);

/** The declaration without its doc comment, and the inputs that it reads. */
export function codeOf({ name, declaration: { span } }: StdSampler): string {
  const { text } = span.source;
  const inputs = stdFile(stdSource(name)!)!.declarations.flatMap((d) =>
    d.kind === "input" ? [text.slice(d.span.start, d.span.end).trim()] : [],
  );
  return [...inputs, text.slice(text.indexOf(`sampler ${name}(`), span.end).trim()].join("\n\n");
}

/** The first sentence, or what comes before its semicolon. */
const meaningOf = ({ doc }: StdSampler): string => /^.*?(?=[.;](\s|$))/.exec(doc)?.[0] ?? doc;

function peerOf({ name, peer }: StdSampler): "device" | "CPU" | "no" {
  if (ON_DEVICE.includes(name)) return "device";
  return peer === undefined ? "no" : "CPU";
}

function neededArg(sampler: StdSampler, param: Param): string {
  const arg = exampleArg(sampler, param);
  if (arg === undefined)
    throw new Error(`the example \`${sampler.example}\` lacks \`${param.name.text}\`, which has no default`);
  return arg;
}

/**
 * The number of nodes without views, with the defaults or with uniforms. Seeds are fixed, so that the result is deterministic, and
 * what has no default is as in the example.
 */
function countNodes(sampler: StdSampler, withUniforms: boolean): number {
  const { name, picks, actsAfterPick, declaration } = sampler;
  const { params } = declaration;
  const isUniform = (p: Param): boolean => withUniforms && !p.isStatic && ["f32", "i32", "bool"].includes(p.type);
  const uniforms = params.filter(isUniform).map(textOf);
  const args = params.flatMap((p) => {
    if (p.type === "seed") return [`${p.name.text}: 42`];
    if (isUniform(p)) return [`${p.name.text}: ${p.name.text}`];
    return p.default ? [] : [`${p.name.text}: ${neededArg(sampler, p)}`];
  });
  const nodesOf = (stages: string): number => {
    const chain = `import { ${name === "greedy" ? name : `${name}, greedy`} } from "std"\nchain c(${uniforms.join(", ")}) = ${stages}\n`;
    const outputs = picks || actsAfterPick ? (["sampled"] as const) : (["candidates", "logits"] as const);
    return graphOf(compileProgram(chain, { outputs })).nodes.filter(launches).length;
  };
  const call = `${name}(${args.join(", ")})`;
  return actsAfterPick ? nodesOf(`${call} |> greedy()`) - nodesOf("greedy()") : nodesOf(call);
}

interface Counts {
  readonly plain: number;
  readonly uniform: number;
}

function rowOf(sampler: StdSampler, { plain, uniform }: Counts): string[] {
  const { name, declaration, from } = sampler;
  const list = declaration.params.map((p) => `\`${oneLine(textOf(p))}\``).join("<br>");
  return [`[${name}](#${name})`, list, meaningOf(sampler), from, peerOf(sampler), `${plain} / ${uniform}`];
}

const PEERS = {
  device: "llama.cpp also runs it on the device.",
  CPU: "llama.cpp runs it on the CPU only.",
  no: "llama.cpp has no such sampler.",
};

function sectionOf(sampler: StdSampler, { plain, uniform }: Counts): string {
  const { name, doc, from, example } = sampler;
  const counts = { plain: `${plain}`, uniform: `${uniform}` };
  const peer = PEERS[peerOf(sampler)];
  return fill("std-sampler.md", { name, doc, from, example, text: codeOf(sampler), ...counts, peer });
}

export function page(): string {
  const samplers = STD_SAMPLERS.map((s) => [s, { plain: countNodes(s, false), uniform: countNodes(s, true) }] as const);
  const header = ["sampler", "parameters", "meaning", "source", "llama.cpp", "nodes"];
  return fill("std.md", {
    table: table(
      header,
      samplers.map(([s, counts]) => rowOf(s, counts)),
    ),
    sections: samplers
      .map(([s, counts]) => sectionOf(s, counts))
      .join("\n")
      .trimEnd(),
  });
}
