/** Damaged copies of a GGUF file: values, types, counts, texts, tensors and the length are changed, one at a time. */

interface Damaged {
  readonly name: string;
  readonly bytes: Buffer;
}

interface Entry {
  readonly key: string;
  readonly keyAt: number;
  readonly typeAt: number;
  readonly type: number;
  /** Where the value begins; that of an array, with its type and count. */
  readonly at: number;
  readonly end: number;
  readonly inner: number;
  readonly count: number;
}

interface Tensor {
  readonly name: string;
  readonly at: number;
  readonly dims: number;
  readonly dimsAt: number;
}

const [U32, F32, BOOL, TEXT, ARRAY] = [4, 6, 7, 8, 9];
const SIZES: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 };
const HEADER = 24;
const ALIGNMENT = 32;

/** The parts of a good file. */
function partsOf(bytes: Buffer): { entries: Entry[]; tensors: Tensor[]; end: number } {
  let at = 4;
  const skip = (count: number): number => (at += count) - count;
  const u32 = (): number => bytes.readUInt32LE(skip(4));
  const u64 = (): number => Number(bytes.readBigUInt64LE(skip(8)));
  const text = (): string => {
    const length = u64();
    const from = skip(length);
    return bytes.toString("utf8", from, from + length);
  };
  u32();
  const [tensorCount, keys] = [u64(), u64()];
  const entries = Array.from({ length: keys }, (): Entry => {
    const keyAt = at;
    const key = text();
    const typeAt = at;
    const type = u32();
    const from = at;
    let [inner, count] = [type, 1];
    if (type === ARRAY) [inner, count] = [u32(), u64()];
    for (let i = 0; i < count; i++) {
      if (inner === TEXT) text();
      else skip(SIZES[inner]!);
    }
    return { key, keyAt, typeAt, type, at: from, end: at, inner, count };
  });
  const tensors = Array.from({ length: tensorCount }, (): Tensor => {
    const from = at;
    const name = text();
    const dims = u32();
    const dimsAt = skip(8 * dims);
    skip(4 + 8);
    return { name, at: from, dims, dimsAt };
  });
  return { entries, tensors, end: at };
}

const COUNTS = [0, 1, 2, 3, 7, 33, 511, 512, 513, 65537, 0x7fffffff, 0x80000000, 0xffffffff];
const NUMBERS = [-1, 0, NaN, Infinity, -Infinity, 1e30, -1e-30];
const LENGTHS = [0n, 1n, 31n, 64n, 1000n, 1n << 31n, 1n << 40n, (1n << 63n) - 1n, (1n << 64n) - 1n];
const TYPES = [0, 1, 2, 5, 6, 7, 8, 9, 10, 13, 15, 24, 26, 27, 28, 30, 39, 40, 99, 0xffffffff];

/** What `tokenizer.ggml.model` and `tokenizer.ggml.pre` can be, among them what a vocabulary of another kind does not have. */
export const KINDS = [
  "bert",
  "rwkv",
  "t5",
  "plamo2",
  "gpt2",
  "gemma4",
  "hybriddna",
  "whitespace",
  "test",
  "none",
] as const;
const WORDS = ["whitespace", "gpt-4o", "superbpe", "gemma4", "sarvam-moe", "kimi-k2", "unknown"] as const;

