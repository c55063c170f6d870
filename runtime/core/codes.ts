/** The codes of the native runtime's errors: those of native/graph/failure.h. ../errorCodes.ts says what they mean. */
export const NATIVE_ERROR_CODES = [
  "INVALID_GRAPH",
  "INVALID_ARGUMENT",
  "INVALID_LOGITS",
  "INVALID_MODEL",
  "UNSUPPORTED_OP",
  "NO_DEVICE",
  "OUT_OF_MEMORY",
  "LIMIT_EXCEEDED",
  "NO_CANDIDATE",
  "CONTEXT_FULL",
  "COMPUTE_FAILED",
  "ABORTED",
  "BUSY",
  "DISPOSED",
] as const;

export type NativeErrorCode = (typeof NATIVE_ERROR_CODES)[number];

export const isNativeErrorCode = (code: unknown): code is NativeErrorCode =>
  (NATIVE_ERROR_CODES as readonly unknown[]).includes(code);
