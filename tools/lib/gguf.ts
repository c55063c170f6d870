/** Reads and writes the parts of GGUF files that a random model needs (ggml/docs/gguf.md, version 3, little-endian). */
import { ToolError } from "./process.js";

/** Bytes of the fixed-size types, by type number. */
const SIZES: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};
const U32 = 4;
const F32 = 6;
const TEXT = 8;
const ARRAY = 9;
const ALIGNMENT = 32;

/** A key with its value, as bytes of the file. */
interface RawKey {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Entries of an array. */
  readonly entries?: number;
}

export function readKeys(file: Buffer): RawKey[] {
  if (file.toString("latin1", 0, 4) !== "GGUF" || file.readUInt32LE(4) !== 3)
    throw new ToolError("expected a GGUF file of version 3");
  let at = 16;
  const length = (): number => Number(file.readBigUInt64LE((at += 8) - 8));
  const text = (): string => {
    const count = length();
    return file.toString("utf8", at, (at += count));
  };
  const skip = (type: number): number | undefined => {
    if (type === TEXT) text();
    else if (type === ARRAY) {
      const entry = file.readUInt32LE((at += 4) - 4);
      const count = length();
      for (let i = 0; i < count; i++) skip(entry);
      return count;
    } else at += SIZES[type]!;
    return undefined;
  };
  return Array.from({ length: length() }, () => {
    const start = at;
    const name = text();
    const entries = skip(file.readUInt32LE((at += 4) - 4));
    return { name, bytes: file.subarray(start, at), ...(entries !== undefined && { entries }) };
  });
}

const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const textBytes = (text: string): Buffer => Buffer.concat([u64(Buffer.byteLength(text)), Buffer.from(text)]);

/** A key whose value is a text, an u32, or an f32 if it is no integer. */
export function keyOf(name: string, value: string | number): RawKey {
  const valueBytes = (): Buffer[] => {
    if (typeof value === "string") return [u32(TEXT), textBytes(value)];
    if (Number.isInteger(value)) return [u32(U32), u32(value)];
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value);
    return [u32(F32), bytes];
  };
  return { name, bytes: Buffer.concat([textBytes(name), ...valueBytes()]) };
}

/** The types by name: ggml's number, and the size of a block of so many numbers. */
const TYPES = {
  f32: { id: 0, block: 1, bytes: 4 },
  f16: { id: 1, block: 1, bytes: 2 },
  q8_0: { id: 8, block: 32, bytes: 34 },
};
type TensorType = keyof typeof TYPES;

export interface Tensor {
  readonly name: string;
  /** The innermost dimension first. */
  readonly shape: readonly number[];
  readonly type: TensorType;
  /** The numbers as the file has them. */
  readonly values: () => ArrayBufferView;
}

/** The bytes of a file, in parts: a tensor is made when its part is asked for. */
export function* fileParts(keys: readonly RawKey[], tensors: readonly Tensor[]): Generator<Uint8Array> {
  const aligned = (size: number): number => Math.ceil(size / ALIGNMENT) * ALIGNMENT;
  let offset = 0;
  const infos = tensors.map(({ name, shape, type }) => {
    const { id, block, bytes } = TYPES[type];
    const info = Buffer.concat([...[textBytes(name), u32(shape.length), ...shape.map(u64)], ...[u32(id), u64(offset)]]);
    offset += aligned(shape.reduce((a, b) => a * b, bytes) / block);
    return info;
  });
  const counts = [u64(tensors.length), u64(keys.length)];
  const head = Buffer.concat([Buffer.from("GGUF"), u32(3), ...counts, ...keys.map(({ bytes }) => bytes), ...infos]);
  yield head;
  yield Buffer.alloc(aligned(head.length) - head.length);
  for (const { values } of tensors) {
    const { buffer, byteOffset, byteLength } = values();
    yield new Uint8Array(buffer, byteOffset, byteLength);
    yield Buffer.alloc(aligned(byteLength) - byteLength);
  }
}
