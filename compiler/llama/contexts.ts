/** What a context of llama.cpp is made with: the values that its settings can have. */

/**
 * Types that the cache of keys and values can have, as llama.cpp's `--cache-type-k` and `--cache-type-v` name them: its attention
 * has kernels for no others.
 */
export const CACHE_TYPES = ["f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1"] as const;
/** One of `CACHE_TYPES`, ggml's names of number formats. */
export type CacheType = (typeof CACHE_TYPES)[number];

export const FLASH_ATTENTION = ["auto", "on", "off"] as const;
/** When attention is computed without the matrix of all weights in memory. */
export type FlashAttention = (typeof FLASH_ATTENTION)[number];

/** Tokens of context at most. */
export const MAX_CONTEXT = 2 ** 24;
/** Tokens that a sampler looks back on at most: as many as a context has. */
export const MAX_HISTORY = MAX_CONTEXT;
export const MAX_THREADS = 512;
/** More than any model has. */
export const MAX_LAYERS = 10_000;
