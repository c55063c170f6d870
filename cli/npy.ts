/** NumPy's .npy files: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
import { InputError } from "ggsl/core/errors.js";

const MAGIC = Buffer.from("\x93NUMPY", "latin1");

export const isNpy = (bytes: Buffer): boolean => bytes.subarray(0, MAGIC.length).equals(MAGIC);

type Read = (bytes: Buffer, at: number) => number;

/** The types of elements that are read, by their names. */
const TYPES: Readonly<Record<string, readonly [size: number, read: Read]>> = {
  "<f4": [4, (bytes, at) => bytes.readFloatLE(at)],
  "<f8": [8, (bytes, at) => bytes.readDoubleLE(at)],
  "<i4": [4, (bytes, at) => bytes.readInt32LE(at)],
  "<i8": [8, (bytes, at) => Number(bytes.readBigInt64LE(at))],
};

/** The numbers of an array of one dimension; leading dimensions of 1 are allowed. Throws `InputError`. */
export function readNpy(bytes: Buffer, name: string): Float32Array {
  const refuse = (reason: string): never => {
    throw new InputError(`${name} is a .npy file that cannot be read: ${reason}`, { code: "INVALID_FILE" });
  };
  // version 1 has 2 bytes for the length of the header, versions 2 and 3 have 4
  const isOld = bytes[6] === 1;
  const start = isOld ? 10 : 12;
  if (bytes.length < start) refuse("it ends in its header");
  const end = start + (isOld ? bytes.readUInt16LE(8) : bytes.readUInt32LE(8));
  const header = bytes.toString("latin1", start, end);
  const dtype = /'descr':\s*'([^']*)'/.exec(header)?.[1] ?? "";
  const shape = /'shape':\s*\(([\d\s,]*)\)/.exec(header)?.[1];
  const [size, read] = TYPES[dtype] ?? refuse(`its elements are "${dtype}", expected ${Object.keys(TYPES).join(", ")}`);
  if (shape === undefined) return refuse("its header has no shape");
  const dims = shape.split(",").flatMap((part) => (part.trim() === "" ? [] : [Number(part)]));
  const count = dims.reduce((product, dim) => product * dim, 1);
  if (dims.length === 0 || dims.slice(0, -1).some((dim) => dim !== 1))
    refuse(`its shape is (${dims.join(", ")}), expected one dimension`);
  if (bytes.length - end !== count * size)
    refuse(
      `it has ${Math.max(0, bytes.length - end)} bytes of numbers, expected ${count * size} for ${count} of ${size}`,
    );
  return Float32Array.from({ length: count }, (_, i) => read(bytes, end + i * size));
}
