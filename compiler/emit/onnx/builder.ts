/** Collects the nodes and constants of an ONNX graph, and binds dims. */
import type { OpName } from "../../graph/ops.js";
import type { Attrs, Dim } from "../../graph/vector.js";
import { bindDim } from "../../graph/wire.js";
import { OWN, type Surface } from "../surface.js";
import type { KnownOptions } from "./options.js";
import type { Attribute, OnnxNode, Tensor } from "./protobuf.js";
import { TYPES, type ElementType } from "./schema.js";

/** The name of a value. */
export type Name = string;

/** A value of the graph. One without a batch is `[1, dim]`, the same for all sequences. */
export interface Value {
  readonly name: Name;
  /** The op that gives it. */
  readonly op: OpName;
  readonly dim: Dim;
  readonly isBatched: boolean;
}

/** A node of the graph that is emitted. */
export interface Use {
  readonly operands: readonly Value[];
  readonly attrs: Attrs;
  readonly dim: Dim;
}

/** Emits an op. The result is batched if an operand is, unless the emitter says it. */
export type Emitter = (b: Builder, use: Use) => Name | Pick<Value, "name" | "isBatched">;

/** Rows beyond which f32 sums and softmax lose too much. */
const MANY = 1024;

/** Begins the names inside the model: those of inputs and outputs have no other dot. */
const INSIDE = `${OWN}inside.`;

const ones = (count: number): number[] => Array.from({ length: count }, () => 1);

export class Builder {
  readonly nodes: OnnxNode[] = [];
  readonly constants: Tensor[] = [];
  private readonly known = new Map<string, Name>();
  private readonly parts = new Map<Name, readonly Name[]>();
  private count = 0;

  constructor(
    readonly surface: Surface,
    readonly options: KnownOptions,
    /** How inputs and outputs declare the batch. */
    readonly batchDim: number | string = "B",
  ) {}

  private get logits(): Name {
    return this.surface.inputs[0]!.name;
  }

  /** Adds a node with one output. */
  add(op: string, inputs: readonly Name[], attrs: Readonly<Record<string, Attribute>> = {}): Name {
    return this.addAll(op, inputs, attrs, 1)[0]!;
  }

  /** Adds a node with several outputs. */
  addAll(op: string, inputs: readonly Name[], attrs: Readonly<Record<string, Attribute>>, count: number): Name[] {
    const outputs = Array.from({ length: count }, () => `${INSIDE}${op}_${this.count++}`);
    this.nodes.push({ op, inputs, outputs, attrs });
    return outputs;
  }

  /** Column `place` of `[B, count]`, as `[B, 1]`. */
  part(name: Name, count: number, place: number): Name {
    if (count === 1) return name;
    const parts = this.parts.get(name) ?? this.addAll("Split", [name, this.i64s(...ones(count))], { axis: 1 }, count);
    this.parts.set(name, parts);
    return parts[place]!;
  }

  /** A name that is made once. */
  once(key: string, make: () => Name): Name {
    const name = this.known.get(key) ?? make();
    this.known.set(key, name);
    return name;
  }

  /** An f32 constant without dims. */
  f32 = (value: number): Name => this.constant("f32", [], Float32Array.of(value));
  /** An f32 constant `[1, 1]`, a scalar of the graph. */
  scalar = (value: number): Name => this.constant("f32", [1, 1], Float32Array.of(value));
  /** An f32 constant `[n]`. */
  f32s = (values: readonly number[]): Name => this.constant("f32", [values.length], Float32Array.from(values));
  /** An int64 constant `[n]`. */
  i64s = (...values: readonly number[]): Name =>
    this.constant("i64", [values.length], BigInt64Array.from(values.map(BigInt)));
  /** An int64 constant without dims. */
  i64 = (value: number): Name => this.constant("i64", [], BigInt64Array.of(BigInt(value)));

  private constant(type: ElementType, dims: readonly number[], data: Tensor["data"]): Name {
    // 0 and -0 differ
    const key = `${type}[${dims.join()}] ${Array.from(data, (x: number | bigint) => (Object.is(x, -0) ? "-0" : x)).join()}`;
    return this.once(key, () => {
      const name = `${INSIDE}constant_${this.constants.length}`;
      this.constants.push({ name, type, dims, data });
      return name;
    });
  }

  /** The number of rows, if it is known. */
  knownRows(dim: Dim): number | undefined {
    const { vocab } = this.options;
    return vocab !== undefined ? bindDim(dim, vocab) : dim === 1 ? 1 : undefined;
  }

  /** The number of rows of a vector, as int64[1]. */
  rows(dim: Dim): Name {
    const known = this.knownRows(dim);
    if (known !== undefined) return this.i64s(known);
    return this.once(`rows ${dim}`, () =>
      dim === "V"
        ? this.add("Shape", [this.logits], { start: 1, end: 2 })
        : this.add("Min", [this.i64s(dim), this.rows("V")]),
    );
  }

  /** How the dim of an input or output is declared. */
  declared(dim: Dim): number | string {
    return this.knownRows(dim) ?? (dim === "V" ? "V" : `min_${dim}_V`);
  }

  /** Whether a vector may have so many rows that rounding in f32 shows. */
  isWide = (dim: Dim): boolean => (this.knownRows(dim) ?? (dim === "V" ? Infinity : dim)) > MANY;

  /** A value with a row for each sequence. */
  batched({ name, isBatched, dim }: Value): Name {
    if (isBatched) return name;
    return this.once(`batched ${name}`, () => this.add("Expand", [name, this.shape(this.batch(), dim)]));
  }

  /** The shape `[1, dim]`. */
  shapeOf = (dim: Dim): Name => this.shape(this.i64s(1), dim);

  private shape(first: Name, dim: Dim): Name {
    return this.once(`shape ${first} ${dim}`, () => this.add("Concat", [first, this.rows(dim)], { axis: 0 }));
  }

  private batch = (): Name => this.once("batch", () => this.add("Shape", [this.logits], { start: 0, end: 1 }));

  cast = (name: Name, to: ElementType): Name => this.add("Cast", [name], { to: TYPES[to] });

  /** Rows `from` to `to` of each sequence; a negative number counts from the end, and both are cut off at the ends. */
  slice(name: Name, from: Name | number, to: Name | number, axis = 1): Name {
    const bound = (at: Name | number): Name => (typeof at === "number" ? this.i64s(at) : at);
    return this.add("Slice", [name, bound(from), bound(to), this.i64s(axis)]);
  }

  /** The largest value of each sequence, `[B, 1]`. */
  max(name: Name): Name {
    // the axes became an input with opset 18
    return this.options.opset < 18
      ? this.add("ReduceMax", [name], { axes: [1], keepdims: 1 })
      : this.add("ReduceMax", [name, this.i64s(1)], { keepdims: 1 });
  }
}

/** The end of a slice that has no end. */
export const TO_END = Number.MAX_SAFE_INTEGER;
