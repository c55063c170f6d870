import { compilePipeline, loadModel } from "ggsl";
const cpu = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const VERSE = "In the beginning God created the heaven and the earth. ";
for (const [file, prompt, text] of [["examples/model/demo-q8_0.gguf", VERSE.repeat(4), "greedy()"], ["examples/model/demo-q8_0.gguf", "And", "temp(1.5) |> dist(1)"], ["build/random-128256.gguf", VERSE.repeat(4), "greedy()"], ["build/random-128256.gguf", "And", "dist(1)"]] as const) {
  using model = await loadModel(file, { backend: "cpu", threads: 1, contextSize: 512 });
  const chain = compilePipeline(text);
  for (const speculate of [undefined, { ngram: {} }, { ngram: { adapt: false } }, undefined, { ngram: {} }]) {
    const c = cpu(), w = performance.now();
    const g = model.generate(prompt, { chain, maxTokens: 200, ...(speculate && { speculate }) });
    for await (const _ of g);
    const s = g.stats();
    console.log(file.slice(-20), text, JSON.stringify(speculate), s.generatedTokens, "cpu", (cpu() - c).toFixed(0), "wall", (performance.now() - w).toFixed(0), s.tokensPerSecond.toFixed(0), s.drafted, s.accepted, s.decodes, "builds", s.graphBuilds);
  }
}
