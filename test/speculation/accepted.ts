/**
 * How many drafted tokens are accepted, for `npm run speculation -- --draft-model FILE`: of the likeliest tokens of the draft model, and of
 * those that the text's own chain picks there. The demo model writes; drafts have one token, so that each token counts alike.
 */
import { formatTable } from "../../runtime/core/table.js";
import { compilePipeline, loadModel, type Model } from "../../runtime/index.js";
import { DEMO_MODEL } from "../model/file.js";

const [file = "", texts = "", tokens = ""] = process.argv.slice(2);

const PROMPTS = ["In the beginning", "And the LORD said unto", "Call me Ishmael.", "The white whale"];
const CHAINS = [
  "greedy()",
  ...[0.7, 1].flatMap((t) => [`temp(${t}) |> dist(SEED)`, `temp(${t}) |> gumbel(SEED)`]),
  "top_k(40) |> temp(1) |> dist(SEED)",
  "top_k(40) |> temp(1) |> gumbel(SEED)",
  "top_k(40) |> temp(1) |> mirostat_v2(4, 0.1, SEED)",
];

/** Accepted of drafted tokens. */
async function shareOf(model: Model, draft: Model, stages: string, drafting: string | undefined): Promise<number> {
  let [drafted, accepted] = [0, 0];
  for (let text = 0; text < Number(texts); text++) {
    const chain = compilePipeline(stages.replace("SEED", `${text + 1}`));
    const speculate = { draft, tokens: 1, adapt: false, ...(drafting && { chain: compilePipeline(drafting) }) };
    const request = { chain, maxTokens: Number(tokens), ignoreEnd: true, speculate };
    const generation = model.generate(PROMPTS[text % PROMPTS.length]!, request);
    for await (const _ of generation);
    const stats = generation.stats();
    drafted += stats.drafted!;
    accepted += stats.accepted!;
  }
  return accepted / drafted;
}

const options = { backend: "cpu", contextSize: 512, threads: 1 } as const;
using model = await loadModel(DEMO_MODEL, options);
using draft = await loadModel(file, options);
const rows: string[][] = [];
for (const stages of CHAINS) {
  const shares = [await shareOf(model, draft, stages, "greedy()"), await shareOf(model, draft, stages, undefined)];
  rows.push([stages, ...shares.map((share) => share.toFixed(3))]);
}
console.log(formatTable(["chain of the text", "likeliest tokens", "the text's chain"], rows));
