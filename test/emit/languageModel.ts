/**
 * Small ONNX language models, made here. After the tokens t1 ... tn the logits are `tanh(E[tn] + sum of E[t1 ... tn] / 10) W`. The sum is
 * that of the key/value cache, or of the text if there is none; the token that fills prompts up has zeros in E.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { modelBytes, type OnnxGraph, type OnnxNode, type Tensor } from "../../compiler/emit/onnx/protobuf.js";
import { FIELD, TYPES } from "../../compiler/emit/onnx/schema.js";

export interface ModelOptions {
  readonly vocab?: number;
  readonly width?: number;
  readonly opset?: number;
  readonly type?: "f32" | "f16";
  readonly hasCache?: boolean;
  /** What the model declares as the vocabulary. */
  readonly declared?: number | string;
  /** The name of a file for the largest weights, `external` of the result. */
  readonly externalFile?: string;
}

interface SmallModel {
  readonly bytes: Uint8Array;
  readonly external: Uint8Array;
  readonly graph: OnnxGraph;
  /** Of a text, calculated here. */
  readonly logitsAfter: (tokens: readonly number[]) => Float32Array;
}

/** The share of the text so far. */
const SHARE = 0.1;

export function smallModel(options: ModelOptions = {}): SmallModel {
  const { vocab = 2000, width = 32, opset = 17 } = options;
  const normal = normals(2);
  const embedding = Float32Array.from({ length: vocab * width }, normal).fill(0, (vocab - 1) * width);
  const weights = Float32Array.from({ length: width * vocab }, () => 0.7 * normal());
  const tensor = (name: string, dims: number[], data: Tensor["data"]): Tensor => {
    return { name, type: data instanceof Float32Array ? "f32" : "i64", dims, data };
  };
  const large = tensor("weights", [width, vocab], weights);
  const graph: OnnxGraph = {
    ...graphOf(options, vocab, width),
    constants: [
      tensor("embedding", [vocab, width], embedding),
      tensor("share", [], Float32Array.of(SHARE)),
      tensor("axis", [1], BigInt64Array.of(1n)),
      tensor("positions", [1], BigInt64Array.of(2n)),
      ...(options.externalFile === undefined ? [large] : []),
    ],
  };
  const bytes = modelBytes({ name: "lm", graph, opset, metadata: {} });
  return {
    bytes: options.externalFile === undefined ? bytes : Buffer.concat([bytes, referring(large, options.externalFile)]),
    external: new Uint8Array(weights.buffer),
    graph,
    logitsAfter(tokens) {
      const logits = new Float32Array(vocab);
      for (let i = 0; i < width; i++) {
        const at = (token: number): number => embedding[token * width + i]!;
        const sum = tokens.reduce((all, token) => all + at(token), 0);
        const h = Math.tanh(at(tokens.at(-1)!) + SHARE * sum);
        for (let v = 0; v < vocab; v++) logits[v]! += h * weights[i * vocab + v]!;
      }
      return logits;
    },
  };
}

/** Writes a model as transformers.js reads it, under the name `lm`. */
export function writeSmallModel(folder: string, options: ModelOptions = {}): SmallModel {
  const model = smallModel(options);
  const { vocab = 2000, width = 32 } = options;
  const config = {
    model_type: "gpt2",
    architectures: ["GPT2LMHeadModel"],
    is_encoder_decoder: false,
    n_layer: 1,
    n_head: 1,
    n_embd: width,
    vocab_size: vocab,
  };
  mkdirSync(join(folder, "lm", "onnx"), { recursive: true });
  writeFileSync(join(folder, "lm", "onnx", "model.onnx"), model.bytes);
  writeFileSync(join(folder, "lm", "config.json"), JSON.stringify(config));
  writeFileSync(join(folder, "lm", "generation_config.json"), JSON.stringify({ eos_token_id: null, bos_token_id: 0 }));
  return model;
}

/** Normally distributed numbers, the same for a seed. */
function normals(seed: number): () => number {
  let state = seed;
  const uniform = (): number => (state = (state * 48271) % 2147483647) / 2147483647;
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

function graphOf(options: ModelOptions, vocab: number, width: number): Omit<OnnxGraph, "constants"> {
  const { type = "f32", hasCache = true, declared = vocab } = options;
  const node = (op: string, inputs: string[], output: string, attrs: OnnxNode["attrs"] = {}): OnnxNode => {
    return { op, inputs, outputs: [output], attrs };
  };
  const cache = (name: string, length: string): OnnxGraph["inputs"][number] => {
    return { name, type: "f32", dims: ["batch_size", 1, length, width] };
  };
  const past = [cache("past_key_values.0.key", "past"), cache("past_key_values.0.value", "past")];
  const present = [cache("present.0.key", "total"), cache("present.0.value", "total")];
  return {
    nodes: [
      node("Gather", ["embedding", "input_ids"], "e"),
      node("Unsqueeze", ["e", "axis"], "k"),
      ...(hasCache
        ? past.map(({ name }, i) => node("Concat", [name, "k"], present[i]!.name, { axis: 2 }))
        : [node("Identity", ["k"], "present.0.key")]),
      node("ReduceSum", ["present.0.key", "positions"], "sum", { keepdims: 0 }),
      node("Mul", ["sum", "share"], "shared"),
      node("Add", ["e", "shared"], "h"),
      node("Tanh", ["h"], "t"),
      node("MatMul", ["t", "weights"], type === "f32" ? "logits" : "wide"),
      ...(type === "f32" ? [] : [node("Cast", ["wide"], "logits", { to: TYPES[type] })]),
    ],
    inputs: [
      { name: "input_ids", type: "i64", dims: ["batch_size", "sequence"] },
      ...(hasCache ? [{ name: "attention_mask", type: "i64" as const, dims: ["batch_size", "total"] }, ...past] : []),
    ],
    outputs: [{ name: "logits", type, dims: ["batch_size", "sequence", declared] }, ...(hasCache ? present : [])],
  };
}

/** What is appended to a model for a tensor whose data are in a file of their own. */
function referring({ name, type, dims }: Tensor, file: string): Uint8Array {
  const w = new BinaryWriter();
  const message = (field: number, body: () => unknown): unknown => {
    w.tag(field, WireType.LengthDelimited).fork();
    return [body(), w.join()];
  };
  const { tensor, entry, model, graph } = FIELD;
  message(model.graph, () =>
    message(graph.initializer, () => {
      for (const dim of dims) w.tag(tensor.dims, WireType.Varint).int64(dim);
      w.tag(tensor.type, WireType.Varint).int32(TYPES[type]);
      w.tag(tensor.name, WireType.LengthDelimited).string(name);
      message(tensor.externalData, () => {
        w.tag(entry.key, WireType.LengthDelimited).string("location");
        w.tag(entry.value, WireType.LengthDelimited).string(file);
      });
      // DataLocation.EXTERNAL
      w.tag(14, WireType.Varint).int32(1);
    }),
  );
  return w.finish();
}
