/** Reads a JSON schema: each keyword is an operation on sets of values. */
import { show } from "@ggsl/compiler/core/show.js";
import { spend } from "../budget.js";
import { GRAMMAR_LIMITS } from "../limits.js";
import { intersect, union, unionOf } from "./algebra.js";
import { Keywords } from "./assertions.js";
import { withoutContained } from "./contained.js";
import { fault, exceeded } from "./faults.js";
import { areDisjoint } from "./disjoint.js";
import { Literals } from "./literals.js";
import { withoutUnevaluatedItems, withoutUnevaluatedMembers } from "./evaluated.js";
import { isObject, References, segment, type Part, type Schema } from "./references.js";
import { Circle, Sets } from "./space.js";
import { Typed } from "./typed.js";
import {
  ALL_VALUES,
  ANY,
  ANY_OBJECT,
  NEVER,
  NO_VALUES,
  type Lazy,
  type Member,
  type ObjectSet,
  type Values,
} from "./values.js";

export class SchemaReader {
  readonly sets = new Sets();
  private readonly references: References;
  private readonly literals = new Literals(this.sets);
  private readonly typed: Typed;
  private readonly known = new Map<unknown, Lazy>();
  private parts = 0;
  /** Whether what is evaluated must be remembered. */
  private readonly isTracking: boolean;

  /** @param text the schema as JSON */
  constructor(
    readonly root: unknown,
    text: string,
    private readonly ignored: ReadonlySet<string>,
  ) {
    this.references = new References(root, text);
    this.isTracking = /"unevaluated(?:Items|Properties)":/.test(text);
    this.typed = new Typed(this.sets, (schema, path) => this.lazy(schema, path), this.isTracking);
  }

  /** The set of a schema, which is read when it is needed. */
  lazy(schema: unknown, path: string): Lazy {
    if (schema === true) return ANY;
    if (schema === false) return NEVER;
    const known = this.known.get(schema);
    if (known) return known;
    if (!isObject(schema)) throw fault(path, `expected an object or a boolean, found ${show(schema)}`);
    if (Object.keys(schema).length === 0) return ANY;
    if (++this.parts > GRAMMAR_LIMITS.parts) throw exceeded(`it has more than ${GRAMMAR_LIMITS.parts} schemas`);
    const lazy = this.sets.make(path, () => this.read(schema, path));
    this.known.set(schema, lazy);
    const other = this.another(schema, path);
    if (other) {
      this.known.set(schema, other);
      return other;
    }
    // what has no schemas in it is combined with others at once
    if (isScalar(schema)) this.sets.valuesOf(lazy);
    return lazy;
  }

  /** What a schema stands for that has nothing but a reference, or nothing but `not`: one set, however often it is asked for. */
  private another(schema: Schema, path: string): Lazy | undefined {
    const [name, second] = Object.keys(schema).filter((one) => !ANNOTATIONS.has(one));
    if (name === undefined || second !== undefined || this.ignored.has(name)) return undefined;
    if (name === "not" && !this.isTracking)
      return this.sets.difference(ANY, this.lazy(schema["not"], `${path}/not`), { path, keyword: "not" });
    if (name !== "$ref") return undefined;
    const target = this.references.target(schema["$ref"], schema, `${path}/$ref`);
    return this.lazy(target.schema, target.path);
  }

  private values({ schema, path }: Part, from: string): Values {
    try {
      return this.sets.valuesOf(this.lazy(schema, path));
    } catch (error) {
      if (error instanceof Circle) throw fault(from, "it refers only to itself");
      throw error;
    }
  }

  private list(given: Keywords, name: string): Values[] | undefined {
    return given
      .schemas(name)
      ?.map((schema, i) => this.values({ schema, path: `${given.at(name)}/${i}` }, given.at(name)));
  }

  private one(given: Keywords, name: string): Values {
    return this.values({ schema: given.get(name), path: given.at(name) }, given.at(name));
  }

  private read(schema: Schema, path: string): Values {
    spend(1 + Object.keys(schema).length);
    const given = new Keywords(schema, path, this.ignored);
    let values = this.typed.values(given);
    const meet = (other: Values): void => {
      values = intersect(values, other, this.sets);
    };
    if (given.has("const")) meet(this.literals.of([given.get("const")]));
    if (given.has("enum")) meet(this.literals.of(given.list("enum")!));
    if (isApplying(schema)) {
      if (given.has("$ref")) meet(this.referred(given, "$ref"));
      if (given.has("$recursiveRef")) meet(this.referred(given, "$recursiveRef"));
      if (given.has("$dynamicRef")) meet(this.referred(given, "$dynamicRef"));
      this.list(given, "allOf")?.forEach(meet);
      const cases = this.list(given, "anyOf");
      if (cases) values = this.anyOf(values, cases);
      if (schema["oneOf"] !== undefined) values = this.oneOf(values, given);
      if (given.has("if")) values = this.conditional(values, given);
      values = this.dependent(values, given);
      if (given.has("not")) values = this.sets.subtracted(values, this.one(given, "not"), { path, keyword: "not" });
    }
    return this.isTracking ? this.evaluated(values, given) : values;
  }

