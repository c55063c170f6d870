/** The keys of requests, as the front tells its processes. */
import { timingSafeEqual } from "node:crypto";
import { hashOf, type ApiKey } from "../keys/file.js";
import type { KeyRing } from "../keys/ring.js";
import { Refusal } from "../refusal.js";

/** Numbers without a limit are null in JSON. */
type Told = Omit<ApiKey, "limits"> & { readonly limits: Readonly<Record<string, unknown>> };

/** The header of a key. */
export const toldKey = ({ id, name, limits }: ApiKey): string =>
  Buffer.from(JSON.stringify({ id, name, limits })).toString("base64url");

function readTold(header: string): ApiKey {
  const { limits, ...key } = JSON.parse(Buffer.from(header, "base64url").toString()) as Told;
  const numbers = Object.entries(limits).map(([name, value]): [string, unknown] => [name, value ?? Infinity]);
  return { ...key, limits: Object.fromEntries(numbers) as unknown as ApiKey["limits"] };
}

/** Of a process that takes requests from the front alone, which knows a secret. */
export class ToldKeys implements KeyRing {
  readonly isRequired = true;
  readonly #hash: Buffer;

  constructor(secret: string) {
    this.#hash = hashOf(secret);
  }

  identify(authorization = "", told?: string | string[]): ApiKey {
    const secret = authorization.replace(/^bearer /i, "");
    if (!timingSafeEqual(hashOf(secret), this.#hash) || typeof told !== "string")
      throw new Refusal("invalid_api_key", "this process takes requests from its front alone");
    return readTold(told);
  }

  close(): void {
    // nothing is watched
  }
}
