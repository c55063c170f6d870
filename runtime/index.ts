/**
 * Chains, models, and texts that they write: the public interface of the package.
 * @module ggsl
 */
export { CompileError, type Diagnostic, type Fix, type Note } from "@ggsl/compiler/diagnostics/diagnostic.js";
export { formatDiagnostic, formatDiagnostics, type FormatOptions } from "@ggsl/compiler/check/format.js";
export type { Importer, RefusedImport } from "@ggsl/compiler/source/importer.js";
export type { CompileOptions, OutputName } from "@ggsl/compiler/driver.js";
export type { Graph } from "@ggsl/compiler/graph/graph.js";
export { costOf, type Cost } from "@ggsl/compiler/graph/cost.js";
export { LIMIT_PRESETS, type LimitOptions, type LimitPreset, type Limits } from "@ggsl/compiler/limits/limits.js";
export {
  fromSpec,
  readSpec,
  SpecError,
  toSpec,
  writeSpec,
  type GraphSpec,
  type SpecOptions,
} from "@ggsl/compiler/graph/json.js";
export type { Settings } from "@ggsl/compiler/lower/params.js";
export type { SourceFile, Span } from "@ggsl/compiler/source/source.js";
export type { SamplingAdvice } from "@ggsl/settings/from/advice.js";
export { printGraph } from "@ggsl/compiler/graph/text.js";
export type { BatchOptions, GenerationBatch } from "./models/batch.js";
export { chainOf, compile, compilePipeline, type Chain } from "./chain/chain.js";
export type { AnyChainTypes, ChainTypes, EvaluateOptionsOf, Measured, Plain } from "./chain/chainTypes.js";
export type { ChatMessage, TextPart, Tool, ToolCall } from "./chat/messages.js";
export type { CallPart, Part } from "./chat/answer.js";
export type { ToolChoice } from "./chat/calls/choice.js";
export type { Effort } from "./chat/reasoning/efforts.js";
export type { ChatOptions } from "./chat/render.js";
export type { CacheType, FlashAttention } from "@ggsl/compiler/llama/contexts.js";
export type { ContextSettings } from "./backends/contextOptions.js";
export { demoModel } from "./models/demo.js";
export { chooseDevice, type ChosenDevice, type DeviceRequest, type Skipped } from "./backends/devices/choose.js";
export type { DeviceBackend, GpuBackend } from "./backends/devices/locate.js";
export type { DeviceChoice } from "./backends/devices/several.js";
export type { Split } from "./backends/devices/place.js";
export type { ModelErrorCode } from "./core/errorCodes.js";
export { AbortError, InputError, ModelError, type InputErrorCode } from "./core/errors.js";
export {
  createEvaluator,
  type Candidate,
  type EvaluateBackend,
  type EvaluateOptions,
  type Evaluation,
  type Evaluator,
} from "./chain/evaluate.js";
export type {
  GenerateOptions,
  Generation,
  GenerationStats,
  Logprob,
  Piece,
  RunOptions,
  Saved,
  SequenceRequest,
} from "./generation/generate.js";
export type { EndOptions } from "./generation/ends.js";
export type { PhraseOptions } from "./generation/phrases/options.js";
export type { PatternPhrase, Phrase, TextPhrase } from "./sequence/phrases/phrases.js";
export type { ThoughtLimit } from "./generation/thought.js";
export type { Guide, Guides } from "./sequence/guides.js";
export type { Alternative } from "./generation/likeliest.js";
export type { LogitsOptions } from "./models/logits.js";
export type { Answer, AnswerLimits, AnswerParts } from "./models/answers.js";
export { loadModel, loadModelFromBytes, loadVocabulary, type Model } from "./models/model.js";
export {
  type BytesOptions,
  type LoadModelOptions,
  type ModelBackend,
  type TokenizeChatOptions,
  type PrepareGrammarOptions,
  type RenderChatOptions,
  type TokenizeLaterOptions,
} from "./models/options.js";
export type { ContextStats, ModelInfo } from "./backends/native/binding.js";
export type { TokenizeOptions } from "./sequence/prompt.js";
export type { UniformValues } from "./sequence/sequence.js";
export type { StageTrace } from "./sequence/trace.js";
export type { GrammarSource, GrammarState, SchemaSource } from "./grammars/types.js";
export type { Feed, Pairs } from "./sequence/features/feed.js";
export type { TokenList } from "./sequence/features/sets.js";
export type { GivenVocabulary, TokenClass, Vocabulary } from "./core/vocabulary.js";
export type { SavedSequence } from "./sequence/savedSequence.js";
export type { LogitValues, StepOptions } from "./chain/openSteps.js";
export type { DraftOptions, LookupOptions, Speculate } from "./decode/speculation/options.js";
export {
  ModelWorker,
  type WorkerChatOptions,
  type WorkerGenerateOptions,
  type WorkerGeneration,
} from "./models/thread/client.js";
export type { GenerationEnd, Token } from "./models/thread/messages.js";
export type { GenerateOptionsOf, GenerationOf, SequenceRequestOf } from "./generation/typed.js";
export { loadGrammars } from "./grammars/engine.js";
export { loadWasm } from "./backends/wasm/loader.js";
export type { ModuleSource } from "./backends/wasm/source.js";
export type { WasmModule } from "./backends/wasm/webAssembly.js";
export {
  detectAaronson,
  detectSynthId,
  detectWatermark,
  type DetectOptions,
  type GreenScore,
  type SynthIdOptions,
  type SynthIdScore,
  type WatermarkScore,
} from "./chain/watermark.js";
