/** Grammars of arguments in notations that are not JSON, from the schemas of tools. */
import type { Schema } from "../../grammars/values/references.js";
import type { Tool } from "../messages.js";
import { parametersOf } from "./arguments.js";
import { isTextOnly, listedIn } from "./parameterFormats.js";

export interface Notation {
  /** The template that it comes from. */
  readonly source: string;
  /** Around all arguments. */
  readonly open: string;
  readonly close: string;
  /** Between the name of an argument and its value. */
  readonly separator: string;
  /** Around texts, the first is what templates write. */
  readonly quotes: readonly string[];
  /** Whether a backslash escapes in texts. */
  readonly hasEscapes: boolean;
  /** Whether lists and objects inside of the arguments are JSON. */
  readonly isJsonInside: boolean;
}

interface Parts {
  readonly notation: Notation;
  /** Of schemas. */
  readonly options: object;
}

/** Formats of the arguments of a tool. */
export function notationFormats(notation: Notation, tool: Tool, options: object): readonly object[] {
  const { open, close, separator } = notation;
  return objectFormats({ notation, options }, parametersOf(tool) as Schema, {
    open,
    close,
    nameOf: (name) => `${name}${separator}`,
  });
}

interface Brackets {
  readonly open: string;
  readonly close: string;
  readonly nameOf: (name: string) => string;
}

const letters = (value: string): object => ({ type: "const_string", value });
const sequence = (...elements: readonly object[]): object => ({ type: "sequence", elements });
const either = (...elements: readonly object[]): object =>
  elements.length === 1 ? elements[0]! : { type: "or", elements };

function objectFormats(parts: Parts, schema: Schema, { open, close, nameOf }: Brackets): object[] {
  const { properties = {}, required = [] } = schema as {
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
  };
  const members = Object.entries(properties).map(([name, one]) => ({
    content: sequence(letters(nameOf(name)), valueFormat(parts, one)),
    required: required.includes(name),
  }));
  const inner = members.length === 0 ? [] : [{ type: "members", members, separator: COMMA }];
  return [letters(open), ...inner, letters(close)];
}

const COMMA = { type: "regex", pattern: ", ?" };
const SCALAR = { type: "regex", pattern: "true|false|null|True|False|None|-?(0|[1-9][0-9]*)(\\.[0-9]+)?" };

function valueFormat(parts: Parts, schema: Schema): object {
  const { notation, options } = parts;
  const { type, items } = schema;
  const values = listedIn(schema);
  if (values.length > 0 && values.every((value) => typeof value === "string"))
    return either(...values.map((value) => letters(quoted(notation, value))));
  if (isTextOnly(schema)) return textFormat(notation);
  if (type === "integer" || type === "number" || (notation.isJsonInside && (type === "array" || type === "object")))
    return { ...options, type: "json_schema", json_schema: schema };
  if (type === "boolean") return either(...["true", "false", "True", "False"].map(letters));
  if (type === "array") {
    const content = {
      type: "repeat",
      content: items ? valueFormat(parts, items as Schema) : anyFormat(notation),
      separator: COMMA,
    };
    return sequence(letters("["), { type: "members", members: [{ content, required: false }] }, letters("]"));
  }
  if (type === "object" && schema["properties"] !== undefined)
    return sequence(...objectFormats(parts, schema, { open: "{", close: "}", nameOf: (name) => `${name}:` }));
  return anyFormat(notation);
}

function quoted({ quotes: [quote = '"'], hasEscapes }: Notation, value: string): string {
  const inner = hasEscapes ? value.replace(/[\\']/g, "\\$&").replaceAll("\n", "\\n") : value;
  return `${quote}${inner}${quote}`;
}

function textFormat({ quotes: [quote = '"'], hasEscapes }: Notation): object {
  if (hasEscapes) return { type: "regex", pattern: `${quote}([^${quote}\\\\\\n]|\\\\.)*${quote}` };
  return { type: "tag", begin: quote, content: { type: "any_text" }, end: quote };
}

/** Any value, with lists and objects of one level. */
function anyFormat(notation: Notation): object {
  const plain = either(textFormat(notation), SCALAR);
  const listed = {
    type: "members",
    members: [{ content: { type: "repeat", content: plain, separator: COMMA }, required: false }],
  };
  if (notation.isJsonInside) return either(plain, { type: "json_schema", json_schema: { type: ["array", "object"] } });
  const name = { type: "regex", pattern: "\\w+" };
  const member = {
    type: "repeat",
    content: sequence(name, { type: "regex", pattern: ": ?" }, plain),
    separator: COMMA,
  };
  return either(
    plain,
    sequence(letters("["), listed, letters("]")),
    sequence(letters("{"), { type: "members", members: [{ content: member, required: false }] }, letters("}")),
  );
}
