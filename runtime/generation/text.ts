/** The tokens of a generation. */

/** The text so far, including the prompt, in a buffer of the size of the context. */
export class TokenText {
  private readonly buffer: Int32Array;
  /** The number of tokens that the model has read. */
  private read = 0;
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

  get generated(): Int32Array {
    return this.tokens.subarray(this.prompt.length);
  }

  push(token: number): void {
    const { length } = this.tokens;
    this.buffer[length] = token;
    this.tokens = this.buffer.subarray(0, length + 1);
  }

  /** What the model has not read: the prompt, and then the last token, with forced ones before it. */
  get unread(): Int32Array {
    return this.tokens.subarray(this.read);
  }

  /** The model has read all tokens. */
  allRead(): void {
    this.read = this.tokens.length;
  }
}
