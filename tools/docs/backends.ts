/** docs/backends.md: which backend runs what. Needs the addon. */
import { OPS } from "@ggsl/compiler/graph/ops.js";
import { encodeWire } from "@ggsl/compiler/graph/wire.js";
import { STD_SAMPLERS } from "@ggsl/compiler/std/samplers.js";
import { compilePipeline } from "ggsl/chain/chain.js";
import { surveyDevices } from "ggsl/backends/devices/survey.js";
import { loadBinding } from "ggsl/backends/native/loader.js";
import { fill, table } from "../lib/markdown.js";

const BACKENDS = ["cpu", "vulkan", "cuda"] as const;
/** A common vocabulary size; above the limit of Vulkan's single-pass softmax. */
const VOCABULARY = 32000;

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

/** The rewrites of each sampler's example alone, by backend. */
function samplers(): string {
  const rows = STD_SAMPLERS.map(({ name, example }) => [
    name,
    ...BACKENDS.map((backend) => rewritesOf(example, backend)),
  ]);
  return table(["sampler", ...BACKENDS], rows);
}

function rewritesOf(example: string, rewriteFor: (typeof BACKENDS)[number]): string {
  const { graph } = compilePipeline(example);
  const native = new binding.Evaluator(new binding.Graph(encodeWire(graph)), {
    vocabSize: VOCABULARY,
    rewriteFor,
    bundles: false, // which compute the same
  });
  const counts = new Map<string, number>();
  for (const rewrite of native.rewritten) counts.set(rewrite.name, (counts.get(rewrite.name) ?? 0) + 1);
  native.dispose();
  return (
    [...counts].map(([rewrite, count]) => (count === 1 ? rewrite : `${rewrite} (${count})`)).join(", ") || "as written"
  );
}

/** The ops that the devices support; undefined without a Vulkan device. */
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
  console.error("docs/backends.md: there is no Vulkan device, so the table of ops stays unchanged");
  return page.slice(page.indexOf("| op | what it gives |")).trimEnd();
}
