/**
 * Named cases of the end-to-end tests, as a program of a folder with the packages installed: prints the results of all of them as
 * JSON. test/install/arm64.test.ts compares those of two platforms. Argument: the demo model.
 */
import { compile, compilePipeline, loadModel } from "ggsl";

const PROMPT = "In the beginning";
const logits = Float32Array.from({ length: 512 }, (_, i) => Math.sin(i * 12.9898) * 4);

/** The picked token, and the rows with their probabilities. */
async function evaluated(stages, options = {}) {
  const chain = typeof stages === "string" ? compilePipeline(stages) : stages;
  const { token, candidates } = await chain.evaluate(logits, { backend: "cpu", ...options });
  const best = [...candidates].sort((a, b) => b.prob - a.prob || a.token - b.token).slice(0, 5);
  return { token, count: candidates.length, best: best.map((row) => row.token), probs: best.map((row) => row.prob) };
}

async function texted(model, stages, options = {}) {
  const chain = typeof stages === "string" ? compilePipeline(stages) : stages;
  let text = "";
  for await (const piece of model.generate(PROMPT, { chain, maxTokens: 12, contextSize: 256, ...options }))
    text += piece.text;
  return { text };
}

/** By name: on plain logits, then with the model. */
const CASES = {
  greedy: () => evaluated("greedy()"),
  top_k: () => evaluated("top_k(5) |> dist(1)"),
  top_p: () => evaluated("top_p(0.9) |> dist(2)"),
  min_p: () => evaluated("min_p(0.1) |> dist(3)"),
  typical: () => evaluated("typical(0.8) |> dist(4)"),
  xtc: () => evaluated("xtc(0.5, 0.1, seed: 5) |> dist(5)"),
  top_n_sigma: () => evaluated("top_n_sigma(1.5) |> dist(6)"),
  mirostat_v2: () => evaluated("mirostat_v2(5.0, 0.1, seed: 7)"),
  temp_ext: () => evaluated("temp_ext(0.8, 0.3, 1.2) |> dist(8)"),
  penalties: () => evaluated("penalties(64, repeat: 1.3) |> dist(9)", { history: [1, 2, 2, 7] }),
  no_repeat_ngram: () => evaluated("no_repeat_ngram(3) |> dist(10)", { history: [1, 2, 3, 4, 1, 2] }),
  gumbel: () => evaluated("temp(0.7) |> gumbel(11)"),
  watermark: () => evaluated("watermark(12, 0.25, 2.0) |> dist(12)", { history: [5, 6] }),
  "a program": () =>
    evaluated(
      compile(`import { top_k, dist } from "std"
        fn entropy_at(t: f32) -> f32 = sum(-log_softmax(logit / t) * softmax(logit / t))
        sampler exact(nats: f32 >= 0 = 1) {
          logit /= exp(repeat i in 1..40 with x = 0: x + (entropy_at(exp(x)) < nats ? 8 : -8) * 2 ^ -i)
        }
        chain c = top_k(64) |> exact(2) |> dist(13)`),
    ),
  "a text, greedy": (model) => texted(model, "greedy()"),
  "a text, sampled": (model) => texted(model, "top_k(40) |> top_p(0.95) |> temp(0.5) |> dist(42)"),
  "a text, on the host": (model) => texted(model, "greedy()", { placement: "host" }),
  "a text with a grammar": (model) =>
    texted(model, compile('import { constrain, greedy } from "std"\nchain c(g: grammar) = constrain(g) |> greedy()'), {
      uniforms: { g: { choices: ["the waters", "God created"] } },
    }),
  "a text, penalized": (model) => texted(model, "penalties(64, repeat: 1.5) |> greedy()"),
  logits: async (model) => {
    const all = await model.logits(PROMPT);
    const best = [...all.keys()].sort((a, b) => all[b] - all[a]).slice(0, 3);
    return { best, probs: best.map((token) => all[token]) };
  },
};

const model = await loadModel(process.argv[2], { backend: "cpu", threads: 1 });
const results = {};
for (const [name, run] of Object.entries(CASES)) {
  try {
    results[name] = await run(model);
  } catch (error) {
    results[name] = { error: error.message };
  }
}
model.dispose();
console.log(JSON.stringify({ arch: process.arch, results }));
