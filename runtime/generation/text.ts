/** The tokens of a generation. */

/** The text so far, including the prompt, in a buffer of the size of the context. */
export class TokenText {
  private readonly buffer: Int32Array;
  private length: number;
  private latest: Int32Array | undefined;

  constructor(
    readonly prompt: Int32Array,
    size: number,
  ) {
    this.buffer = new Int32Array(size);
    this.buffer.set(prompt);
    this.length = prompt.length;
  }

  get tokens(): Int32Array {
    return (this.latest ??= this.buffer.subarray(0, this.length));
  }

  /** The number of generated tokens. */
  get count(): number {
    return this.length - this.prompt.length;
  }

  /** The first tokens, including the prompt, `generated` of them generated. */
  upTo(generated: number): Int32Array {
    return this.buffer.subarray(0, this.prompt.length + generated);
  }

  push(token: number): void {
    this.buffer[this.length++] = token;
    this.latest = undefined;
  }

  /** Forgets all but the first tokens, `generated` of them generated. */
  rewind(generated: number): void {
    this.length = this.prompt.length + generated;
    this.latest = undefined;
  }
}
