/**
 * `npm run bench:launches`: counts kernels and bytes of the chains' graphs on GPUs by a model (native/replay/work.h), which needs
 * no GPU. Writes bench/results/launches.json, and updates docs/performance.md.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { countCases } from "./cases/counts.js";
import { countWork } from "./counts.js";
import { runMain } from "./main.js";
import { updatePage } from "./report/page.js";
import { writeJson } from "./results.js";
import { ROOT } from "./tool.js";

const USAGE = "usage: npm run bench:launches\n";

await runMain(USAGE, async (signal) => {
  const { values } = parseArgs({ options: { help: { type: "boolean", default: false } } });
  if (values.help) return void process.stdout.write(USAGE);
  writeJson(join(ROOT, "bench", "results", "launches.json"), await countWork(countCases(), { signal }));
  updatePage();
});
