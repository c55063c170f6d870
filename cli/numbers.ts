/** Lists of numbers on the command line. */
import { InputError } from "ggsl/errors.js";
import { MAX_BYTES, readBytes } from "./files.js";

/**
 * A comma-separated LIST, or a FILE: a JSON array ("-inf" or null for minus infinity), or raw little-endian f32 if its name
 * ends in `.f32`. `-` is standard input.
 */
export function readNumbers(given: string, what: string): Float32Array {
  if (isList(given)) return Float32Array.from(given.split(","), (part) => parseNumber(part.trim(), what));
  if (/[\s,;[\]]/.test(given) || given === "")
    throw new InputError(`${what}: "${given}" is not a list: expected comma-separated numbers, as in 1,2,3, or a file`);
  const bytes = readBytes(given, MAX_BYTES.numbers);
  return given.endsWith(".f32") ? fromRaw(bytes, given) : fromJson(bytes.toString("utf8"), given);
}

const isList = (text: string): boolean =>
  /^\s*(?:[-+]?(?:[\d.]+(?:e[-+]?\d+)?|inf|infinity|nan)\s*(?:,|$))/i.test(text);

function parseNumber(text: string, what: string): number {
  const named = /^([-+]?)inf(?:inity)?$/i.exec(text);
  if (named) return named[1] === "-" ? -Infinity : Infinity;
  if (text === "" || (Number.isNaN(Number(text)) && !/^nan$/i.test(text)))
    throw new InputError(`${what}: "${text}" is not a number`);
  return Number(text);
}

function fromRaw(bytes: Buffer, file: string): Float32Array {
  if (bytes.length % 4 !== 0)
    throw new InputError(`"${file}" has ${bytes.length} bytes, which is not a multiple of the 4 bytes of an f32`);
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
}

function fromJson(text: string, file: string): Float32Array {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new InputError(`"${file}" is not a JSON array: ${(error as Error).message}`);
  }
  if (!Array.isArray(data)) throw new InputError(`"${file}" does not contain a JSON array`);
  return Float32Array.from(data as unknown[], (value, i) => {
    if (value === null) return -Infinity;
    if (typeof value === "number") return value;
    if (typeof value === "string") return parseNumber(value, `"${file}"[${i}]`);
    throw new InputError(`"${file}"[${i}] is not a number`);
  });
}

/** Token ids, in the forms of `readNumbers`. */
export function readTokens(given: string, what: string): number[] {
  const tokens = [...readNumbers(given, what)];
  const bad = tokens.findIndex((t) => !(Number.isInteger(t) && t >= 0));
  if (bad >= 0)
    throw new InputError(
      `${what}: ${tokens[bad]} at position ${bad + 1} is not a token id: expected a non-negative integer`,
    );
  return tokens;
}

/** Logits whose softmax is proportional to the given probabilities. */
export function logitsOf(probs: Float32Array): Float32Array {
  const bad = probs.findIndex((p) => !(p >= 0 && p < Infinity));
  if (bad >= 0)
    throw new InputError(`the probability of token ${bad} is ${probs[bad]}; expected a non-negative number`);
  if (probs.every((p) => p === 0)) throw new InputError("every probability is 0, so there is no candidate");
  return probs.map(Math.log);
}
