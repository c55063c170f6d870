/**
 * The demo model, for the tests that run it. Variants of ggml's CPU backend round differently, so its logits differ from processor
 * to processor: `npm test` runs all tests that depend on this file again with other variants.
 */
import { join } from "node:path";
import type { Feed } from "../../runtime/features/feed.js";
import { loadModel, type LoadModelOptions, type Model } from "../../runtime/model.js";
import { loadOracle } from "../native/oracle.js";

export const DEMO_MODEL = process.env["GGSL_DEMO_MODEL"] ?? "examples/model/demo-q8_0.gguf";

/** For chains that begin with `logit_bias()`: a text goes on until it has as many tokens as were asked for. */
export const endless = ({ info }: Pick<Model, "info">): { readonly feed: Feed } => ({
  feed: { bias: new Map([[info.eos, -Infinity]]) },
});

/** With the weights of the exact model, the cache that rounds as little as they do. */
export const EXACT_CACHE = { cacheTypeK: "f32", cacheTypeV: "f32" } as const;

/**
 * The demo model in f32. Weights of 8 bits, and a cache of 16, make a model round what flows through it as coarsely, so that a
 * last digit that differs, as between a batch of one and of several sequences, soon becomes a difference that is seen.
 */
export function writeExactModel(folder: string): string {
  const path = join(folder, "exact.gguf");
  loadOracle().rewriteModel(DEMO_MODEL, path, {}, true);
  return path;
}

export const loadExactModel = (folder: string, options: LoadModelOptions = {}): Promise<Model> =>
  loadModel(writeExactModel(folder), { backend: "cpu", ...EXACT_CACHE, ...options });
