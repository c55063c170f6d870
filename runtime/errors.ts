/** Errors in what the runtime was given. */

/** A value, a file or a device that can not be used; the message says what was expected and what was found. */
export class InputError extends Error {
  override readonly name: string = "InputError";
}

/** An operation that was cancelled through its `AbortSignal`. */
export class AbortError extends Error {
  override readonly name = "AbortError";
  constructor() {
    super("the operation was aborted");
  }
}

/**
 * What the native runtime threw in the words of this one: an `AbortError` if the signal was aborted, an `InputError` if it says
 * what is wrong with the input; anything else as it is.
 */
export function translate(error: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted) return new AbortError();
  const { code, message } = error as { readonly code?: unknown; readonly message: string };
  return code === undefined ? error : new InputError(message, { cause: error });
}

/** Calls the native runtime; what that throws is translated. */
export function translated<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw translate(error);
  }
}
