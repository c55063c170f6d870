/**
 * The metadata of a GGUF file, versions 2 and 3, little-endian (ggml/docs/gguf.md): keys with numbers, booleans and texts. Arrays
 * are skipped. The file is untrusted: every length is checked against the file's size and a limit.
 */
import type { Node } from "./nodes.js";
import { ImportError, show } from "./notes.js";

/** A file with random access. */
export interface ByteSource {
  readonly size: number;
  /** `length` bytes at `offset`; both lie within the file. */
  read(offset: number, length: number): Uint8Array;
}

const LIMITS = {
  keys: 1 << 16,
  /** Bytes of a key, or of a text value. */
  text: 1 << 16,
  /** Entries of an array of texts, which are skipped one by one. */
  entries: 1 << 24,
} as const;
const WINDOW = 1 << 16;

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
const TEXT = 8;
const ARRAY = 9;

export const isGguf = (start: Uint8Array): boolean => new TextDecoder("latin1").decode(start.subarray(0, 4)) === "GGUF";

/** The keys that begin with `prefix`. */
export function readMetadata(file: ByteSource, name: string, prefix: string): Map<string, Node> {
  const cursor = cursorOf(file, name);
  const found = new Map<string, Node>();
  if (!isGguf(cursor.take(4))) throw new ImportError(`${name}: expected a GGUF file, which begins with "GGUF"`);
  const version = cursor.view(4).getUint32(0, true);
  if (version !== 2 && version !== 3)
    throw new ImportError(`${name}: expected GGUF of version 2 or 3, little-endian, found version ${version}`);
  cursor.length("tensors", Number.MAX_SAFE_INTEGER, 0);
  const keys = cursor.length("keys", LIMITS.keys, 12);
  for (let i = 0; i < keys; i++) {
    const key = cursor.text("a key");
    const type = cursor.view(4).getUint32(0, true);
    if (!key.startsWith(prefix)) cursor.skip(type, key);
    else if (found.has(key)) throw new ImportError(`${name}: the key ${show(key)} is given twice`);
    else found.set(key, cursor.value(type, key));
  }
  return found;
}

interface Cursor {
  take(length: number): Uint8Array;
  view(length: number): DataView;
  /** Reads a count of items of at least `bytes` bytes each, which must fit into the rest of the file. */
  length(what: string, most: number, bytes: number): number;
  text(what: string): string;
  value(type: number, key: string): Node;
  skip(type: number, key: string): void;
}

function cursorOf(file: ByteSource, name: string): Cursor {
  let at = 0;
  let start = 0;
  let window: Uint8Array = new Uint8Array();

  const fail = (what: string): ImportError => new ImportError(`${name}: byte ${at}: ${what}`);
  const rest = (): number => file.size - at;

  function move(length: number, what: string): void {
    if (length > rest()) throw fail(`${what} should take ${length} bytes, but the file has only ${rest()} more`);
    at += length;
  }

  /** Reads a few bytes through a buffer. */
  function take(length: number): Uint8Array {
    const from = at;
    move(length, "the next value");
    if (from < start || from + length > start + window.length) {
      start = from;
      window = file.read(from, Math.min(Math.max(WINDOW, length), file.size - from));
    }
    return window.subarray(from - start, from - start + length);
  }

  const view = (length: number): DataView => {
    const bytes = take(length);
    return new DataView(bytes.buffer, bytes.byteOffset, length);
  };

  function length(what: string, most: number, bytes: number): number {
    const count = view(8).getBigUint64(0, true);
    if (count > BigInt(most)) throw fail(`expected at most ${most} ${what}, found ${count}`);
    if (Number(count) * bytes > rest())
      throw fail(`${count} ${what} do not fit into the ${rest()} bytes that are left`);
    return Number(count);
  }

  function text(what: string): string {
    const bytes = take(length(`bytes of ${what}`, LIMITS.text, 1));
    return new TextDecoder().decode(bytes);
  }

  function value(type: number, key: string): Node {
    const place = name;
    if (type === TEXT) return { kind: "word", place, value: text(show(key)) };
    if (type === ARRAY) {
      skip(type, key);
      return { kind: "array", place, items: [] };
    }
    const size = SIZES[type];
    if (size === undefined) throw fail(`${show(key)} has the type ${type}, which GGUF does not have`);
    const bytes = view(size);
    if (type === 7) return { kind: "bool", place, value: bytes.getUint8(0) !== 0 };
    const number = readNumber(bytes, type);
    return { kind: "number", place, value: Number(number), text: String(number) };
  }

  function skip(type: number, key: string): void {
    if (type === TEXT) return move(length(`bytes of ${show(key)}`, file.size, 1), show(key));
    if (type !== ARRAY) {
      const size = SIZES[type];
      if (size === undefined) throw fail(`${show(key)} has the type ${type}, which GGUF does not have`);
      return move(size, show(key));
    }
    const inner = view(4).getUint32(0, true);
    const size = inner === TEXT ? 8 : SIZES[inner];
    if (size === undefined) throw fail(`${show(key)} is an array of the type ${inner}, which GGUF does not have`);
    const count = length(`entries of ${show(key)}`, inner === TEXT ? LIMITS.entries : file.size, size);
    if (inner !== TEXT) return move(count * size, show(key));
    for (let i = 0; i < count; i++) move(length(`bytes of ${show(key)}`, file.size, 1), show(key));
  }

  return { take, view, length, text, value, skip };
}

function readNumber(bytes: DataView, type: number): number | bigint {
  const readers: Readonly<Record<number, () => number | bigint>> = {
    0: () => bytes.getUint8(0),
    1: () => bytes.getInt8(0),
    2: () => bytes.getUint16(0, true),
    3: () => bytes.getInt16(0, true),
    4: () => bytes.getUint32(0, true),
    5: () => bytes.getInt32(0, true),
    6: () => bytes.getFloat32(0, true),
    10: () => bytes.getBigUint64(0, true),
    11: () => bytes.getBigInt64(0, true),
    12: () => bytes.getFloat64(0, true),
  };
  return readers[type]!();
}
