/**
 * The messages of an ONNX model in protobuf's wire form, from the numbers of fields in onnx.proto.
 * @bufbuild/protobuf writes and reads the wire form; its generator would make a schema of all messages, of which these are a few.
 */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** The numbers of `TensorProto.DataType`. */
export const TYPES = { f32: 1, i32: 6, i64: 7, f64: 11 } as const;
export type ElementType = keyof typeof TYPES;

export type Attribute = number | readonly number[];

export interface OnnxNode {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attrs: Readonly<Record<string, Attribute>>;
}

export interface Tensor {
  readonly name: string;
  readonly type: ElementType;
  readonly dims: readonly number[];
  readonly data: Float32Array | BigInt64Array;
}

/** An input or output; a dim is a number, or a name for one that is not known. */
export interface ValueInfo {
  readonly name: string;
  readonly type: ElementType;
  readonly dims: readonly (number | string)[];
}

export interface OnnxGraph {
  readonly name: string;
  readonly nodes: readonly OnnxNode[];
  readonly constants: readonly Tensor[];
  readonly inputs: readonly ValueInfo[];
  readonly outputs: readonly ValueInfo[];
}

export interface OnnxModel {
  readonly graph: OnnxGraph;
  readonly opset: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The numbers of `AttributeProto.AttributeType`. */
const INT = 2;
const INTS = 7;

/** The version of the file's form that belongs to a version of the operators. */
const irVersion = (opset: number): number => (opset >= 21 ? 10 : opset >= 19 ? 9 : 8);

export const modelBytes = (model: OnnxModel): Uint8Array => {
  const w = new Messages();
  w.int(1, irVersion(model.opset));
  w.text(2, "ggsl");
  w.message(7, () => w.graph(model.graph));
  w.message(8, () => (w.text(1, ""), w.int(2, model.opset)));
  for (const [key, value] of Object.entries(model.metadata)) w.message(14, () => (w.text(1, key), w.text(2, value)));
  return w.finish();
};

class Messages {
  private readonly out = new BinaryWriter();

  finish = (): Uint8Array => this.out.finish();

  int(field: number, value: number): void {
    this.out.tag(field, WireType.Varint).int64(value);
  }

  text(field: number, value: string): void {
    this.out.tag(field, WireType.LengthDelimited).string(value);
  }

  message(field: number, body: () => unknown): void {
    this.out.tag(field, WireType.LengthDelimited).fork();
    body();
    this.out.join();
  }

  graph({ name, nodes, constants, inputs, outputs }: OnnxGraph): void {
    for (const node of nodes) this.message(1, () => this.node(node));
    this.text(2, name);
    for (const tensor of constants) this.message(5, () => this.tensor(tensor));
    for (const input of inputs) this.message(11, () => this.value(input));
    for (const output of outputs) this.message(12, () => this.value(output));
  }

  private node({ op, inputs, outputs, attrs }: OnnxNode): void {
    for (const input of inputs) this.text(1, input);
    for (const output of outputs) this.text(2, output);
    this.text(3, outputs[0]!);
    this.text(4, op);
    for (const [name, value] of Object.entries(attrs)) this.message(5, () => this.attribute(name, value));
  }

  private attribute(name: string, value: Attribute): void {
    this.text(1, name);
    if (typeof value === "number") this.int(3, value);
    else for (const x of value) this.int(8, x);
    this.int(20, typeof value === "number" ? INT : INTS);
  }

  private tensor({ name, type, dims, data }: Tensor): void {
    for (const dim of dims) this.int(1, dim);
    this.int(2, TYPES[type]);
    this.text(8, name);
    // little-endian, as on every platform that JavaScript runs on here
    const { buffer, byteOffset, byteLength } = data;
    this.out.tag(9, WireType.LengthDelimited).bytes(new Uint8Array(buffer, byteOffset, byteLength));
  }

  private value({ name, type, dims }: ValueInfo): void {
    this.text(1, name);
    this.message(2, () =>
      this.message(1, () => {
        this.int(1, TYPES[type]);
        this.message(2, () => dims.forEach((dim) => this.message(1, () => this.dim(dim))));
      }),
    );
  }

  private dim(dim: number | string): void {
    if (typeof dim === "number") this.int(1, dim);
    else this.text(2, dim);
  }
}
