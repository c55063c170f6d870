/** What the references of a schema name: by JSON pointers, anchors and identifiers. */
import { show } from "@ggsl/compiler/core/show.js";
import { spend } from "../budget.js";
import { fault, unenforced } from "./faults.js";

/** A schema that is an object, before it is checked. */
export type Schema = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A part of the schema, and its JSON pointer. */
export interface Part {
  readonly schema: unknown;
  readonly path: string;
}

/** Where there are schemas in a schema. */
const IN_ONE = [
  ...["additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not"],
  ...["propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"],
];
const IN_LISTS = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
const IN_MEMBERS = ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/** The address of a schema that has none. */
const HERE = "schema:///here";

export const segment = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

export class References {
  /** By address without a fragment. */
  private readonly documents = new Map<string, Part>();
  private readonly anchors = new Map<string, Part>();
  private readonly dynamic = new Map<string, number>();
  private readonly bases = new Map<unknown, string>();
  private readonly isPlain: boolean;

  /** @param text the schema as JSON */
  constructor(
    private readonly root: unknown,
    text: string,
  ) {
    this.isPlain = !/"(?:\$id|id|\$anchor|\$dynamicAnchor)":"/.test(text);
    if (!this.isPlain) this.collect({ schema: root, path: "" }, HERE);
    this.documents.set(HERE, { schema: root, path: "" });
  }

  private collect({ schema, path }: Part, base: string): void {
    if (!isObject(schema)) return;
    spend(1 + IN_ONE.length / 4);
    const here = this.identified({ schema, path }, base);
    this.bases.set(schema, here);
    const visit = (value: unknown, at: string): void => this.collect({ schema: value, path: `${path}/${at}` }, here);
    for (const name of IN_ONE) if (isObject(schema[name])) visit(schema[name], name);
    for (const name of IN_LISTS) {
      const list = schema[name];
      if (Array.isArray(list)) list.forEach((one, i) => visit(one, `${name}/${i}`));
    }
    for (const name of IN_MEMBERS) {
      const members = schema[name];
      if (isObject(members)) for (const key of Object.keys(members)) visit(members[key], `${name}/${segment(key)}`);
    }
  }

  /** The address that references in a schema are relative to. */
  private identified(part: Part, base: string): string {
    const { $id, id, $anchor, $dynamicAnchor } = part.schema as Schema;
    const own = typeof $id === "string" ? $id : typeof id === "string" && $id === undefined ? id : undefined;
    // drafts before 2019-09 write anchors so
    if (own?.startsWith("#")) this.anchors.set(`${base}${own}`, part);
    const here = own === undefined || own.startsWith("#") ? base : (resolved(own, base)?.split("#")[0] ?? base);
    if (here !== base) this.documents.set(here, part);
    if (typeof $anchor === "string") this.anchors.set(`${here}#${$anchor}`, part);
    if (typeof $dynamicAnchor === "string") {
      this.anchors.set(`${here}#${$dynamicAnchor}`, part);
      this.dynamic.set($dynamicAnchor, (this.dynamic.get($dynamicAnchor) ?? 0) + 1);
    }
    return here;
  }

  /**
   * @param from the schema that refers
   * @param path of the reference
   */
  target(reference: unknown, from: unknown, path: string): Part {
    if (typeof reference !== "string") throw fault(path, `expected a text, found ${show(reference)}`);
    const part = this.isPlain ? this.pointed(reference, this.root, "") : this.absolute(reference, from);
    if (part) return part;
    throw fault(
      path,
      `expected a reference inside this schema, such as "#/$defs/name", found ${show(reference)}: no schema is there`,
    );
  }

  /** The target of a reference that depends on how it was reached; one of several anchors of a name would be chosen when a value is read. */
  dynamicTarget(reference: unknown, from: unknown, path: string): Part {
    const name = typeof reference === "string" ? reference.split("#")[1] : undefined;
    if (name !== undefined && (this.dynamic.get(name) ?? 0) > 1)
      throw unenforced(
        { path, keyword: "$dynamicRef" },
        `there are several \`$dynamicAnchor\` with the name ${show(name)}`,
      );
    return this.target(reference, from, `${path}/$dynamicRef`);
  }

  private absolute(reference: string, from: unknown): Part | undefined {
    const address = resolved(reference, this.bases.get(from) ?? HERE);
    if (address === undefined) return undefined;
    const [document, fragment = ""] = address.split("#") as [string, string?];
    const part = this.documents.get(document) ?? (document === HERE ? { schema: this.root, path: "" } : undefined);
    if (!part) return undefined;
    const known = this.anchors.get(address) ?? this.anchors.get(`${document}#${decoded(fragment) ?? ""}`);
    return known ?? this.pointed(`#${fragment}`, part.schema, part.path);
  }

  private pointed(reference: string, start: unknown, path: string): Part | undefined {
    if (reference === "#" || reference === "") return { schema: start, path };
    if (!reference.startsWith("#/")) return undefined;
    let schema = start;
    let at = path;
    for (const coded of reference.slice(2).split("/")) {
      spend();
      const name = decoded(coded)?.replaceAll("~1", "/").replaceAll("~0", "~");
      if (name === undefined || typeof schema !== "object" || schema === null || !Object.hasOwn(schema, name))
        return undefined;
      schema = (schema as Schema)[name];
      at += `/${segment(name)}`;
    }
    return { schema, path: at };
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function resolved(reference: string, base: string): string | undefined {
  try {
    return new URL(reference, base).href;
  } catch {
    return undefined;
  }
}
