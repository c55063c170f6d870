/** What finds the key of a request. */
import type { ApiKey } from "./file.js";

export interface KeyRing {
  /** False for a server without keys. */
  readonly isRequired: boolean;
  /**
   * The key of the header `Authorization: Bearer SECRET`. Throws a `Refusal` (401) if there is none or it is not known.
   * @param told the header `KEY_HEADER`, in which the front of several models says whose request it is
   */
  identify(authorization: string | undefined, told?: string | string[]): ApiKey;
  /** Stops watching. */
  close(): void;
}

/** In which a front tells its processes the key of a request. */
export const KEY_HEADER = "x-ggsl-key";
