/**
 * Makes docs/backends.md: what runs where. `npm run docs` writes it; `--check` fails when it is stale. Both need the built
 * compiler and addon. The table of ops is asked of the devices: where there is no Vulkan device, it is left as it is.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { OPS } from "../dist/compiler/graph/ops.js";
import { encodeWire } from "../dist/compiler/graph/wire.js";
import { compilePipeline } from "../dist/runtime/chain.js";
import { surveyDevices } from "../dist/runtime/devices/survey.js";
import { loadBinding } from "../dist/runtime/native/loader.js";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const PAGE = join(root, "docs/backends.md");
const BACKENDS = ["cpu", "vulkan", "cuda"];
/** Of a usual model; above what Vulkan's softmax does at once. */
const VOCABULARY = 32000;

const binding = loadBinding();
const cell = (text) => text.replaceAll("|", "\\|");
const table = (header, rows) =>
  [header, header.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

const INTRODUCTION = `# What runs where

A model or a chain is put on a backend by name: \`--backend cpu\`, \`vulkan\`, \`cuda\`, or \`auto\`, and on one of its devices by
\`--device\` with a number or a name; in a program \`loadModel(path, { backend, device })\`. \`ggsl devices\` lists what there is.
This page is made by \`npm run docs\`.

- A model's \`auto\` is the first of CUDA and Vulkan that has a device, else the CPU; \`run --stats\` and \`model.skipped\` say why it
  passed over the others. A chain on plain numbers (\`eval\`, \`test\`) runs on the CPU unless told.
- Before a driver is loaded it is tried in another process. One that crashes, or does not answer within 30 s, is reported.
- Where a device can not run an op, the chain is split before the stage that needs it: the device gives the values that the rest
  starts from, and the rest runs on the CPU. \`explain --backend\`, \`run --stats\` and \`stats().split\` say so; \`--strict\`, or
  \`strict: true\`, makes it an error.
- Where a device runs an op, but not rightly, the op is built otherwise there: the rewrites below.
- Vulkan devices in software are used only if \`GGML_VK_VISIBLE_DEVICES\` names them, e.g. \`GGML_VK_VISIBLE_DEVICES=0\`.
- \`ggsl test\` on a GPU runs each file in a process of its own, and each test alone when a file's process crashes.
- The same seed gives the same token where the logits are the same. A model's logits differ between backends, because they round
  differently (the CPU also rounds activations for quantised weights, Vulkan computes in half precision where it can), so texts
  may part where two tokens are close. With f32 weights and \`GGML_VK_DISABLE_F16=1\` they are the same in the tests.
- CUDA has not been run: what is said of it here is read from its source.
`;

function rewrites() {
  const rows = binding
    .rewrites()
    .map((r) => [r.name, `\`${r.op}\``, r.families.join(", ") || "all", r.reason, `\`${r.instead}\``]);
  return `## Rewrites\n\nThey are one table, \`native/src/legalize.cc\`.\n\n${table(["rewrite", "op", "devices", "why", "built instead"], rows)}\n`;
}

/** The rewrites of a sampler alone with its defaults, by backend. */
function samplers() {
  const names = readdirSync(join(root, "compiler/std"))
    .filter((name) => name.endsWith(".ggsl"))
    .map((name) => name.replace(".ggsl", ""))
    .sort();
  const rows = names.map((name) => [name, ...BACKENDS.map((backend) => rewritesOf(name, backend))]);
  return `## Samplers\n\nAll standard samplers run as a whole on the CPU and on Vulkan; their tests do. The rewrites, each sampler alone with its defaults over ${VOCABULARY} tokens:\n\n${table(["sampler", ...BACKENDS], rows)}\n`;
}

function rewritesOf(name, rewriteFor) {
  const hasSeed = /seed: seed/.test(readFileSync(join(root, `compiler/std/${name}.ggsl`), "utf8"));
  const { graph } = compilePipeline(`${name}(${hasSeed ? "seed: 42" : ""})`);
  const native = new binding.Evaluator(new binding.Graph(encodeWire(graph)), { vocabSize: VOCABULARY, rewriteFor });
  const counts = new Map();
  for (const rewrite of native.rewritten) counts.set(rewrite.name, (counts.get(rewrite.name) ?? 0) + 1);
  native.dispose();
  return (
    [...counts].map(([rewrite, count]) => (count === 1 ? rewrite : `${rewrite} (${count})`)).join(", ") || "as written"
  );
}

/** Undefined where there is no Vulkan device to ask. */
async function ops() {
  const { devices } = await surveyDevices();
  const asked = ["cpu", "vulkan"].map((backend) => devices.find((d) => d.backend === backend));
  if (asked.includes(undefined)) return undefined;
  const rows = asked[0].supported
    .concat(asked[0].unsupported)
    .map((op) => [`\`${op}\``, OPS[op].doc, ...asked.map(({ supported }) => (supported.includes(op) ? "yes" : "no"))]);
  return `## Ops\n\nOver 131072 rows, on ggml's CPU backend and on Mesa's software Vulkan device. Other devices may lack some: \`ggsl devices\` asks them.\n\n${table(["op", "what it gives", "cpu", "vulkan"], rows)}\n`;
}

const old = existsSync(PAGE) ? readFileSync(PAGE, "utf8") : "";
const asked = await ops();
if (asked === undefined)
  console.error("docs/backends.md: no Vulkan device to ask, so the table of ops is left as it is");
const page = [INTRODUCTION, rewrites(), samplers(), asked ?? old.slice(old.indexOf("## Ops"))].join("\n");
if (page !== old && process.argv.includes("--check")) {
  console.error("docs/backends.md is stale; run `npm run docs`");
  process.exitCode = 1;
} else if (page !== old) {
  writeFileSync(PAGE, page);
  console.log("wrote docs/backends.md");
}
