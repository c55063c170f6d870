/**
 * Chains, models, and texts that they write: the public interface of the package.
 * @module ggsl
 */
export { CompileError, type Diagnostic } from "@ggsl/compiler/check/diagnostics.js";
export { formatDiagnostic, formatDiagnostics } from "@ggsl/compiler/check/format.js";
export type { CompileOptions } from "@ggsl/compiler/driver.js";
export type { Graph } from "@ggsl/compiler/graph/graph.js";
export { costOf, type Cost } from "@ggsl/compiler/graph/cost.js";
export { LIMIT_PRESETS, type LimitOptions, type Limits } from "@ggsl/compiler/limits/limits.js";
export { fromSpec, readSpec, SpecError, toSpec, writeSpec, type GraphSpec } from "@ggsl/compiler/graph/json.js";
export { printGraph } from "@ggsl/compiler/graph/text.js";
export type { BatchOptions, GenerationBatch } from "./batch.js";
export { chainOf, compile, compilePipeline, type Chain } from "./chain.js";
export type { AnyChainTypes, ChainTypes, EvaluateOptionsOf } from "./chainTypes.js";
export type { ChatMessage, TextPart, Tool, ToolCall } from "./chat/messages.js";
export type { ChatOptions } from "./chat/render.js";
export type { CacheType, FlashAttention } from "@ggsl/compiler/llama/contexts.js";
export type { ContextSettings } from "./contextOptions.js";
export { chooseDevice, type ChosenDevice, type DeviceRequest, type Skipped } from "./devices/choose.js";
export type { Split } from "./devices/place.js";
export { AbortError, InputError, ModelError, type InputErrorCode } from "./errors.js";
export { createEvaluator, type Candidate, type EvaluateOptions, type Evaluation, type Evaluator } from "./evaluate.js";
export type {
  GenerateOptions,
  Generation,
  GenerationStats,
  Logprob,
  Piece,
  RunOptions,
  Saved,
  SequenceRequest,
} from "./generate.js";
export type { Guide, Guides } from "./guides.js";
export type { Alternative } from "./likeliest.js";
export type { LogitsOptions } from "./logits.js";
export {
  loadModel,
  loadModelFromBytes,
  loadVocabulary,
  type BytesOptions,
  type LoadModelOptions,
  type Model,
} from "./model.js";
export type { TokenizeOptions } from "./prompt.js";
export type { UniformValues } from "./sequence.js";
export type { GrammarSource } from "./grammars/types.js";
export type { Feed, Pairs } from "./features/feed.js";
export type { GivenVocabulary, TokenClass, Vocabulary } from "./features/vocabulary.js";
export type { SavedSequence } from "./savedSequence.js";
export type { DraftOptions, LookupOptions, Speculate } from "./speculation/options.js";
export {
  ModelWorker,
  type WorkerChatOptions,
  type WorkerGenerateOptions,
  type WorkerGeneration,
} from "./wasm/llama/client.js";
export type { GenerationEnd, Token } from "./wasm/llama/messages.js";
export type { GenerateOptionsOf, GenerationOf, SequenceRequestOf } from "./typed.js";
export { loadGrammars } from "./grammars/xgrammar/client.js";
export { loadWasm } from "./wasm/loader.js";
export {
  detectAaronson,
  detectWatermark,
  type DetectOptions,
  type GreenScore,
  type WatermarkScore,
} from "./watermark.js";
