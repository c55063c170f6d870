/** Arguments one by one between marks as grammars: each at most once, the required ones always. */
import type { Schema } from "../../grammars/values/references.js";
import type { Tool } from "../messages.js";
import { parametersOf } from "./arguments.js";
import { sharedEnd, sharedLength } from "./literals.js";

/** What is around a name and a value. */
export interface ParameterMarks {
  readonly open: string;
  /** Between the name and a value that is a text, and one that is none. */
  readonly ofText: string;
  readonly ofOther: string;
  readonly close: string;
}

/** The mark after a name in parts: what comes before the word that says what kind of value follows, if there is one, and after it. */
export function kindsOf({ ofText, ofOther }: ParameterMarks): {
  readonly before: string;
  readonly ofText?: string;
  readonly ofOther?: string;
  readonly after: string;
} {
  if (ofText === ofOther) return { before: ofText.trimEnd(), after: "" };
  const before = ofText.slice(0, sharedLength(ofText, ofOther)).replace(/\w+$/, "");
  const rest = (text: string): string => text.slice(before.length);
  const after = ofText.slice(ofText.length - sharedEnd(rest(ofText), rest(ofOther))).replace(/^\w+/, "");
  const word = (text: string): string => rest(text).slice(0, rest(text).length - after.length);
  return { before, ofText: word(ofText), ofOther: word(ofOther), after: after.trimEnd() };
}

/** The mark after the name of a value that is no text: some have the type in it. */
function markOf(marks: ParameterMarks, { type }: Schema): string {
  const { before, ofOther, after } = kindsOf(marks);
  return ofOther === "number" && ["boolean", "array", "object"].includes(type as string)
    ? `${before}${type as string}${after}`
    : marks.ofOther;
}

interface Parameters extends Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The schema of a parameter; an empty one if a tool has none of that name. */
export function schemaOf(tool: Tool, name: string): Schema {
  const { properties = {} } = parametersOf(tool) as Parameters;
  return Object.hasOwn(properties, name) ? properties[name]! : {};
}

/** Whether a value of a schema is a text, whatever it looks like. */
export function isTextOnly(schema: Schema): boolean {
  if (schema["type"] !== undefined) return schema["type"] === "string";
  const given = listedIn(schema);
  return given.length > 0 && given.every((one) => typeof one === "string");
}

/** The values that a schema lists. */
export function listedIn({ enum: values, const: value }: Schema): readonly unknown[] {
  if (Array.isArray(values)) return values as unknown[];
  return value === undefined ? [] : [value];
}

interface FormatOptions {
  /** Of schemas. */
  readonly options: object;
  readonly formatsOf: (text: string) => readonly object[];
}

/** Formats of the arguments of a tool; without `properties` that can be told, any arguments. */
export function parameterFormats(marks: ParameterMarks, tool: Tool, given: FormatOptions): readonly object[] {
  const { properties = {}, required = [], additionalProperties: others, ...rest } = parametersOf(tool) as Parameters;
  const { formatsOf } = given;
  const names = Object.keys(properties);
  const separator = marks.close.slice(marks.close.trimEnd().length);
  const between = separator === "" ? {} : { separator: { type: "const_string", value: separator } };
  if (names.length === 0 && others === false) return [];
  if (names.length === 0 || ["$ref", "allOf", "anyOf", "oneOf"].some((name) => rest[name] !== undefined)) {
    const any = sequence([
      ...formatsOf(marks.open),
      { type: "regex", pattern: '[^<>"\\s]{1,64}' },
      ...textFormats(marks, marks.ofText, formatsOf),
    ]);
    const content = { type: "repeat", content: any, ...between };
    return [{ type: "members", members: [{ content, required: false }] }];
  }
  const definitions = Object.fromEntries(
    Object.entries(rest).filter(([name]) => name === "$defs" || name === "definitions"),
  );
  const members = names.map((name) => ({
    content: sequence([
      ...formatsOf(`${marks.open}${name}`),
      ...valueFormats(marks, { ...definitions, ...properties[name] }, given),
    ]),
    required: required.includes(name),
  }));
  return [{ type: "members", members, ...between }];
}

/** The mark after a name, the value, and the mark after it. */
function valueFormats(marks: ParameterMarks, schema: Schema, { options, formatsOf }: FormatOptions): readonly object[] {
  const listed = listedIn(schema);
  const end = marks.close.trimEnd();
  if (isTextOnly(schema)) {
    if (listed.length === 0) return textFormats(marks, marks.ofText, formatsOf);
    const texts = listed.filter((value) => value !== "");
    if (texts.length === 0) return formatsOf(`${marks.ofText}${end}`);
    return [
      ...formatsOf(marks.ofText),
      { type: "or", elements: texts.map((value) => ({ type: "const_string", value })) },
      ...formatsOf(end),
    ];
  }
  const json = [
    ...formatsOf(markOf(marks, schema)),
    { ...options, type: "json_schema", json_schema: schema },
    ...formatsOf(end),
  ];
  if (!mayBeText(schema)) return json;
  // a text is written as it is
  return [{ type: "or", elements: [sequence(json), sequence(textFormats(marks, marks.ofText, formatsOf))] }];
}

const mayBeText = ({ type, ...schema }: Schema): boolean =>
  type === undefined
    ? ["$ref", "allOf", "anyOf", "oneOf"].some((name) => schema[name] !== undefined) || listedIn(schema).length === 0
    : Array.isArray(type) && type.includes("string");

/** Any text, up to the mark after it. */
function textFormats(marks: ParameterMarks, mark: string, formatsOf: FormatOptions["formatsOf"]): readonly object[] {
  const end = marks.close.trimEnd();
  const [first, ...more] = formatsOf(end) as readonly { readonly type: string; readonly value?: string }[];
  // free text ends where the end comes first; control tokens do not come in it
  return first?.type === "const_string" && more.length === 0
    ? [...formatsOf(mark).slice(0, -1), ...closed(formatsOf(mark).at(-1)!, end)]
    : [...formatsOf(mark), { type: "any_text" }, ...formatsOf(end)];
}

const closed = (last: object, end: string): readonly object[] => {
  const { type, value } = last as { readonly type: string; readonly value?: string };
  return type === "const_string"
    ? [{ type: "tag", begin: value, content: { type: "any_text" }, end }]
    : [last, { type: "any_text" }, { type: "const_string", value: end }];
};

const sequence = (elements: readonly object[]): object =>
  elements.length === 1 ? elements[0]! : { type: "sequence", elements };
