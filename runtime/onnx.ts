/**
 * Chains in ONNX Runtime.
 * @module ggsl/onnx
 */
export { EmitError } from "@ggsl/compiler/emit/emitError.js";
export { emitOnnx } from "@ggsl/compiler/emit/onnx/emit.js";
export { appendOnnx, type AppendOptions } from "@ggsl/compiler/emit/onnx/append.js";
export { OnnxModelError } from "@ggsl/compiler/emit/onnx/modelError.js";
export type { OnnxOptions } from "@ggsl/compiler/emit/onnx/options.js";
export { createOnnxEvaluator, type OnnxEvaluateOptions, type OnnxEvaluator } from "./onnx/evaluate.js";
export { createAppendedSampler, type AppendedSampler, type AppendedSamplerOptions } from "./onnx/appended.js";
export type { Ort } from "./onnx/ort.js";
export type { StepResult } from "./chain/openSteps.js";
