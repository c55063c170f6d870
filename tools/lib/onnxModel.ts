/**
 * The demo model as an ONNX model with a key/value cache, as exporters write one: inputs `input_ids` and `past_key_values.<layer>.key` and
 * `.value`, outputs `logits` and `present.<layer>.key` and `.value`. It is llama's architecture, with weights in f32.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  modelBytes,
  type Attribute,
  type OnnxNode,
  type Tensor,
  type ValueInfo,
} from "@ggsl/compiler/emit/onnx/protobuf.js";
import { readGgufFileInfo } from "node-llama-cpp";
import { loadModel } from "ggsl";
import { root, ToolError } from "./process.js";

export const DEMO_MODEL = join(root, "examples", "model", "demo-q8_0.gguf");

/** What the page of examples/onnx offers. */
const PROMPTS = ["In the beginning", "And the LORD said unto", "Call me Ishmael.", "The white whale"];

const OPSET = 17;
/** Types of GGUF's tensors. */
const F32 = 0;
const Q8_0 = 8;
/** Numbers that share a scale in Q8_0. */
const BLOCK = 32;
/** What llama.cpp takes if the file does not say it. */
const LLAMA_BASE = 10_000;
/** Hides later positions. */
const HIDDEN = -1e9;

interface Shape {
  readonly layers: number;
  readonly heads: number;
  /** The numbers of a head. */
  readonly width: number;
  readonly context: number;
  readonly epsilon: number;
  readonly base: number;
}

/** The keys that are read. */
interface LlamaMetadata {
  readonly block_count: number;
  readonly context_length: number;
  readonly attention: { readonly head_count: number; readonly layer_norm_rms_epsilon: number };
  readonly rope: { readonly dimension_count: number; readonly freq_base?: number };
}

interface GgufTensor {
  readonly dims: readonly number[];
  readonly values: Float32Array;
}

/** Writes the model to a folder as `model.onnx`, and what a page must know of it as `model.json`. */
export async function writeOnnxModel(folder: string): Promise<void> {
  const { shape, tensors } = await readModel(DEMO_MODEL);
  using model = await loadModel(DEMO_MODEL);
  const { vocabSize } = model.info;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "model.onnx"), new Llama(shape, tensors).bytes());
  const info = {
    ...shape,
    pieces: Array.from({ length: vocabSize }, (_, token) => [...model.bytesOf(token)]),
    prompts: PROMPTS.map((text) => ({ text, tokens: [...model.tokenize(text)] })),
    end: [...model.tokenize("<|endoftext|>", { special: true })].at(-1),
  };
  writeFileSync(join(folder, "model.json"), JSON.stringify(info));
}

interface Read {
  readonly shape: Shape;
  readonly tensors: ReadonlyMap<string, GgufTensor>;
}

/** Throws `ToolError` for another architecture. */
async function readModel(path: string): Promise<Read> {
  const { metadata, fullTensorInfo } = await readGgufFileInfo(path, { sourceType: "filesystem" });
  const { llama } = metadata as { readonly llama?: LlamaMetadata };
  if (!llama || !fullTensorInfo) throw new ToolError(`${path}: expected a model of llama's architecture`);
  const shape: Shape = {
    layers: llama.block_count,
    heads: llama.attention.head_count,
    width: llama.rope.dimension_count,
    context: llama.context_length,
    epsilon: llama.attention.layer_norm_rms_epsilon,
    base: llama.rope.freq_base ?? LLAMA_BASE,
  };
  const file = readFileSync(path);
  const tensors = fullTensorInfo.map(({ name, dimensions, ggmlType, fileOffset }): [string, GgufTensor] => {
    const dims = dimensions.map(Number);
    return [name, { dims, values: valuesOf(file, Number(fileOffset), ggmlType, dims) }];
  });
  return { shape, tensors: new Map(tensors) };
}

