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
