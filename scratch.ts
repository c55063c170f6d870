import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile, compilePipeline, loadModel } from "ggsl";
import { writeExactModel, EXACT } from "./test/model/demo.js";
const path = writeExactModel(mkdtempSync(join(tmpdir(), "spec-")));
const model = await loadModel(path, { backend: "cpu", contextSize: 512, threads: 1, ...EXACT });
const chains: Record<string, any> = {
  greedy: compilePipeline("greedy()"),
  default: compilePipeline("top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)"),
  penalties: compilePipeline("penalties(64, 1.1, 0.1, 0.1) |> top_k(20) |> dist(3)"),
  dry: compilePipeline("dry(0.8, 1.75, 2, 64) |> top_k(20) |> temp(0.5) |> dist(3)"),
  mirostat: compilePipeline("mirostat_v2(3, 0.1, 5)"),
  xtc: compilePipeline("xtc(0.5, 0.1, 7) |> dist(3)"),
  typical: compilePipeline("typical(0.9) |> min_p(0.05) |> temp(0.7) |> dist(9)"),
  tail: compilePipeline("top_k(40) |> host temp(0.5) |> host dist(4)"),
};
for (const [name, chain] of Object.entries(chains)) {
  const run = async (speculate?: any) => {
    const tokens: number[] = [];
    const g = model.generate("In the beginning God created the heaven and the earth. In the beginning God created the", { chain, maxTokens: 120, ...(speculate && { speculate }) });
    const t0 = performance.now();
    for await (const p of g) tokens.push(p.token);
    return { tokens, ms: performance.now() - t0, s: g.stats() };
  };
  const a = await run();
  const b = await run({ ngram: {} });
  const c = await run({ draft: model, tokens: 6 });
  const same = (x: number[], y: number[]) => x.join() === y.join() ? "same" : "DIFF at " + x.findIndex((t, i) => t !== y[i]);
  const f = ({ s, ms }: any) => `${s.drafted}/${s.accepted}/${s.decodes} ${s.tokensPerSecond.toFixed(0)}t/s builds ${s.graphBuilds}`;
  console.log(name, same(a.tokens, b.tokens), same(a.tokens, c.tokens), a.s.tokensPerSecond.toFixed(0), f(b), f(c));
}
