/** Files of keys of watermarks: a secret of 32 bytes as hexadecimal digits, from which the seeds of samplers are derived. */
import { createHmac, randomBytes } from "node:crypto";
import { InputError } from "ggsl/core/errors.js";
import { readText } from "./files.js";

const DIGITS = 64;

export const newKey = (): string => randomBytes(DIGITS / 2).toString("hex");

/** The secret of a file. Throws `InputError`, which shows nothing of it. */
export function readKey(file: string): Buffer {
  const text = readText(file, 1024).trim();
  if (/^[\da-f]+$/i.test(text) && text.length === DIGITS) return Buffer.from(text, "hex");
  const found = /^[\da-f]*$/i.test(text) ? `${text.length}` : "other characters";
  throw new InputError(
    `"${file}" is no key: expected ${DIGITS} hexadecimal digits, found ${found}; \`ggsl watermark key\` prints a new one`,
    { code: "INVALID_FILE" },
  );
}

/** The seed that a sampler has as `key`: HMAC-SHA-256 of the label by the secret, of which the seed tells nothing. */
export const seedOf = (secret: Buffer, label: string): number =>
  createHmac("sha256", secret).update(`ggsl watermark ${label}`).digest().readUInt32LE(0);
