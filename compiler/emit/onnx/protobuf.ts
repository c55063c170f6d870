/**
 * The messages of an ONNX model in protobuf's wire form.
 * @bufbuild/protobuf writes and reads the wire form; its generator would make a schema of all messages, of which these are a few.
 */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { FIELD, INT, INTS, TYPES, type ElementType } from "./schema.js";

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
  readonly nodes: readonly OnnxNode[];
  readonly constants: readonly Tensor[];
  readonly inputs: readonly ValueInfo[];
  readonly outputs: readonly ValueInfo[];
}

/** What a model and an addition to one have. */
interface OnnxPart {
  readonly graph: OnnxGraph;
  readonly metadata: Readonly<Record<string, string>>;
}

interface OnnxModel extends OnnxPart {
  /** The name of the graph. */
  readonly name: string;
  readonly opset: number;
}

/** The version of the file's form that belongs to a version of the operators. */
const irVersion = (opset: number): number => (opset >= 21 ? 10 : opset >= 19 ? 9 : 8);

export function modelBytes({ name, opset, ...part }: OnnxModel): Uint8Array {
  const w = new Messages();
  w.int(FIELD.model.irVersion, irVersion(opset));
  w.text(FIELD.model.producer, "ggsl");
  w.message(FIELD.model.opset, () => (w.text(FIELD.opset.domain, ""), w.int(FIELD.opset.version, opset)));
  w.part(part, name);
  return w.finish();
}

/**
 * What is appended to the bytes of a model: protobuf reads two messages in a row as one, with the lists of both. It has none of the
 * fields that are no lists, as these would replace the model's.
 */
export function additionBytes(part: OnnxPart): Uint8Array {
  const w = new Messages();
  w.part(part);
  return w.finish();
}

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

  part({ graph, metadata }: OnnxPart, name?: string): void {
    this.message(FIELD.model.graph, () => this.graph(graph, name));
    for (const [key, value] of Object.entries(metadata))
      this.message(FIELD.model.metadata, () => (this.text(FIELD.entry.key, key), this.text(FIELD.entry.value, value)));
  }

  private graph({ nodes, constants, inputs, outputs }: OnnxGraph, name: string | undefined): void {
    for (const node of nodes) this.message(FIELD.graph.node, () => this.node(node));
    if (name !== undefined) this.text(FIELD.graph.name, name);
    for (const tensor of constants) this.message(FIELD.graph.initializer, () => this.tensor(tensor));
    for (const input of inputs) this.message(FIELD.graph.input, () => this.value(input));
    for (const output of outputs) this.message(FIELD.graph.output, () => this.value(output));
  }

  private node({ op, inputs, outputs, attrs }: OnnxNode): void {
    for (const input of inputs) this.text(FIELD.node.input, input);
    for (const output of outputs) this.text(FIELD.node.output, output);
    this.text(FIELD.node.name, outputs[0]!);
    this.text(FIELD.node.op, op);
    for (const [name, value] of Object.entries(attrs))
      this.message(FIELD.node.attribute, () => this.attribute(name, value));
  }

  private attribute(name: string, value: Attribute): void {
    const { int, ints, type } = FIELD.attribute;
    this.text(FIELD.attribute.name, name);
    if (typeof value === "number") this.int(int, value);
    else for (const x of value) this.int(ints, x);
    this.int(type, typeof value === "number" ? INT : INTS);
  }

  private tensor({ name, type, dims, data }: Tensor): void {
    for (const dim of dims) this.int(FIELD.tensor.dims, dim);
    this.int(FIELD.tensor.type, TYPES[type]);
    this.text(FIELD.tensor.name, name);
    // little-endian, as on every platform that JavaScript runs on here
    const { buffer, byteOffset, byteLength } = data;
    this.out.tag(FIELD.tensor.raw, WireType.LengthDelimited).bytes(new Uint8Array(buffer, byteOffset, byteLength));
  }

  private value({ name, type, dims }: ValueInfo): void {
    this.text(FIELD.value.name, name);
    this.message(FIELD.value.type, () =>
      this.message(FIELD.type.tensor, () => {
        this.int(FIELD.tensorType.element, TYPES[type]);
        this.message(FIELD.tensorType.shape, () =>
          dims.forEach((dim) => this.message(FIELD.shape.dim, () => this.dim(dim))),
        );
      }),
    );
  }

  private dim(dim: number | string): void {
    if (typeof dim === "number") this.int(FIELD.dim.size, dim);
    else this.text(FIELD.dim.name, dim);
  }
}
