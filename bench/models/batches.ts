/** Tokens a second of the default chain, for one sequence and for many. */
import { compile, loadModel } from "ggsl";
import { spreadOf } from "../results.js";
import { costOf, type ModelCase } from "./case.js";

const TOKENS = 128;
const SOURCE = `import { top_k, top_p, min_p, temp, dist } from "std"
chain default(seed: seed = 1) = top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(seed)`;

export const batches: ModelCase = {
  name: "batches",
  async measure({ demo }, rounds, signal) {
    using model = await loadModel(demo, { backend: "cpu", threads: 1, contextSize: 256 });
    const chain = compile(SOURCE);
    const measured = [];
    for (const sequences of [1, 64]) {
      using batch = model.batch({ sequences });
      const rates: number[] = [];
      for (let round = 0; round <= rounds; round++) {
        signal.throwIfAborted();
        let count = 0;
        const write = async (seed: number): Promise<void> => {
          const options = { chain, uniforms: { seed }, maxTokens: TOKENS, feed: {} };
          for await (const _ of batch.add("And God said", options)) count++;
        };
        const { wall } = await costOf(() => Promise.all(Array.from({ length: sequences }, (_, i) => write(i + 1))));
        if (round > 0) rates.push(count / wall);
      }
      const what = `default chain, demo model, ${sequences} sequence${sequences === 1 ? "" : "s"}`;
      measured.push({ what, unit: "tokens/s", found: spreadOf(rates) });
    }
    return measured;
  },
};
