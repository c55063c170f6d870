/** TypeScript names for GGSL names. The languages differ in reserved words and allowed letters. */
import {
  isIdentifierChar,
  isIdentifierName,
  isKeyword,
  isStrictReservedWord,
} from "@babel/helper-validator-identifier";

/** Names that are not reserved words, but that a module cannot or should not declare. */
const TAKEN = ["arguments", "await", "eval", "exports", "globalThis", "module", "Object", "require", "undefined"];

/** Hands out unique names. */
export class Names {
  readonly #used: Set<string>;

  /** `imported` are names that the module uses itself. */
  constructor(imported: readonly string[]) {
    this.#used = new Set([...TAKEN, ...imported]);
  }

  /** Whether a name can be declared as it is. */
  isFree(name: string): boolean {
    const isReserved = isKeyword(name) || isStrictReservedWord(name, true);
    return !this.#used.has(name) && !isReserved && isIdentifierName(name);
  }

  /** Declares the name, with as many `_` appended as needed to make it unique and valid. */
  declare(wanted: string): string {
    let name = spelled(wanted);
    while (!this.isFree(name)) name += "_";
    this.#used.add(name);
    return name;
  }
}

/** `top_words` as the beginning of a type's name: `TopWords`. */
export const typeName = (name: string): string =>
  name
    .split("_")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("") || "_";

/** A property's name, in quotation marks unless every version of the language accepts it without. */
export const propertyName = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

/** Replaces characters that no identifier has by `_`. */
const spelled = (name: string): string =>
  Array.from(name, (c) => (isIdentifierChar(c.codePointAt(0)!) ? c : "_")).join("");
