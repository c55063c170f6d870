/** Texts that end a generation: found across the borders of tokens, in one pass over the bytes. */
import { InputError, invalid } from "../core/errors.js";
import { automaton, longestText, step, type State } from "../sequence/features/automaton.js";
import { fromBytes, toBytes } from "../core/vocabulary.js";
import * as is from "../core/check.js";

/** The most stop texts, and the most bytes of all of them. */
const MAX_TEXTS = 1024;
const MAX_BYTES = 2 ** 16;

const isTextList = is.listOf("a list of texts", is.text);

/** Throws `InputError` for a list that is too long, and for an empty text, which would end every text at once. */
export const stopTexts: is.Check = (value, name) => {
  isTextList(value, name);
  const texts = value as readonly string[];
  const limit = (expected: string, found: number): never => {
    throw new InputError(`\`${name}\` must have at most ${expected}, found ${found}`, { code: "LIMIT_EXCEEDED" });
  };
  if (texts.length > MAX_TEXTS) limit(`${MAX_TEXTS} texts`, texts.length);
  const empty = texts.indexOf("");
  if (empty >= 0) throw invalid(`\`${name}[${empty}]\` must not be empty: a text has an empty text everywhere`);
  const bytes = texts.reduce((sum, text) => sum + toBytes(text).length, 0);
  if (bytes > MAX_BYTES) limit(`${MAX_BYTES} bytes in all its texts`, bytes);
};

/** A stop text in a text: where it begins and ends, in bytes. */
export interface Stop {
  readonly text: string;
  readonly begin: number;
  readonly end: number;
}

/** Looks for stop texts in a text that comes byte by byte. */
export class StopFinder {
  private readonly root: State;
  private state: State;
  /** Bytes read so far. */
  length = 0;

  constructor(texts: readonly string[]) {
    this.root = automaton([...new Set(texts.map(toBytes))]);
    this.state = this.root;
  }

  /** The first bytes so far, which cannot be part of a stop text. */
  get settled(): number {
    return this.length - this.state.length;
  }

  /** Reads more bytes, up to a stop text. Of those that are complete first it is the longest. */
  read(bytes: Uint8Array): Stop | undefined {
    for (const byte of bytes) {
      this.state = step(this.state, byte);
      this.length++;
      const found = longestText(this.state)?.text;
      if (found !== undefined) return { text: fromBytes(found), begin: this.length - found.length, end: this.length };
    }
    return undefined;
  }

  /** Goes on from `length` bytes, none of them part of a stop text. */
  restart(length: number): void {
    this.state = this.root;
    this.length = length;
  }
}
