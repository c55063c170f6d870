/** The file of keys: its lines, and what is wrong with them. No message contains a secret. */
import { createHash } from "node:crypto";
import { readRegular, textOf, UnreadableFile } from "@ggsl/compiler/disk.js";
import { InputError } from "ggsl/core/errors.js";
import { LANE_LIMITS, type LaneLimits } from "../lanes/limits.js";
import { COSTS } from "../samplers/cost.js";
import type { CostLimits } from "../samplers/types.js";
import { disk } from "../disk.js";

export interface KeyLimits extends LaneLimits {
  /** Tokens of prompts and texts, with time to come back. */
  readonly tokensPerMinute: number;
  /** The most that a token of a sequence may cost with a sampler of its own. */
  readonly cost: CostLimits;
}

export interface ApiKey {
  /** The first 16 hexadecimal digits of the sha256; `ANONYMOUS` for a server without keys. */
  readonly id: string;
  /** From the file; the id if it gives none. For logs. */
  readonly name: string;
  readonly limits: KeyLimits;
}

/** A key with the sha256 of its secret. */
export interface HashedKey {
  readonly hash: Buffer;
  readonly key: ApiKey;
}

const MOST_BYTES = 2 ** 20;
const LEAST_CHARACTERS = 8;

export const hashOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();

/** Throws `InputError`: `UNREADABLE_FILE`, or `INVALID_FILE` with the line. */
export function readKeys(file: string, standard: KeyLimits): HashedKey[] {
  const keys: HashedKey[] = [];
  const refuse = (line: number, fault: string): never => {
    throw new InputError(`"${file}", line ${line}: ${fault}`, { code: "INVALID_FILE" });
  };
  const lineOf = new Map<string, number>();
  textIn(file)
    .split("\n")
    .forEach((text, i) => {
      const line = i + 1;
      const words = text.trim().split(/\s+/);
      if (words[0] === "" || words[0]!.startsWith("#")) return;
      const found = keyOf(words, standard);
      if (typeof found === "string") return refuse(line, found);
      for (const own of new Set([found.key.id, found.key.name])) {
        const other = lineOf.get(own);
        if (other !== undefined) refuse(line, `the key or its name is that of line ${other}`);
        lineOf.set(own, line);
      }
      keys.push(found);
    });
  if (keys.length === 0)
    throw new InputError(`"${file}" has no key: expected one in each line`, { code: "INVALID_FILE" });
  return keys;
}

/** The key of a line, or what is wrong with it. */
function keyOf([secret, ...words]: readonly string[], standard: KeyLimits): HashedKey | string {
  const hash = hashIn(secret!);
  if (typeof hash === "string") return hash;
  const id = hash.toString("hex").slice(0, 16);
  const name = words[0]?.includes("=") === false ? words[0] : undefined;
  const limits: Record<string, number> = {};
  for (const word of name === undefined ? words : words.slice(1)) {
    const [, limit, value] = /^([^=]+)=(\d{1,15})$/.exec(word) ?? [];
    if (limit === undefined || !LIMITS.includes(limit))
      return `expected a limit such as requests=4 (there are ${LIMITS.join(", ")}), found ${JSON.stringify(word)}`;
    limits[limit] = Number(value);
  }
  const { requests = standard.requests, texts = standard.texts, tokens = standard.tokens, ...others } = limits;
  const { [PER_MINUTE]: tokensPerMinute = standard.tokensPerMinute, ...cost } = others;
  const work: LaneLimits = { requests, texts, tokens };
  const none = Object.entries({ ...work, [PER_MINUTE]: tokensPerMinute }).find(([, value]) => value === 0);
  if (none) return `\`${none[0]}\` must be at least 1: remove the line to refuse the key`;
  return {
    hash,
    key: { id, name: name ?? id, limits: { ...work, tokensPerMinute, cost: { ...standard.cost, ...cost } } },
  };
}

const PER_MINUTE = "tokens_per_minute";
const LIMITS: readonly string[] = [...LANE_LIMITS, PER_MINUTE, ...Object.keys(COSTS)];

/** The sha256 of the secret, or what is wrong with it. */
function hashIn(secret: string): Buffer | string {
  const hashed = /^sha256:(.*)$/i.exec(secret);
  if (hashed) {
    const [, digits] = hashed;
    return /^[0-9a-f]{64}$/i.test(digits!) ? Buffer.from(digits!, "hex") : "after `sha256:` come 64 hexadecimal digits";
  }
  if (!/^[\x21-\x7e]+$/.test(secret)) return "a key consists of visible ASCII characters";
  if (secret.length < LEAST_CHARACTERS) return `a key has at least ${LEAST_CHARACTERS} characters`;
  return hashOf(secret);
}

function textIn(file: string): string {
  try {
    return textOf(readRegular(disk, file, MOST_BYTES));
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new InputError(`"${file}" cannot be read: ${error.reason}`, { code: "UNREADABLE_FILE" });
  }
}
