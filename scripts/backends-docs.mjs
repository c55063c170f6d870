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
- A model's logits also differ between processors: see [the CPU's variants](#the-cpus-variants).
- CUDA has not been run: what is said of it here is read from its source.
- Random programs, and random cases of every sampler that llama.cpp has, run on Vulkan in the tests; more of them:
  \`npm run random -- --backend vulkan --cases 500\`, \`npm run parity -- --vulkan --cases 100\`.
`;

const VARIANTS = `## The CPU's variants

ggml's CPU backend is compiled once for each set of instructions: \`x64\`, \`sse42\`, \`haswell\`, \`zen4\`, ... on x64, others on arm64.
Of these variants the best that the processor can run is loaded. They add numbers up in different orders and round differently, so the
same program may give different texts on two machines.

- \`GGSL_CPU_VARIANT=haswell\` loads that variant. Two machines that load the same variant, and use as many threads, give the same
  text for the same seed. All x64 processors can run \`x64\`, which is the slowest, and nearly all of the last ten years \`haswell\`.
- \`ggsl devices\` says which variant is loaded, and which others the processor can run.
- A name that is not there, or a variant that the processor can not run, is an error.
- The variable is read when the first model or chain is loaded. It counts for child processes, for the tests, and for
  \`ggsl_replay\`, too.
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

/** Where ggml's ops are not the same on every device, by reading their sources; and why no chain shows it. */
const TRAPS = [
  [
    "`top_k` gives its rows in an order of its own, on some devices another one each time",
    "the `k` rows are put in order by `argsort`; ties are nobody's",
  ],
  ["`top_k` with k = 1 gives the smallest of negative numbers (Vulkan)", "rewrite: take the largest"],
  [
    "`argsort` is not stable; on CUDA its ties may change once a graph is captured",
    "the language leaves the order of equal rows open",
  ],
  [
    "`argsort` with a NaN reads out of bounds (CPU), or is in no order",
    "rewrite: sort numbers, where a NaN is possible",
  ],
  [
    "`argsort` and `top_k` above 1024 rows are missing (CUDA without CUB, as on MUSA; `argsort` on HIP)",
    "the chain is split before the stage that needs them",
  ],
  [
    "`argmax` of nothing but -inf is -1 (CUDA, Metal, WebGPU), and reads out of bounds there",
    "the compiler takes it of clamped numbers; where it can not, as of the ratios of a draw, rewrite: largest of numbers",
  ],
  ["`argmax` of equal numbers is the first or the last", "the language leaves it open"],
  [
    "`argmax` with a NaN among numbers may be at the NaN",
    "of the values of a program none is NaN, as long as the model's logits are none; a draw keeps away from where 0 / 0 is",
  ],
  [
    "`cumsum` adds up in parts: it need not rise, and rows of weight 0 need not have the sum of the row before (CUDA, Vulkan)",
    "a draw counts no such rows: see below",
  ],
  [
    "`cumsum` takes away what it has added, so one inf makes all later sums NaN (CUDA)",
    "terms are clamped to 2^103 where they may be larger: sums of 2^24 of them are finite in any order",
  ],
  ["`cumsum` of rows that lie apart is wrong (CUDA)", "operands are made contiguous"],
  ["`sum_rows` of f32 parts may meet inf and -inf", "terms are clamped likewise"],
  [
    "`sum` is wrong above 524271 rows (Vulkan), `mean` changes its way (CUDA)",
    "neither is used: `sum_rows` is right, and exact for counts up to 2^24",
  ],
  ["`soft_max` above 16384 rows looks at some chunks only for the largest (Vulkan)", "rewrite: softmax by steps"],
  ["`soft_max` of a row of -inf alone is NaN", "logits are finite, and `keep` leaves a row"],
  [
    "`mask * logit` and `-inf - -inf` are NaN",
    "dropped rows are a 0/1 mask beside finite logits; -inf is in outputs only",
  ],
  ["`step` is strict", "`>=` moves a number to its neighbour, or lifts a difference of 0 above 0"],
  [
    "`clamp` of a NaN is the upper bound (CPU) or the lower one (CUDA)",
    "only a model's own NaN gets there; its token is in the vocabulary either way",
  ],
  [
    "`scale`, `clamp` and the functions of one column go wrong on rows that lie apart (CUDA)",
    "operands are made contiguous",
  ],
  [
    "`get_rows` and `set_rows` do not check positions (CUDA, Vulkan)",
    "each position is proved to be in range when a graph is loaded, or clamped",
  ],
  ["`set_rows` writes into its operand", "it gets a copy where somebody else reads that"],
  ["i32 numbers can not be added or repeated (CUDA)", "ids and positions are gathered and cast alone"],
  ["`roll`, `arange` are missing (WebGPU)", "the chain is split"],
  ["a f64 draw may round to 1", "draws count as 1 - 2^-20 at most"],
];

const RUNNING_SUMS = `Where running sums are used, and why it does not matter that they need not rise:

- A draw among up to 1024 rows in falling order takes the largest of p / (c - threshold), which is 0 in rows of no weight. The
  threshold is 16 units in the last place below the last sum, so that the last row of some weight reaches it.
- A draw among more rows in falling order counts the rows below the threshold. Rows of no weight come last and are all above it,
  by the same distance; a row or two that change places at the threshold have sums that rounding can not tell apart.
- A draw among rows in another order takes the first row of some weight that reaches the threshold: \`argmax\` over whether the
  row does, less its place.
- \`keep\` with a running sum (\`top_p\`, \`typical\`, \`tail_free\`) may keep or drop a row whose sum is within rounding of the limit. The
  first row's sum is its own number on every device, and so the best row stays.
- \`rank\` in a table with gaps adds up 0 and 1, which is exact.`;

function traps() {
  const rows = table(["what ggml's ops do", "why no chain shows it"], TRAPS);
  return `## What differs between devices\n\n${rows}\n\n${RUNNING_SUMS}\n`;
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
const page = [INTRODUCTION, VARIANTS, rewrites(), traps(), samplers(), asked ?? old.slice(old.indexOf("## Ops"))].join(
  "\n",
);
if (page !== old && process.argv.includes("--check")) {
  console.error("docs/backends.md is stale; run `npm run docs`");
  process.exitCode = 1;
} else if (page !== old) {
  writeFileSync(PAGE, page);
  console.log("wrote docs/backends.md");
}
