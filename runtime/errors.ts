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

/** What the native runtime threw, as an `InputError` if it says what is wrong with the input; anything else as it is. */
export function asInputError(error: unknown): unknown {
  const { code, message } = error as { readonly code?: unknown; readonly message: string };
  return code === undefined ? error : new InputError(message, { cause: error });
}

/** What `run` gives; what it throws is an `InputError` where it says what is wrong with the input. */
export function translated<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw asInputError(error);
  }
}
