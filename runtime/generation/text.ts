/** The tokens of a generation. */

/** The text so far, including the prompt, in a buffer of the size of the context. */
export class TokenText {
  private readonly buffer: Int32Array;
  tokens: Int32Array;

  constructor(
    readonly prompt: Int32Array,
    size: number,
  ) {
    this.buffer = new Int32Array(size);
    this.buffer.set(prompt);
    this.tokens = this.buffer.subarray(0, prompt.length);
  }

  /** The number of generated tokens. */
  get count(): number {
    return this.tokens.length - this.prompt.length;
  }

  /** The first tokens, including the prompt, `generated` of them generated. */
  upTo(generated: number): Int32Array {
    return this.tokens.subarray(0, this.prompt.length + generated);
  }

  push(token: number): void {
    const { length } = this.tokens;
    this.buffer[length] = token;
    this.tokens = this.buffer.subarray(0, length + 1);
  }

  /** Forgets all but the first tokens, `generated` of them generated. */
  rewind(generated: number): void {
    this.tokens = this.upTo(generated);
  }
}
