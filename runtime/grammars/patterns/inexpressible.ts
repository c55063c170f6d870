import { InputError, type InputErrorCode } from "../../core/errors.js";

const known = new WeakSet<Error>();

/** The error of a regular expression that is right, and that a grammar cannot express. */
export function inexpressible(message: string, code: InputErrorCode = "INVALID_ARGUMENT"): InputError {
  const error = new InputError(message, { code });
  known.add(error);
  return error;
}

export const isInexpressible = (error: unknown): boolean => error instanceof Error && known.has(error);
