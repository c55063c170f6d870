/** The characters of a text that comes byte by byte. */

/** What is no character of a text. */
export const NO_CHARACTER = 0xfffd;

export class Characters {
  /** Bytes of a character that is not complete. */
  pending = 0;
  private needed = 0;
  private value = 0;

  /**
   * Reads a byte.
   * @param each is called with each character that is complete, and how many bytes it has
   */
  read(byte: number, each: (character: number, bytes: number) => void): void {
    if (this.needed > 0) {
      if ((byte & 0xc0) === 0x80) {
        this.pending++;
        this.value = (this.value << 6) | (byte & 0x3f);
        if (--this.needed === 0) this.give(this.value, each);
        return;
      }
      this.needed = 0;
      this.give(NO_CHARACTER, each);
    }
    this.pending = 1;
    if (byte < 0x80) return this.give(byte, each);
    const more =
      byte >= 0xf0 && byte <= 0xf4 ? 3 : byte >= 0xe0 && byte < 0xf0 ? 2 : byte >= 0xc2 && byte < 0xe0 ? 1 : 0;
    if (more === 0) return this.give(NO_CHARACTER, each);
    this.needed = more;
    this.value = byte & (0x3f >> more);
  }

  /** A text begins. */
  restart(): void {
    this.pending = this.needed = 0;
  }

  private give(character: number, each: (character: number, bytes: number) => void): void {
    const bytes = this.pending;
    this.pending = 0;
    each(character, bytes);
  }
}
