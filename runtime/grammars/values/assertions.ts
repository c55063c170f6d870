/** The values of keywords, checked. */
import { show } from "@ggsl/compiler/core/show.js";
import { fault } from "./faults.js";
import { isObject, type Schema } from "./references.js";

const TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"] as const;
export type SchemaType = (typeof TYPES)[number];

/** A schema without the keywords that are not to be enforced. */
export class Keywords {
  constructor(
    readonly schema: Schema,
    readonly path: string,
    private readonly ignored: ReadonlySet<string>,
  ) {}

  get(name: string): unknown {
    return this.ignored.has(name) ? undefined : this.schema[name];
  }

  isIgnored(name: string): boolean {
    return this.ignored.has(name);
  }

  has(...names: readonly string[]): boolean {
    return names.some((name) => this.get(name) !== undefined);
  }

  at(name: string): string {
    return `${this.path}/${name}`;
  }

  private wrong(name: string, expected: string): Error {
    return fault(this.at(name), `expected ${expected}, found ${show(this.get(name))}`);
  }

  number(name: string): number | undefined {
    const value = this.get(name);
    if (value !== undefined && typeof value !== "number") throw this.wrong(name, "a number");
    return value;
  }

  /** Draft 4 has true and false beside `minimum` and `maximum`. */
  exclusive(name: string): number | boolean | undefined {
    return typeof this.get(name) === "boolean" ? (this.get(name) as boolean) : this.number(name);
  }

  count(name: string): number | undefined {
    const value = this.get(name);
    if (value !== undefined && !(Number.isInteger(value) && (value as number) >= 0))
      throw this.wrong(name, "an integer of at least 0");
    return value as number | undefined;
  }

  text(name: string): string | undefined {
    const value = this.get(name);
    if (value !== undefined && typeof value !== "string") throw this.wrong(name, "a text");
    return value;
  }

  boolean(name: string): boolean {
    const value = this.get(name);
    if (value !== undefined && typeof value !== "boolean") throw this.wrong(name, "true or false");
    return value ?? false;
  }

  list(name: string): readonly unknown[] | undefined {
    const value = this.get(name);
    if (value !== undefined && !Array.isArray(value)) throw this.wrong(name, "a list");
    return value as readonly unknown[] | undefined;
  }

  schemas(name: string): readonly unknown[] | undefined {
    const value = this.list(name);
    if (value?.length === 0) throw this.wrong(name, "a list of schemas");
    return value;
  }

  names(name: string): readonly string[] {
    const value = this.get(name) ?? [];
    // draft 3 has `required: true` in the schema of a property
    if (typeof value === "boolean") return [];
    if (!Array.isArray(value) || value.some((one) => typeof one !== "string"))
      throw this.wrong(name, "a list of names");
    return value as readonly string[];
  }

  members(name: string): Schema {
    const value = this.get(name) ?? {};
    if (!isObject(value)) throw this.wrong(name, "an object");
    return value;
  }

  types(): ReadonlySet<SchemaType> | undefined {
    const type = this.get("type");
    if (type === undefined) return undefined;
    const names: unknown[] = Array.isArray(type) ? type : [type];
    const bad = names.find((name) => !(TYPES as readonly unknown[]).includes(name));
    if (bad !== undefined || names.length === 0)
      throw fault(this.at("type"), `expected one of ${TYPES.join(", ")}, found ${show(bad ?? type)}`);
    const types = new Set(names as SchemaType[]);
    // OpenAPI 3.0
    if (this.get("nullable") === true) types.add("null");
    return types;
  }
}
