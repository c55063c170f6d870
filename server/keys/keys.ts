/**
 * API keys from a file, one in a line:
 *
 *     # secret, or its sha256                    name     limits
 *     sk-3f1c9a2e                                alice    requests=4 work=1000000 sorts=2
 *     sha256:9f86d081884c7d659a2feaa0c55ad015... bob
 *
 * The secrets are kept as sha256 only, and compared in constant time. The file is read again when it changes.
 */
import { timingSafeEqual } from "node:crypto";
import type { InputError } from "ggsl/core/errors.js";
import { guarded } from "../guarded.js";
import { SILENT, type Log } from "../log.js";
import { Refusal } from "../refusal.js";
import { versionOf } from "../version.js";
import { ANONYMOUS } from "../lanes/lane.js";
import { hashOf, readKeys, type ApiKey, type HashedKey, type KeyLimits } from "./file.js";

import type { KeyRing } from "./ring.js";

export type { ApiKey, KeyLimits } from "./file.js";

interface KeysOptions {
  /** For keys whose line has no limits of its own; default: none. */
  readonly limits?: Partial<KeyLimits> | undefined;
  /** Milliseconds between two looks at the file; default 1000. */
  readonly every?: number;
  readonly log?: Log | undefined;
}

interface Source {
  readonly file: string;
  readonly limits: KeyLimits;
  readonly log: Log;
}

const NO_LIMITS: KeyLimits = {
  requests: Infinity,
  texts: Infinity,
  tokens: Infinity,
  tokensPerMinute: Infinity,
  cost: {},
};
const EVERY = 1000;
/** Longer headers have no key. */
const MOST_CHARACTERS = 4096;

export class Keys implements KeyRing, Disposable {
  #keys: readonly HashedKey[] = [];
  readonly #anonymous: ApiKey | undefined;
  readonly #source: Source | undefined;
  /** What identifies the version of the file that was read last. */
  #version: string | undefined;
  /** Why it could not be read, as the log has it. */
  #told: string | undefined;
  readonly #timer: NodeJS.Timeout | undefined;

  private constructor(source: Source | undefined, limits: KeyLimits, every: number) {
    this.#source = source;
    if (!source) {
      this.#anonymous = { id: ANONYMOUS, name: ANONYMOUS, limits };
      return;
    }
    this.#read(source);
    this.#timer = setInterval(
      guarded("keys", () => this.#look()),
      every,
    );
    this.#timer.unref();
  }

  /** Reads the file and watches it. Throws `InputError` (`UNREADABLE_FILE`, `INVALID_FILE`) with the line that is wrong. */
  static open(file: string, { limits = {}, every = EVERY, log = SILENT }: KeysOptions = {}): Keys {
    const standard = { ...NO_LIMITS, ...limits };
    return new Keys({ file, limits: standard, log }, standard, every);
  }

  /** For a server without keys: every request is the anonymous key's. */
  static none({ limits = {} }: Pick<KeysOptions, "limits"> = {}): Keys {
    return new Keys(undefined, { ...NO_LIMITS, ...limits }, EVERY);
  }

  /** False for a server without keys. */
  get isRequired(): boolean {
    return this.#source !== undefined;
  }

  get size(): number {
    return this.#keys.length;
  }

  /** The key of the header `Authorization: Bearer SECRET`. Throws a `Refusal` (401) if there is none or it is not known. */
  identify(authorization: string | undefined): ApiKey {
    if (this.#anonymous) return this.#anonymous;
    const [, secret] = /^bearer ([\x21-\x7e]+)$/i.exec(authorization?.slice(0, MOST_CHARACTERS) ?? "") ?? [];
    if (secret === undefined)
      throw new Refusal(
        "invalid_api_key",
        "a key is needed: send the header `authorization: Bearer KEY`, or `x-api-key: KEY`",
      );
    const hash = hashOf(secret);
    let found: ApiKey | undefined;
    // all are compared, whichever it is
    for (const { hash: own, key } of this.#keys) if (timingSafeEqual(hash, own)) found = key;
    if (!found) throw new Refusal("invalid_api_key", "the key is not known");
    return found;
  }

  /** Reads the file again. If it is broken, keeps the keys, says so on the log and returns false. */
  reload(): boolean {
    if (!this.#source) return false;
    const { file, log } = this.#source;
    try {
      this.#read(this.#source);
    } catch (error) {
      const { message } = error as Error;
      // a file that cannot be read is tried again at each look, and told once
      if (message !== this.#told) log.warn({ keys: this.size }, `the keys did not change: ${message}`);
      this.#told = message;
      return false;
    }
    this.#told = undefined;
    log.info({ keys: this.size }, `the keys were read again from "${file}"`);
    return true;
  }

  /** Stops watching. */
  close(): void {
    clearInterval(this.#timer);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** The version of what was read is noted once it was: a file that could not be read has none. */
  #read({ file, limits }: Source): void {
    const version = versionIn(file);
    try {
      this.#keys = readKeys(file, limits);
    } catch (error) {
      if ((error as InputError).code === "INVALID_FILE") this.#version = version;
      throw error;
    }
    this.#version = version;
  }

  #look(): void {
    if (versionIn(this.#source!.file) !== this.#version) this.reload();
  }
}

/** The version of a file; why it has none, if it cannot be looked at. */
function versionIn(file: string): string {
  try {
    return versionOf(file);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unreadable";
  }
}
