/** Errors in the runtime's input. */

import { isNativeErrorCode } from "./codes.js";
import type { InputErrorCode, ModelErrorCode } from "./errorCodes.js";

export type { InputErrorCode } from "./errorCodes.js";

/** An invalid value, file or device; the message says what was expected and what was found. */
export class InputError extends Error {
  override readonly name: string = "InputError";
  /** What is wrong, for programs; stable. docs/errors.md lists the codes. */
  readonly code: InputErrorCode;
  constructor(message: string, { code, cause }: { readonly code: InputErrorCode; readonly cause?: unknown }) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** The `InputError` of an argument that is not allowed, `INVALID_ARGUMENT`. */
export const invalid = (message: string, cause?: unknown): InputError =>
  new InputError(message, { code: "INVALID_ARGUMENT", cause });

/**
 * A model file that cannot be used. Its code is `INVALID_MODEL` if llama.cpp, or a check before it, refuses the file, and
 * `MODEL_CRASH` if a process that tried it crashed or was killed, which only a probe finds.
 */
export class ModelError extends InputError {
  override readonly name = "ModelError";
  constructor(code: ModelErrorCode, message: string, { cause }: { readonly cause?: unknown } = {}) {
    super(message, { code, cause });
  }
}

/** An operation was cancelled through its `AbortSignal`, without a reason. */
export class AbortError extends Error {
  override readonly name = "AbortError";
  readonly code = "ABORTED";
  constructor(cause?: unknown) {
    super("the operation was aborted", cause === undefined ? undefined : { cause });
  }
}

/** What an operation of an aborted signal fails with: the signal's reason, such as a `TimeoutError`; without one an `AbortError`. */
export function abortError({ reason }: AbortSignal): unknown {
  const { name } = (reason ?? {}) as { readonly name?: unknown };
  const isDefault = reason === undefined || (reason instanceof DOMException && name === "AbortError");
  return isDefault ? new AbortError(reason) : reason;
}

/**
 * Translates an error of the native runtime: what an aborted signal gives as its reason, an `InputError` with its code for an
 * error of its own; any other error, such as one of Node.js, is returned unchanged.
 */
export function translate(error: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted) return abortError(signal);
  if (error instanceof InputError || error instanceof AbortError) return error;
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: string };
  return isNativeErrorCode(code) ? new InputError(message ?? code, { code, cause: error }) : error;
}

/** Calls the native runtime and translates its errors. */
export function translated<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw translate(error);
  }
}
