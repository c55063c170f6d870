/** Small GGUF files for tests, from descriptions: `{ key: [type, value] }`. */
import type { ByteSource } from "../../settings/from/import.js";

export type Description = Readonly<Record<string, readonly [type: string, value: unknown]>>;

const FIXED: Readonly<Record<string, { id: number; size: number; put: (view: DataView, value: number) => void }>> = {
  u32: { id: 4, size: 4, put: (v, x) => v.setUint32(0, x, true) },
  i32: { id: 5, size: 4, put: (v, x) => v.setInt32(0, x, true) },
  f32: { id: 6, size: 4, put: (v, x) => v.setFloat32(0, x, true) },
  i64: { id: 11, size: 8, put: (v, x) => v.setBigInt64(0, BigInt(x), true) },
  f64: { id: 12, size: 8, put: (v, x) => v.setFloat64(0, x, true) },
};

function fixed(type: string, value: number): Uint8Array {
  const { size, put } = FIXED[type]!;
  const view = new DataView(new ArrayBuffer(size));
  put(view, value);
  return new Uint8Array(view.buffer);
}

export const u32 = (value: number): Uint8Array => fixed("u32", value);

export function u64(value: bigint): Uint8Array {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, value, true);
  return new Uint8Array(view.buffer);
}

export const text = (value: string): Uint8Array => {
  const bytes = new TextEncoder().encode(value);
  return join([u64(BigInt(bytes.length)), bytes]);
};

export const join = (parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((p) => [...p]));

const GGUF = new TextEncoder().encode("GGUF");

/** A header that announces `keys` keys. */
export const header = (keys: bigint, version = 3): Uint8Array => join([GGUF, u32(version), u64(0n), u64(keys)]);

function entry(type: string, value: unknown): Uint8Array {
  if (type === "string") return join([u32(8), text(value as string)]);
  const items = value as readonly (number | string)[];
  if (type === "strings")
    return join([u32(9), u32(8), u64(BigInt(items.length)), ...items.map((item) => text(String(item)))]);
  if (type === "f32s")
    return join([u32(9), u32(6), u64(BigInt(items.length)), ...items.map((item) => fixed("f32", Number(item)))]);
  return join([u32(FIXED[type]!.id), fixed(type, value as number)]);
}

export const ggufOf = (description: Description): Uint8Array =>
  join([
    header(BigInt(Object.keys(description).length)),
    ...Object.entries(description).flatMap(([key, [type, value]]) => [text(key), entry(type, value)]),
  ]);

export const sourceOf = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read(offset, length) {
    if (offset + length > bytes.length) throw new Error("read past the end");
    return bytes.subarray(offset, offset + length);
  },
});

export const textSource = (given: string): ByteSource => sourceOf(new TextEncoder().encode(given));
