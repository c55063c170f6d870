/** The fields of a protobuf message from outside: every length is checked against the bytes that are there. */
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { invalid } from "./modelError.js";

export interface Field {
  readonly number: number;
  /** Of a varint; a message, text or bytes; absent for numbers of fixed size, which nothing here reads. */
  readonly value: number | Uint8Array | undefined;
}

/** Reads a message's fields in their order; nested messages stay bytes. Throws `OnnxModelError`. */
export function* fieldsOf(message: Uint8Array): Generator<Field> {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) yield next(reader);
}

function next(reader: BinaryReader): Field {
  const at = reader.pos;
  try {
    const [number, type] = reader.tag();
    return { number, value: valueOf(reader, type, number) };
  } catch (error) {
    throw invalid(`${(error as Error).message} at byte ${at} of a message of ${reader.len} bytes`);
  }
}

function valueOf(reader: BinaryReader, type: WireType, number: number): Field["value"] {
  if (type === WireType.Varint) return Number(reader.int64());
  if (type === WireType.LengthDelimited) return reader.bytes();
  // ONNX has no groups, which could be nested without end
  if (type === WireType.StartGroup || type === WireType.EndGroup) throw new Error(`field ${number} is a group`);
  reader.skip(type, number);
  return undefined;
}

/** The messages of a repeated field. */
export const messagesOf = (message: Uint8Array, number: number): Uint8Array[] =>
  [...fieldsOf(message)].flatMap((field) =>
    field.number === number && field.value instanceof Uint8Array ? [field.value] : [],
  );

/** The last message or text of a field, as protobuf reads one that is not repeated. */
export const messageOf = (message: Uint8Array, number: number): Uint8Array | undefined =>
  messagesOf(message, number).at(-1);

/** The last number of a field. */
export function numberOf(message: Uint8Array, number: number): number | undefined {
  let found: number | undefined;
  for (const field of fieldsOf(message))
    if (field.number === number && typeof field.value === "number") found = field.value;
  return found;
}

const decoder = new TextDecoder();

/** A text, at most `LONGEST` bytes of it: names are shown in messages. */
const LONGEST = 1024;
export const textOf = (bytes: Uint8Array | undefined): string =>
  bytes === undefined ? "" : decoder.decode(bytes.subarray(0, LONGEST));
