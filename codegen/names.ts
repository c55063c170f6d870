/** Names of a TypeScript module for names of GGSL, which knows other words and other letters. */
import { ts } from "ts-morph";

/** Names that are no reserved words and still can not, or had better not, be declared by a module. */
const TAKEN = ["arguments", "await", "eval", "exports", "globalThis", "module", "Object", "require", "undefined"];

/** Gives each name once. */
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

  /** The name, with `_` behind it as often as it takes until it can be declared. */
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

/** A property's name; in quotes unless it needs none in any version of the language. */
export const propertyName = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

/** Letters that are newer than TypeScript's tables become `_`. */
const spelled = (name: string): string =>
  Array.from(name, (c) => (ts.isIdentifierPart(c.codePointAt(0)!, ts.ScriptTarget.Latest) ? c : "_")).join("");

/** What TypeScript reads; contextual keywords, such as `type`, are names wherever a module declares one. */
function tokenOf(name: string): ts.SyntaxKind {
  const token = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.Standard, name).scan();
  return token > ts.SyntaxKind.LastFutureReservedWord && token <= ts.SyntaxKind.LastKeyword
    ? ts.SyntaxKind.Identifier
    : token;
}
