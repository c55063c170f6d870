/** The decode loop: a model with a chain at its end, whose logits and cache stay on the GPU. */
import * as ort from "onnxruntime-web/webgpu";
import type { Chain } from "ggsl";
import { appendOnnx, createAppendedSampler } from "ggsl/onnx";

/** What `npm run example:onnx` writes about the model. */
export interface ModelInfo {
  /** The texts of the tokens, as lists of bytes. */
  readonly pieces: readonly (readonly number[])[];
  readonly prompts: readonly { readonly text: string; readonly tokens: readonly number[] }[];
  /** Ends a text. */
  readonly end: number;
  readonly layers: number;
  readonly heads: number;
  readonly width: number;
  readonly context: number;
}

/** Yields the tokens after a prompt. */
export async function* write(
  model: Uint8Array,
  { pieces, end, layers, heads, width, context }: ModelInfo,
  chain: Chain,
  prompt: readonly number[],
): AsyncGenerator<number> {
  const vocabSize = pieces.length;
  // WebGPU has no f64
  const merged = appendOnnx(chain.graph, model, { vocab: vocabSize, sums: "f32" });
  const caches = Array.from({ length: layers }, (_, layer) => [`${layer}.key`, `${layer}.value`]).flat();
  const session = await ort.InferenceSession.create(merged, {
    executionProviders: ["webgpu"],
    preferredOutputLocation: Object.fromEntries(caches.map((name) => [`present.${name}`, "gpu-buffer"])),
  });
  const sampler = createAppendedSampler(chain.graph, vocabSize, { ort, history: prompt });
  let cache = caches.map(() => new ort.Tensor("float32", new Float32Array(), [1, heads, 0, width]));
  let tokens = prompt;
  try {
    for (let length = prompt.length; length < context; length++) {
      const results = await session.run(
        {
          input_ids: new ort.Tensor("int64", BigInt64Array.from(tokens, BigInt), [1, tokens.length]),
          ...Object.fromEntries(caches.map((name, i) => [`past_key_values.${name}`, cache[i]!])),
          ...(sampler.feeds() as Record<string, ort.Tensor>),
        },
        [...caches.map((name) => `present.${name}`), ...sampler.outputs],
      );
      cache.forEach((tensor) => tensor.dispose());
      cache = caches.map((name) => results[`present.${name}`] as ort.TypedTensor<"float32">);
      const { token } = sampler.read(results);
      if (token === null) throw new Error("the chain picks no token: end it with `dist()` or `greedy()`");
      sampler.accept();
      if (token === end) return;
      yield token;
      tokens = [token];
    }
  } finally {
    cache.forEach((tensor) => tensor.dispose());
    sampler.dispose();
    await session.release();
  }
}
