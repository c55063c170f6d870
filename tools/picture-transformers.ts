/**
 * `npm run picture:transformers`: draws docs/transformers.svg. The demo model in ONNX continues a prompt by one token, many times, in
 * transformers.js: with its own sampler and `min_p`, and with the chain `min_p(...) |> dist()`. The picture counts the tokens.
 */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PreTrainedModel } from "@huggingface/transformers";
import { compilePipeline } from "ggsl";
import { ChainProcessor } from "ggsl/transformers";
import { writeGenerated } from "./lib/generated.js";
import { DEMO_MODEL, writeOnnxModel } from "./lib/onnxModel.js";
import { root } from "./lib/process.js";
import { loadModel } from "ggsl";

const DRAWS = 1000;
/** Texts at once. */
const BATCH = 100;
const MIN_P = 0.1;
const PROMPT = "And the LORD said unto";
/** Tokens with a bar of their own. */
const SHOWN = 40;

interface Drawn {
  readonly title: string;
  /** By token. */
  readonly counts: ReadonlyMap<number, number>;
}

export async function main(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-transformers-"));
  try {
    const { AutoModelForCausalLM, env, Tensor } = await import("@huggingface/transformers");
    await writeModel(folder);
    env.allowRemoteModels = false;
    env.localModelPath = folder;
    const model = await AutoModelForCausalLM.from_pretrained("demo", { dtype: "fp32", device: "cpu" });
    using demo = await loadModel(DEMO_MODEL);
    const prompt = [...demo.tokenize(PROMPT)];
    const logits = await demo.logits(PROMPT);
    const own = await drawn(model, Tensor, prompt, () => ({ do_sample: true, top_k: 0, min_p: MIN_P }));
    const chain = compilePipeline(`min_p(${MIN_P}) |> dist()`);
    let seed = 0;
    const chained = await drawn(model, Tensor, prompt, () => {
      const processor = new ChainProcessor(chain, () => ({ draws: [(seed++ + 0.5) / DRAWS] }));
      return { do_sample: false, logits_processor: [processor] };
    });
    const sides: Drawn[] = [
      { title: `transformers.js ${env.version}: min_p: ${MIN_P}`, counts: own },
      { title: `with ggsl/transformers: min_p(${MIN_P}) |> dist()`, counts: chained },
    ];
    writeGenerated(join("docs", "transformers.svg"), picture(sides, logits));
  } finally {
    rmSync(folder, { recursive: true });
  }
  return 0;
}

/** The demo model as transformers.js reads it. */
async function writeModel(folder: string): Promise<void> {
  const parts = join(folder, "demo", "onnx");
  mkdirSync(parts, { recursive: true });
  await writeOnnxModel(parts);
  const { layers, heads, width } = JSON.parse(readFileSync(join(parts, "model.json"), "utf8")) as Record<string, number>;
  const config = {
    ...{ model_type: "llama", architectures: ["LlamaForCausalLM"], is_encoder_decoder: false },
    ...{ num_hidden_layers: layers, num_attention_heads: heads, num_key_value_heads: heads, head_dim: width },
    hidden_size: heads! * width!,
  };
  writeFileSync(join(folder, "demo", "config.json"), JSON.stringify(config));
  writeFileSync(join(folder, "demo", "generation_config.json"), JSON.stringify({ eos_token_id: null, bos_token_id: 0 }));
}
