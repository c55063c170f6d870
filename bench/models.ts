/**
 * `npm run bench:models`: measures texts of whole models: prompts, grammars, speculation. Writes bench/results/models.json, and
 * updates docs/performance.md.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { formatTable } from "ggsl/core/table.js";
import { countOf, runMain, UsageError } from "./main.js";
import type { ModelCase } from "./models/case.js";
import { jsonSchema } from "./models/jsonSchema.js";
import { prompts } from "./models/prompts.js";
import { speculation } from "./models/speculation.js";
import { modelTable } from "./report/models.js";
import { updatePage } from "./report/page.js";
import { circumstances, writeJson, type ModelMeasurement, type ModelTimings } from "./results.js";
import { ROOT } from "./tool.js";

const USAGE = `usage: npm run bench:models -- [options]
  --rounds N       rounds of each comparison (default 11)
  --only CASE      one case, or all whose names begin so: prompts, jsonSchema, speculation-demo, ...; writes nothing
`;

const CASES: readonly ModelCase[] = [prompts, jsonSchema, ...speculation];

const RESULTS = join(ROOT, "bench", "results", "models.json");
/** tools/bench.ts makes the random models. */
const MODELS = {
  demo: join(ROOT, "examples", "model", "demo-q8_0.gguf"),
  random: join(ROOT, "build", "random-128256.gguf"),
  wide: join(ROOT, "build", "random-1024-q8_0.gguf"),
  heavy: join(ROOT, "build", "random-1024-f32.gguf"),
};

await runMain(USAGE, async (signal) => {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "11" },
      only: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return void process.stdout.write(USAGE);
  const { only } = values;
  const rounds = countOf("--rounds", values.rounds);
  const cases = CASES.filter(({ name }) => only === undefined || name.startsWith(only));
  if (cases.length === 0)
    throw new UsageError(`--only: expected ${CASES.map((c) => c.name).join(", ")}, found ${only}`);
  const measurements: ModelMeasurement[] = [];
  for (const modelCase of cases) {
    process.stderr.write(`${modelCase.name}\n`);
    measurements.push(...(await modelCase.measure(MODELS, rounds, signal)));
  }
  const { head, rows } = modelTable(measurements);
  process.stdout.write(`${formatTable(head, rows)}\n`);
  if (only !== undefined) return;
  const command = `npm run bench:models${rounds === 11 ? "" : ` -- --rounds ${rounds}`}`;
  const timings: ModelTimings = { ...circumstances(command), measurements };
  writeJson(RESULTS, timings);
  updatePage();
});