export function* damagedModels(good: Buffer): Generator<Damaged> {
  for (const kind of KINDS) {
    const changed = { "tokenizer.ggml.model": kind };
    yield { name: `tokens of ${kind}`, bytes: withKeys(good, changed) };
    for (const pre of WORDS)
      yield {
        name: `tokens of ${kind}, words of ${pre}`,
        bytes: withKeys(good, { ...changed, "tokenizer.ggml.pre": pre }),
      };
  }
  const { entries, tensors, end } = partsOf(good);
  const change = (name: string, edit: (bytes: Buffer) => void): Damaged => {
    const bytes = Buffer.from(good);
    edit(bytes);
    return { name, bytes };
  };
  for (const { key, keyAt, typeAt, type, at, end: valueEnd, inner, count } of entries) {
    if (type === U32) for (const x of COUNTS) yield change(`${key} = ${x}`, (b) => b.writeUInt32LE(x, at));
    if (type === F32) for (const x of NUMBERS) yield change(`${key} = ${x}`, (b) => b.writeFloatLE(x, at));
    if (type === BOOL) for (const x of [0, 2, 255]) yield change(`${key} = ${x}`, (b) => b.writeUInt8(x, at));
    for (const x of TYPES) yield change(`${key} of type ${x}`, (b) => b.writeUInt32LE(x, typeAt));
    yield change(`${key} renamed`, (b) => b.writeUInt8(0x7a, keyAt + 8 + key.length - 1));
    if (type === TEXT) {
      for (const x of LENGTHS) yield change(`${key}: length ${x}`, (b) => b.writeBigUInt64LE(x, at));
      for (const x of [0, 0x7a, 0xff]) yield change(`${key} begins with ${x}`, (b) => b.writeUInt8(x, at + 8));
    }
    if (type !== ARRAY) continue;
    for (const x of [...LENGTHS, BigInt(count - 1), BigInt(count + 1)])
      yield change(`${key}: count ${x}`, (b) => b.writeBigUInt64LE(x, at + 4));
    for (const x of TYPES) yield change(`${key}: an array of ${x}`, (b) => b.writeUInt32LE(x, at));
    for (const x of [0, 0x61, 0xff]) {
      yield change(`${key} filled with ${x}`, (b) => b.fill(x, at + 12, valueEnd));
      if (inner === TEXT) yield change(`texts of ${key} filled with ${x}`, (b) => fillTexts(b, at + 12, count, x));
    }
    if (inner !== TEXT)
      for (const x of [1, 2, 3, 4, 5, 6, 7])
        yield change(`${key}: all ${x}`, (b) => {
          for (let i = at + 12; i + 4 <= valueEnd; i += 4) b.writeInt32LE(x, i);
        });
  }
  for (const { name, at, dims, dimsAt } of tensors) {
    for (const x of LENGTHS)
      for (let d = 0; d < dims; d++) yield change(`${name}: size ${x}`, (b) => b.writeBigUInt64LE(x, dimsAt + 8 * d));
    for (const x of [0, 3, 4, 5, 0xffffffff]) yield change(`${name}: ${x} dims`, (b) => b.writeUInt32LE(x, dimsAt - 4));
    for (const x of TYPES) yield change(`${name} of type ${x}`, (b) => b.writeUInt32LE(x, dimsAt + 8 * dims));
    for (const x of LENGTHS) yield change(`${name}: offset ${x}`, (b) => b.writeBigUInt64LE(x, dimsAt + 8 * dims + 4));
    yield change(`${name} renamed`, (b) => b.writeUInt8(0x7a, at + 8));
    yield change(`${name}: long name`, (b) => b.writeBigUInt64LE(1000n, at));
  }
  for (let i = 0; i < 50; i++) yield { name: `header cut at ${2 * i} %`, bytes: good.subarray(0, (end * i) / 50) };
  for (const x of [1, 1000, 100_000]) yield { name: `${x} bytes short`, bytes: good.subarray(0, good.length - x) };
  for (const at of [4, 8, 16])
    for (const x of [0, 1, 2, 100, 0xffffffff]) yield change(`header: ${x} at ${at}`, (b) => b.writeUInt32LE(x, at));
}

function fillTexts(bytes: Buffer, from: number, count: number, value: number): void {
  for (let [i, at] = [0, from]; i < count; i++) {
    const length = Number(bytes.readBigUInt64LE(at));
    bytes.fill(value, at + 8, at + 8 + length);
    at += 8 + length;
  }
}

/** A u32, an f32 (also as an array of one, for a whole number), or a text. */
type Value = number | string | Float32Array;

/** The file with other values of its keys. New keys are added. */
export function withKeys(good: Buffer, values: Readonly<Record<string, Value>>): Buffer {
  const { entries, end } = partsOf(good);
  const kept = entries.filter(({ key }) => !(key in values)).map(({ keyAt, end: to }) => good.subarray(keyAt, to));
  const firstTensor = entries.at(-1)!.end;
  const given = Object.entries(values).map(([key, value]) => Buffer.concat([textOf(key), valueOf(value)]));
  const head = Buffer.from(good.subarray(0, HEADER));
  head.writeBigUInt64LE(BigInt(kept.length + given.length), 16);
  const start = Buffer.concat([head, ...kept, ...given, good.subarray(firstTensor, end)]);
  const padding = Buffer.alloc(-start.length & (ALIGNMENT - 1));
  return Buffer.concat([start, padding, good.subarray(end + (-end & (ALIGNMENT - 1)))]);
}

/** The file as one of another architecture. */
export function withArchitecture(good: Buffer, name: string): Buffer {
  const { entries } = partsOf(good);
  const values: Record<string, Value> = { "general.architecture": name };
  for (const { key, type, at } of entries)
    if (key.startsWith("llama."))
      values[key.replace(/^llama/, name)] =
        type === F32 ? Float32Array.of(good.readFloatLE(at)) : good.readUInt32LE(at);
  return withKeys(good, values);
}

function textOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(bytes.length));
  return Buffer.concat([length, bytes]);
}

function valueOf(value: Value): Buffer {
  if (typeof value === "string") return Buffer.concat([u32Of(TEXT), textOf(value)]);
  if (typeof value === "number" && Number.isInteger(value)) return Buffer.concat([u32Of(U32), u32Of(value)]);
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(typeof value === "number" ? value : value[0]!);
  return Buffer.concat([u32Of(F32), bytes]);
}

function u32Of(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** The file with another number as the type of its last tensor, and room for its data. */
export function withTypeOfLastTensor(good: Buffer, type: number): Buffer {
  const { dims, dimsAt } = partsOf(good).tensors.at(-1)!;
  const bytes = Buffer.concat([good, Buffer.alloc(1 << 20)]);
  bytes.writeUInt32LE(type, dimsAt + 8 * dims);
  return bytes;
}