  private referred(given: Keywords, name: "$ref" | "$recursiveRef" | "$dynamicRef"): Values {
    const reference = given.get(name);
    const at = given.at(name);
    const part =
      name === "$dynamicRef"
        ? this.references.dynamicTarget(reference, given.schema, given.path)
        : this.references.target(reference, given.schema, at);
    return this.values(part, at);
  }

  private anyOf(values: Values, cases: readonly Values[]): Values {
    if (!this.isTracking) return intersect(values, unionOf(cases), this.sets);
    // a value of several cases is evaluated by all of them
    let all: readonly Values[] = [values];
    for (const one of cases)
      all = all.flatMap((set) => {
        spend();
        return [set, intersect(set, one, this.sets)];
      });
    return unionOf(all.slice(1));
  }

  private oneOf(values: Values, given: Keywords): Values {
    // when ignored, a value of one of the schemas is still better than any value
    const cases = this.list(new Keywords(given.schema, given.path, NOTHING), "oneOf")!.map((one) =>
      intersect(values, one, this.sets),
    );
    if (given.isIgnored("oneOf") || areDisjoint(cases, this.sets)) return unionOf(cases);
    const place = { path: given.path, keyword: "oneOf" };
    const { objects, ...others } = unionOf(
      cases.map((one, i) =>
        cases.reduce((left, other, k) => (k === i ? left : this.sets.subtracted(left, other, place)), one),
      ),
    );
    return { ...others, objects: withoutContained(objects, this.sets) };
  }

  private conditional(values: Values, given: Keywords): Values {
    if (!given.has("then", "else") && !this.isTracking) return values;
    const condition = this.one(given, "if");
    const yes = intersect(values, condition, this.sets);
    const no = this.sets.subtracted(values, condition, { path: given.path, keyword: "if" });
    const after = (set: Values, name: string): Values =>
      given.has(name) ? intersect(set, this.one(given, name), this.sets) : set;
    return union(after(yes, "then"), after(no, "else"));
  }

  /** What must be there if a member is. */
  private dependent(start: Values, given: Keywords): Values {
    let values = start;
    for (const keyword of ["dependentRequired", "dependentSchemas", "dependencies"]) {
      if (!given.has(keyword)) continue;
      for (const [name, needed] of Object.entries(given.members(keyword))) {
        const path = `${given.at(keyword)}/${segment(name)}`;
        const names = Array.isArray(needed) ? (needed as string[]) : [];
        const needs: Member = { value: ANY, isRequired: true, isDeclared: false };
        const present = objectsOf([name, ...names].map((one) => [one, needs]));
        const then = Array.isArray(needed)
          ? present
          : intersect(present, this.values({ schema: needed, path }, path), this.sets);
        const absent = objectsOf([[name, { value: NEVER, isRequired: false, isDeclared: false }]]);
        const objects = unionOf([absent, then].map(({ objects: some }) => ({ ...NO_VALUES, objects: some })));
        values = intersect(values, { ...ALL_VALUES, objects: objects.objects }, this.sets);
      }
    }
    return values;
  }

  private evaluated(start: Values, given: Keywords): Values {
    let values = start;
    if (given.has("unevaluatedProperties")) {
      const others = this.lazy(given.get("unevaluatedProperties"), given.at("unevaluatedProperties"));
      const objects = values.objects.flatMap((set) => withoutUnevaluatedMembers(set, others, this.sets) ?? []);
      values = { ...values, objects };
    }
    if (given.has("unevaluatedItems")) {
      const others = this.lazy(given.get("unevaluatedItems"), given.at("unevaluatedItems"));
      const arrays = values.arrays.flatMap((set) => withoutUnevaluatedItems(set, others, this.sets, given.path) ?? []);
      values = { ...values, arrays };
    }
    return values;
  }
}

/** Keywords that say nothing about values. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$defs"],
  ...["definitions", "$schema"],
]);

const NOTHING: ReadonlySet<string> = new Set();

const objectsOf = (members: readonly (readonly [string, Member])[]): Values => {
  const set: ObjectSet = { ...ANY_OBJECT, named: new Map(members) };
  return { ...ALL_VALUES, objects: [set] };
};

const APPLYING = [
  ...["$ref", "$recursiveRef", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "not"],
  ...["dependentRequired", "dependentSchemas", "dependencies"],
];

/** Whether it has keywords with schemas for the same value. */
const isApplying = (schema: Schema): boolean => APPLYING.some((name) => schema[name] !== undefined);

const NESTING = new Set<unknown>(["array", "object", undefined]);

/** Whether it has neither schemas in it nor arrays and objects. */
function isScalar(schema: Schema): boolean {
  const { type, enum: values, const: value } = schema;
  if (isApplying(schema)) return false;
  if (Array.isArray(values)) return values.every((one) => typeof one !== "object" || one === null);
  if (value !== undefined) return typeof value !== "object" || value === null;
  return Array.isArray(type) ? !type.some((one) => NESTING.has(one)) : !NESTING.has(type);
}
