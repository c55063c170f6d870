/** TypeScript names for GGSL names. The languages differ in reserved words and allowed letters. */
import { ts } from "ts-morph";

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
    return !this.#used.has(name) && spelled(name) === name && tokenOf(name) === ts.SyntaxKind.Identifier;
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

/** Replaces letters that are newer than TypeScript's Unicode tables by `_`. */
const spelled = (name: string): string =>
  Array.from(name, (c) => (ts.isIdentifierPart(c.codePointAt(0)!, ts.ScriptTarget.Latest) ? c : "_")).join("");

/** The name's TypeScript token; contextual keywords, such as `type`, are valid names in declarations. */
function tokenOf(name: string): ts.SyntaxKind {
  const token = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.Standard, name).scan();
  return token > ts.SyntaxKind.LastFutureReservedWord && token <= ts.SyntaxKind.LastKeyword
    ? ts.SyntaxKind.Identifier
    : token;
}
