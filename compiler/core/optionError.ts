/** An invalid option of a function of the compiler. */
export class OptionError extends RangeError {
  override readonly name = "OptionError";
  readonly code = "INVALID_OPTION";
}
