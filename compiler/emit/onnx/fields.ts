/** The fields of a file in protobuf's wire form from outside: every length is checked, and so is how much is read. */
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { invalid } from "./modelError.js";

interface Field {
  readonly number: number;
  /** The number of a varint, or the bytes of a message or a text; absent for numbers of fixed size, which nothing here reads. */
  readonly value: number | Uint8Array | undefined;
}

/** The most fields that are read of a file: models have some twenty for each node, and some thousand nodes. */
export const MOST_FIELDS = 2 ** 20;

/** Bytes of a text that are read: names are shown in messages. */
const LONGEST = 1024;

const decoder = new TextDecoder();

/** Reads the messages of one file. All methods throw `OnnxModelError`. */
export class Fields {
  private left = MOST_FIELDS;

  /** A message's fields in their order; nested messages stay bytes. */
  *of(message: Uint8Array): Generator<Field> {
    const reader = new BinaryReader(message);
    while (reader.pos < reader.len) {
      this.left -= 1;
      if (this.left < 0) throw invalid(`it has more than ${MOST_FIELDS} fields`);
      yield next(reader);
    }
  }

  /** The messages of a repeated field. */
  *messages(message: Uint8Array, number: number): Generator<Uint8Array> {
    for (const field of this.of(message))
      if (field.number === number && field.value instanceof Uint8Array) yield field.value;
  }

  /** The last message or text of a field, as protobuf reads one that is not repeated. */
  message(message: Uint8Array, number: number): Uint8Array | undefined {
    let found: Uint8Array | undefined;
    for (const value of this.messages(message, number)) found = value;
    return found;
  }

  /** The last number of a field. */
  number(message: Uint8Array, number: number): number | undefined {
    let found: number | undefined;
    for (const { number: other, value } of this.of(message))
      if (other === number && typeof value === "number") found = value;
    return found;
  }

  /** The text of a field, cut off if it is long; empty if it is not there. */
  text(message: Uint8Array, number: number): string {
    return textOf(this.message(message, number) ?? new Uint8Array());
  }
}

export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes.subarray(0, LONGEST));

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