function valuesOf(file: Buffer, offset: number, type: number, dims: readonly number[]): Float32Array {
  const count = dims.reduce((product, dim) => product * dim, 1);
  if (type === F32) return Float32Array.from({ length: count }, (_, i) => file.readFloatLE(offset + 4 * i));
  if (type !== Q8_0) throw new ToolError(`expected tensors of the types F32 and Q8_0, found type ${type}`);
  return Float32Array.from({ length: count }, (_, i) => {
    const block = offset + Math.floor(i / BLOCK) * (BLOCK + 2);
    return half(file.readUInt16LE(block)) * file.readInt8(block + 2 + (i % BLOCK));
  });
}

/** The value of 16 bits, IEEE 754, without infinities. */
function half(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The name of a value. */
type Name = string;

/** Writes the graph. Values are `[batch, position, width]`. */
class Llama {
  private readonly nodes: OnnxNode[] = [];
  private readonly constants: Tensor[] = [];
  private count = 0;

  constructor(
    private readonly shape: Shape,
    private readonly tensors: ReadonlyMap<string, GgufTensor>,
  ) {}

  bytes(): Uint8Array {
    const { layers, heads, width } = this.shape;
    const vocab = this.tensors.get("token_embd.weight")!.dims[1]!;
    this.positions();
    this.hideLater();
    const embedding = this.weight("token_embd");
    let x = this.add("Gather", ["token_embd", "input_ids"]);
    for (let layer = 0; layer < layers; layer++) x = this.layer(x, layer);
    this.add(
      "MatMul",
      [this.norm(x, "output_norm"), this.add("Transpose", [embedding], { perm: [1, 0] })],
      {},
      "logits",
    );
    const caches = (prefix: string, length: string): ValueInfo[] =>
      Array.from({ length: layers }, (_, layer) =>
        ["key", "value"].map((kind): ValueInfo => {
          return { name: `${prefix}.${layer}.${kind}`, type: "f32", dims: ["batch_size", heads, length, width] };
        }),
      ).flat();
    return modelBytes({
      name: "demo",
      opset: OPSET,
      metadata: {},
      graph: {
        nodes: this.nodes,
        constants: this.constants,
        inputs: [
          { name: "input_ids", type: "i64", dims: ["batch_size", "positions"] },
          ...caches("past_key_values", "past"),
        ],
        outputs: [
          { name: "logits", type: "f32", dims: ["batch_size", "positions", vocab] },
          ...caches("present", "total"),
        ],
      },
    });
  }

  private add(op: string, inputs: readonly Name[], attrs: Record<string, Attribute> = {}, name?: Name): Name {
    const output = name ?? `${op}_${this.count++}`;
    this.nodes.push({ op, inputs, outputs: [output], attrs });
    return output;
  }

  private constant(data: Tensor["data"], dims: readonly number[], name = `constant_${this.constants.length}`): Name {
    this.constants.push({ name, type: data instanceof Float32Array ? "f32" : "i64", dims, data });
    return name;
  }

  private f32 = (value: number): Name => this.constant(Float32Array.of(value), []);
  private ids = (...values: readonly number[]): Name =>
    this.constant(BigInt64Array.from(values, BigInt), [values.length]);
  private id = (value: number): Name => this.constant(BigInt64Array.of(BigInt(value)), []);

  /** A weight as it is in the file: `[rows, columns]`, or `[columns]` of a norm. */
  private weight(name: string): Name {
    const tensor = this.tensors.get(`${name}.weight`);
    if (!tensor) throw new ToolError(`expected the tensor ${name}.weight, which is missing`);
    return this.constant(tensor.values, [...tensor.dims].reverse(), name);
  }

  private linear = (x: Name, name: string): Name =>
    this.add("MatMul", [x, this.add("Transpose", [this.weight(name)], { perm: [1, 0] })]);

  /** x over the root of its mean square. */
  private norm(x: Name, name: string): Name {
    const square = this.add("ReduceMean", [this.add("Mul", [x, x])], { axes: [-1], keepdims: 1 });
    const root = this.add("Sqrt", [this.add("Add", [square, this.f32(this.shape.epsilon)])]);
    return this.add("Mul", [this.add("Div", [x, root]), this.weight(name)]);
  }

  /** `past`, `total` and `places`: the number of positions before and with these, and those of these. */
  private positions(): void {
    const { context, width, base } = this.shape;
    this.add("Shape", ["past_key_values.0.key"], { start: 2, end: 3 }, "past");
    this.add("Add", ["past", this.add("Shape", ["input_ids"], { start: 1, end: 2 })], {}, "total");
    const scalar = (name: Name): Name => this.add("Squeeze", [name, this.ids(0)]);
    this.add("Range", [scalar("past"), scalar("total"), this.id(1)], {}, "places");
    const angles = Float64Array.from({ length: (context * width) / 2 }, (_, i) => {
      const pairs = width / 2;
      return Math.floor(i / pairs) * base ** -((i % pairs) / pairs);
    });
    for (const [name, f] of [
      ["cos", Math.cos],
      ["sin", Math.sin],
    ] as const) {
      const table = this.constant(Float32Array.from(angles, f), [context, width / 2]);
      this.add("Gather", [table, "places"], {}, name);
    }
  }

  /** `mask`: 0 for the positions up to each one, else a very negative number. */
  private hideLater(): void {
    const scalar = this.add("Squeeze", ["total", this.ids(0)]);
    const all = this.add("Range", [this.id(0), scalar, this.id(1)]);
    const isLater = this.add("Greater", [all, this.add("Unsqueeze", ["places", this.ids(1)])]);
    this.add("Where", [isLater, this.f32(HIDDEN), this.f32(0)], {}, "mask");
  }

  /** `[batch, position, heads * width]` as `[batch, head, position, width]`. */
  private split(x: Name): Name {
    const { heads, width } = this.shape;
    const shaped = this.add("Reshape", [x, this.ids(0, 0, heads, width)]);
    return this.add("Transpose", [shaped], { perm: [0, 2, 1, 3] });
  }

  /** Turns pairs of neighbours by the angle of their position. The order of the results is the same for keys and queries. */
  private rotate(x: Name): Name {
    const every = (start: number): Name =>
      this.add("Slice", [x, this.ids(start), this.ids(this.shape.width), this.ids(3), this.ids(2)]);
    const [a, b] = [every(0), every(1)];
    const product = (of: Name, table: Name): Name => this.add("Mul", [of, table]);
    const first = this.add("Sub", [product(a, "cos"), product(b, "sin")]);
    const second = this.add("Add", [product(a, "sin"), product(b, "cos")]);
    return this.add("Concat", [first, second], { axis: 3 });
  }

  private layer(x: Name, layer: number): Name {
    const block = `blk.${layer}`;
    const attended = this.add("Add", [x, this.attention(this.norm(x, `${block}.attn_norm`), layer)]);
    const n = this.norm(attended, `${block}.ffn_norm`);
    const gate = this.linear(n, `${block}.ffn_gate`);
    const opened = this.add("Mul", [gate, this.add("Sigmoid", [gate])]);
    const hidden = this.add("Mul", [opened, this.linear(n, `${block}.ffn_up`)]);
    return this.add("Add", [attended, this.linear(hidden, `${block}.ffn_down`)]);
  }

  private attention(n: Name, layer: number): Name {
    const { heads, width } = this.shape;
    const part = (name: string): Name => this.split(this.linear(n, `blk.${layer}.attn_${name}`));
    const cached = (kind: string, x: Name): Name => {
      const past = `past_key_values.${layer}.${kind}`;
      return this.add("Concat", [past, x], { axis: 2 }, `present.${layer}.${kind}`);
    };
    const query = this.rotate(part("q"));
    const keys = cached("key", this.rotate(part("k")));
    const values = cached("value", part("v"));
    const products = this.add("MatMul", [query, this.add("Transpose", [keys], { perm: [0, 1, 3, 2] })]);
    const scaled = this.add("Mul", [products, this.f32(width ** -0.5)]);
    const weights = this.add("Softmax", [this.add("Add", [scaled, "mask"])], { axis: -1 });
    const mixed = this.add("Transpose", [this.add("MatMul", [weights, values])], { perm: [0, 2, 1, 3] });
    return this.linear(this.add("Reshape", [mixed, this.ids(0, 0, heads * width)]), `blk.${layer}.attn_output`);
  }
}
