/**
 * The demo model, for the tests that run it. Variants of ggml's CPU backend round differently, so its logits differ from processor
 * to processor: `npm test` runs all tests that depend on this file again with other variants.
 */
import { join } from "node:path";
import type { Feed } from "../../runtime/features/feed.js";
import type { Model } from "../../runtime/model.js";
import { loadOracle } from "../native/oracle.js";
import { DEMO_MODEL } from "./file.js";

export { DEMO_MODEL };

/** For chains that begin with `logit_bias()`: a text goes on until it has as many tokens as were asked for. */
export const endless = ({ info }: Pick<Model, "info">): { readonly feed: Feed } => ({
  feed: { bias: new Map([[info.eos, -Infinity]]) },
});

/**
 * The demo model in f32. Weights of 8 bits make a model round what flows through it to 8 bits, too, so that a last digit that
 * differs, as between a batch of one and of several sequences, soon becomes a difference of 0.1. In f32 it stays below 1e-5.
 */
export function writeExactModel(folder: string): string {
  const path = join(folder, "exact.gguf");
  loadOracle().rewriteModel(DEMO_MODEL, path, {}, true);
  return path;
}

/** For contexts of the exact model: a cache of 16 bits rounds, and so does flash attention, whatever the cache is. */
export const EXACT = { cacheTypeK: "f32", cacheTypeV: "f32", flashAttention: "off" } as const;
