/**
 * The demo model, for tests whose results do not depend on how the processor rounds: in WebAssembly, of the vocabulary, of files,
 * errors and batches. All others that run it import demo.ts.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Feed } from "../../runtime/sequence/features/feed.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import type { LoadModelOptions } from "../../runtime/models/options.js";
import { loadOracle } from "../native/oracle.js";

export const DEMO_MODEL = process.env["GGSL_DEMO_MODEL"] ?? "examples/model/demo-q8_0.gguf";

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

/** Loads the exact model, with contexts of 256 tokens. */
export async function loadExactModel(options: LoadModelOptions = {}): Promise<Model> {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-exact-"));
  try {
    return await loadModel(writeExactModel(folder), { threads: 1, contextSize: 256, ...EXACT, ...options });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
