/** The numbers of onnx.proto: its fields and types, of the messages that are written or read here. */

export const FIELD = {
  model: { irVersion: 1, producer: 2, graph: 7, opset: 8, metadata: 14 },
  opset: { domain: 1, version: 2 },
  /** An entry of metadata, or of what names a file with weights. */
  entry: { key: 1, value: 2 },
  graph: { node: 1, name: 2, initializer: 5, input: 11, output: 12 },
  node: { input: 1, output: 2, name: 3, op: 4, attribute: 5 },
  attribute: { name: 1, int: 3, tensor: 5, graph: 6, ints: 8, tensors: 10, graphs: 11, type: 20 },
  tensor: { dims: 1, type: 2, name: 8, raw: 9, externalData: 13 },
  /** An input or an output. */
  value: { name: 1, type: 2 },
  type: { tensor: 1 },
  tensorType: { element: 1, shape: 2 },
  shape: { dim: 1 },
  dim: { size: 1, name: 2 },
} as const;

/** `AttributeProto.AttributeType`. */
export const INT = 2;
export const INTS = 7;

/** `TensorProto.DataType`. */
export const TYPES = { f32: 1, i32: 6, i64: 7, f16: 10, f64: 11, bf16: 16 } as const;
export type ElementType = keyof typeof TYPES;

/** The types that a model's logits may have. */
export const FLOATS = ["f32", "f16", "f64", "bf16"] as const satisfies readonly ElementType[];
export type FloatType = (typeof FLOATS)[number];
