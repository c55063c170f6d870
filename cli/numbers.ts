/** Lists of numbers on the command line. */
import { InputError } from "ggsl/core/errors.js";
import { MAX_BYTES, readBytes } from "./files.js";
import { isNpy, readNpy } from "./npy.js";

/** The forms of a list, for the help of options. */
export const NUMBER_FORMS =
  "numbers with commas between them, or a file (- for standard input) with such a list, a JSON array, NumPy's .npy, or raw little-endian f32";

/**
 * A comma-separated LIST, or a FILE; `-` is standard input. The content of a file decides its form: a JSON array ("-inf" or null
 * for minus infinity), numbers with commas or white space between them, NumPy's `.npy`, or else raw little-endian f32. A name that
 * ends in `.f32` also says that it is raw.
 */
export function readNumbers(given: string, what: string): Float32Array {
  if (isList(given)) return fromList(given.split(","), what, "INVALID_ARGUMENT");
  if (/[\s,;[\]]/.test(given) || given === "")
    throw new InputError(
      `${what}: "${given}" is not a list: expected comma-separated numbers, as in 1,2,3, or a file`,
      { code: "INVALID_ARGUMENT" },
    );
  const bytes = readBytes(given, MAX_BYTES.numbers);
  const name = given === "-" ? `${what}: standard input` : `${what}: "${given}"`;
  if (isNpy(bytes)) return readNpy(bytes, name);
  if (given.endsWith(".f32")) return fromRaw(bytes, name);
  const text = textIn(bytes, name);
  return text === undefined ? fromRaw(bytes, name) : fromText(text, name);
}

const isList = (text: string): boolean =>
  /^\s*(?:[-+]?(?:[\d.]+(?:e[-+]?\d+)?|inf|infinity|nan)\s*(?:,|$))/i.test(text);

const invalid = (message: string): InputError => new InputError(message, { code: "INVALID_FILE" });

const fromList = (parts: readonly string[], what: string, code: "INVALID_ARGUMENT" | "INVALID_FILE"): Float32Array =>
  Float32Array.from(parts, (part, i) => {
    const value = numberOf(part.trim());
    if (value === undefined)
      throw new InputError(`${what}: number ${i + 1} is "${part.trim().slice(0, 40)}": expected a number or -inf`, {
        code,
      });
    return value;
  });

function numberOf(text: string): number | undefined {
  const named = /^([-+]?)inf(?:inity)?$/i.exec(text);
  if (named) return named[1] === "-" ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return NaN;
  return text === "" || Number.isNaN(Number(text)) ? undefined : Number(text);
}

/** The text of a file; undefined if it is not one, as raw numbers are. Throws for text in another encoding. */
function textIn(bytes: Buffer, name: string): string | undefined {
  const [first, second] = bytes;
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isWide && bytes.every((byte, i) => i < 2 || byte === 0 || i % 2 === (first === 0xff ? 0 : 1)))
    throw invalid(`${name} is UTF-16 text: expected UTF-8`);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    // raw numbers have bytes that no text has
    return /[\0-\x08\x0e-\x1f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function fromRaw(bytes: Buffer, name: string): Float32Array {
  if (bytes.length === 0) throw invalid(`${name} is empty: expected numbers`);
  if (bytes.length % 4 !== 0)
    throw invalid(
      `${name} has ${bytes.length} bytes, which is not a multiple of the 4 bytes of an f32: expected a JSON array, a list, .npy or raw f32`,
    );
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
}

function fromText(text: string, name: string): Float32Array {
  const trimmed = text.trim();
  if (trimmed === "") throw invalid(`${name} is empty: expected numbers`);
  if (/^["{[]/.test(trimmed)) return fromJson(trimmed, name);
  return fromList(trimmed.split(/\s*,\s*|\s+/), name, "INVALID_FILE");
}

function fromJson(text: string, name: string): Float32Array {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw invalid(`${name} is not a JSON array: ${(error as Error).message}`);
  }
  if (!Array.isArray(data)) throw invalid(`${name} contains no JSON array, but an object or a text`);
  return Float32Array.from(data as unknown[], (value, i) => {
    const number = value === null ? -Infinity : typeof value === "string" ? numberOf(value) : value;
    if (typeof number === "number") return number;
    throw invalid(`${name}: element ${i} is ${JSON.stringify(value).slice(0, 40)}: expected a number, null or "-inf"`);
  });
}

/** Token ids, in the forms of `readNumbers`. */
export function readTokens(given: string, what: string): number[] {
  const tokens = [...readNumbers(given, what)];
  const bad = tokens.findIndex((t) => !(Number.isInteger(t) && t >= 0));
  if (bad >= 0)
    throw new InputError(
      `${what}: ${tokens[bad]} at position ${bad + 1} is not a token id: expected a non-negative integer`,
      { code: "INVALID_ARGUMENT" },
    );
  return tokens;
}

/** Logits whose softmax is proportional to the given probabilities. */
export function logitsOf(probs: Float32Array): Float32Array {
  const bad = probs.findIndex((p) => !(p >= 0 && p < Infinity));
  if (bad >= 0)
    throw new InputError(`the probability of token ${bad} is ${probs[bad]}; expected a non-negative number`, {
      code: "INVALID_ARGUMENT",
    });
  if (probs.every((p) => p === 0))
    throw new InputError("every probability is 0, so there is no candidate", { code: "INVALID_ARGUMENT" });
  return probs.map(Math.log);
}
