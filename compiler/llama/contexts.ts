/** The valid values of llama.cpp's context settings. */

/**
 * Types of the KV cache, as named by llama.cpp's `--cache-type-k` and `--cache-type-v`: its attention has kernels for no
 * others.
 */
export const CACHE_TYPES = ["f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1"] as const;
/** One of `CACHE_TYPES`, ggml's names of number formats. */
export type CacheType = (typeof CACHE_TYPES)[number];

export const FLASH_ATTENTION = ["auto", "on", "off"] as const;
/** When flash attention is used: attention without the full matrix of weights in memory. */
export type FlashAttention = (typeof FLASH_ATTENTION)[number];

export const CACHES = ["auto", "shared"] as const;
/**
 * Where the tokens of sequences that run at the same time are: `shared`, one cache for all; `auto`, each has its own, unless the model or
 * a text needs one for all.
 */
export type CacheKind = (typeof CACHES)[number];

/** The largest context size, in tokens. */
export const MAX_CONTEXT = 2 ** 24;
/** The largest number of tokens of one batch. */
export const MAX_BATCH = 2 ** 16;
/** The longest window of a sampler, in tokens: the largest context size. */
export const MAX_HISTORY = MAX_CONTEXT;
export const MAX_THREADS = 512;
/** The most outputs of a sequence in one batch that are computed by one graph. */
export const MAX_ROWS = 64;
/**
 * Up to so many sequences have one cache for all once one of them has drafts: then one graph computes them with different numbers of
 * tokens. More would wait longer for attention that passes over the tokens of all.
 */
export const DRAFTING_TOGETHER = 8;
/** More than any model has. */
export const MAX_LAYERS = 10_000;
