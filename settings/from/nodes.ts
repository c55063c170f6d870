/** Values of settings, with their places in the source. */

interface Base {
  readonly place: string;
}

export interface ObjectNode extends Base {
  readonly kind: "object";
  readonly members: ReadonlyMap<string, Node>;
}

interface ArrayNode extends Base {
  readonly kind: "array";
  readonly items: readonly Node[];
}

/** `text` is the source text of the number: 64-bit integers do not fit a `number`. */
interface NumberNode extends Base {
  readonly kind: "number";
  readonly value: number;
  readonly text: string;
}

/** `word` is a value from a command line or a Modelfile, which has no type of its own. */
export interface TextNode extends Base {
  readonly kind: "string" | "word";
  readonly value: string;
}

interface BoolNode extends Base {
  readonly kind: "bool";
  readonly value: boolean;
}

interface NullNode extends Base {
  readonly kind: "null";
}

export type Node = ObjectNode | ArrayNode | NumberNode | TextNode | BoolNode | NullNode;

/** A setting; `key` is its name in the source, which may differ from the reader's name. */
export interface Setting {
  readonly key: string;
  readonly node: Node;
}

export type Settings = ReadonlyMap<string, Setting>;

/** The members of an object as settings; `path` is the prefix of their keys. */
export const settingsOf = ({ members }: ObjectNode, path = ""): Settings =>
  new Map([...members].map(([key, node]) => [key, { key: path + key, node }]));

/** A value of a program as a node; every part of it is at one place. */
export function nodeOf(value: unknown, place: string): Node {
  if (Array.isArray(value)) return { kind: "array", place, items: value.map((item) => nodeOf(item, place)) };
  switch (typeof value) {
    case "number":
      return { kind: "number", place, value, text: String(value) };
    case "string":
      return { kind: "string", place, value };
    case "boolean":
      return { kind: "bool", place, value };
    case "object":
      if (value !== null) {
        const members = Object.entries(value).map(([key, member]) => [key, nodeOf(member, place)] as const);
        return { kind: "object", place, members: new Map(members) };
      }
  }
  return { kind: "null", place };
}
