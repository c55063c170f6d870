/** Errors in the runtime's input. */

/** An invalid value, file or device; the message says what was expected and what was found. */
export class InputError extends Error {
  override readonly name: string = "InputError";
}

/** A model file that cannot be used. */
export class ModelError extends InputError {
  override readonly name = "ModelError";
  constructor(
    /**
     * - `INVALID_MODEL`: llama.cpp, or a check before it, refuses the file
     * - `MODEL_CRASH`: a process that tried it crashed or was killed; only with `probe`
     */
    readonly code: "INVALID_MODEL" | "MODEL_CRASH",
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** An operation was cancelled through its `AbortSignal`. */
export class AbortError extends Error {
  override readonly name = "AbortError";
  constructor() {
    super("the operation was aborted");
  }
}

/**
 * Translates an error of the native runtime: an `AbortError` if the signal was aborted, an `InputError` for an error in the
 * input; any other error is returned unchanged.
 */
export function translate(error: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted) return new AbortError();
  const { code, message } = error as { readonly code?: unknown; readonly message: string };
  return code === undefined ? error : new InputError(message, { cause: error });
}

/** Calls the native runtime and translates its errors. */
export function translated<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw translate(error);
  }
}
