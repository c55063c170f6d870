import { InputError, type InputErrorCode } from "../../core/errors.js";

/** A regular expression that is right, and that a grammar cannot express. */
export class Inexpressible extends InputError {
  constructor(message: string, code: InputErrorCode = "INVALID_ARGUMENT", cause?: unknown) {
    super(message, { code, cause });
  }
}
