/** docs/backends.md: what runs where. Needs the addon. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { OPS } from "@ggsl/compiler/graph/ops.js";
import { encodeWire } from "@ggsl/compiler/graph/wire.js";
import { compilePipeline } from "ggsl/chain.js";
import { surveyDevices } from "ggsl/devices/survey.js";
import { loadBinding } from "ggsl/native/loader.js";
import { fill, table } from "../lib/markdown.js";
import { root } from "../lib/process.js";

const BACKENDS = ["cpu", "vulkan", "cuda"] as const;
/** Of a usual model; above what Vulkan's softmax does at once. */
const VOCABULARY = 32000;
const FOLDER = join(root, "compiler/std");

const binding = loadBinding();

export async function page(old: string): Promise<string> {
  return fill("backends.md", {
    rewrites: rewrites(),
    vocabulary: `${VOCABULARY}`,
    samplers: samplers(),
    ops: (await ops()) ?? oldOps(old),
  });
}

function rewrites(): string {
  const rows = binding
    .rewrites()
    .map((r) => [r.name, `\`${r.op}\``, r.families.join(", ") || "all", r.reason, `\`${r.instead}\``]);
  return table(["rewrite", "op", "devices", "why", "built instead"], rows);
}

/** The rewrites of a sampler alone with its defaults, by backend. */
function samplers(): string {
  const names = readdirSync(FOLDER)
    .filter((name) => name.endsWith(".ggsl"))
    .map((name) => name.replace(".ggsl", ""))
    .sort();
  const rows = names.map((name) => [name, ...BACKENDS.map((backend) => rewritesOf(name, backend))]);
  return table(["sampler", ...BACKENDS], rows);
}

function rewritesOf(name: string, rewriteFor: (typeof BACKENDS)[number]): string {
  const hasSeed = readFileSync(join(FOLDER, `${name}.ggsl`), "utf8").includes("seed: seed");
  const { graph } = compilePipeline(`${name}(${hasSeed ? "seed: 42" : ""})`);
  const native = new binding.Evaluator(new binding.Graph(encodeWire(graph)), { vocabSize: VOCABULARY, rewriteFor });
  const counts = new Map<string, number>();
  for (const rewrite of native.rewritten) counts.set(rewrite.name, (counts.get(rewrite.name) ?? 0) + 1);
  native.dispose();
  return (
    [...counts].map(([rewrite, count]) => (count === 1 ? rewrite : `${rewrite} (${count})`)).join(", ") || "as written"
  );
}

/** Asked of the devices; undefined where there is no Vulkan device to ask. */
async function ops(): Promise<string | undefined> {
  const { devices } = await surveyDevices();
  const [cpu, vulkan] = ["cpu", "vulkan"].map((backend) => devices.find((d) => d.backend === backend));
  if (cpu === undefined || vulkan === undefined) return undefined;
  const answer = (isSupported: boolean): string => (isSupported ? "yes" : "no");
  const rows = [...cpu.supported, ...cpu.unsupported].map((op) => [
    ...[`\`${op}\``, OPS[op].doc],
    ...[cpu, vulkan].map(({ supported }) => answer(supported.includes(op))),
  ]);
  return table(["op", "what it gives", "cpu", "vulkan"], rows);
}

function oldOps(page: string): string {
  console.error("docs/backends.md: no Vulkan device to ask, so the table of ops is left as it is");
  return page.slice(page.indexOf("| op | what it gives |")).trimEnd();
}
