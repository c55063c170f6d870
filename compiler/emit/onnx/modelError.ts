/** What is wrong with an ONNX model that a chain is to be appended to. */

/** `INVALID_ONNX`: the bytes are no ONNX model; `UNSUITABLE_ONNX`: they are one, and a chain cannot be appended to it. */
export class OnnxModelError extends Error {
  override readonly name = "OnnxModelError";
  constructor(
    readonly code: "INVALID_ONNX" | "UNSUITABLE_ONNX",
    message: string,
  ) {
    super(message);
  }
}

export const invalid = (reason: string): OnnxModelError =>
  new OnnxModelError("INVALID_ONNX", `expected an ONNX model, found a file that is none, or damaged: ${reason}`);

export const unsuitable = (reason: string): OnnxModelError => new OnnxModelError("UNSUITABLE_ONNX", reason);
