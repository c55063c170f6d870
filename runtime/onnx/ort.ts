/** The part of onnxruntime-common's interface that is used: that of onnxruntime-node, onnxruntime-web and onnxruntime-react-native. */
import * as is from "../core/check.js";

/** `import * as ort from "onnxruntime-node"`, or of another of its packages, whose type of tensors is `Tensor`. */
export interface Ort<Tensor extends OrtTensor = OrtTensor> {
  readonly InferenceSession: {
    create(model: Uint8Array, options?: object): Promise<OrtSession>;
  };
  readonly Tensor: OrtTensorClass<Tensor>;
}

export interface OrtSession {
  run(feeds: Readonly<Record<string, OrtTensor>>): Promise<Readonly<Record<string, OrtTensor>>>;
  release(): Promise<void>;
}

export interface OrtTensor {
  readonly dims: readonly number[];
  /** The values of a tensor that is in the memory of this process. */
  readonly data: unknown;
}

interface OrtTensorClass<Tensor> {
  new (type: "float32", data: Float32Array, dims: readonly number[]): Tensor;
  new (type: "int32", data: Int32Array, dims: readonly number[]): Tensor;
}

const isOrt = (value: unknown): boolean => {
  const { InferenceSession, Tensor } = (value ?? {}) as Partial<Ort>;
  return typeof InferenceSession?.create === "function" && typeof Tensor === "function";
};

/** Throws `InputError` for another value. */
export const checkOrt = is.that("ONNX Runtime, such as the module onnxruntime-node or onnxruntime-web", isOrt);
