/** Bodies of requests: unknown fields, fields that are refused, and values that are not right. */
import type { FastifySchemaValidationError } from "fastify";
import { Refusal } from "../refusal.js";
import { fieldOf, fieldsOn, type Endpoint } from "./fields.js";
import { MOST_INTEGER, type Schema } from "./schemas.js";

type Body = Readonly<Record<string, unknown>>;

/**
 * Refuses fields that are not done, and those that nothing knows, unless the check is lenient: it returns the names of these. A field
 * that is null counts as absent.
 */
export function checkFields(endpoint: Endpoint, body: unknown, isLenient: boolean): string[] {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new Refusal("invalid_request", "the body must be a JSON object");
  const given = Object.keys(body).filter((name) => (body as Body)[name] !== null);
  for (const name of given) {
    const field = fieldOf(name);
    if (field?.support === "no" && isOn(name, endpoint))
      throw new Refusal("unsupported_parameter", `\`${name}\` is not supported: ${field.about}`, { param: name });
  }
  const unknown = given.filter((name) => !isOn(name, endpoint));
  const [first] = unknown;
  if (first === undefined || isLenient) return unknown;
  const other = fieldOf(first) ? `: it is a field of ${PATHS[fieldOf(first)!.on[0]!]}` : "";
  throw new Refusal("unknown_parameter", `unknown parameter \`${first}\` of ${PATHS[endpoint]}${other}`, {
    param: first,
  });
}

export const PATHS: Readonly<Record<Endpoint, string>> = {
  chat: "/v1/chat/completions",
  completions: "/v1/completions",
  logits: "/v1/logits",
};

const isOn = (name: string, endpoint: Endpoint): boolean => fieldsOn(endpoint).some(([known]) => known === name);

/** The refusal of a body that does not fit its schema. */
export function schemaRefusal(errors: readonly FastifySchemaValidationError[], body: unknown): Refusal {
  const [error] = errors;
  const { keyword, instancePath, params } = error!;
  const missing = params["missingProperty"];
  if (keyword === "required" && instancePath === "" && typeof missing === "string")
    return new Refusal("missing_required_parameter", `missing parameter \`${missing}\``, { param: missing });
  const parts = instancePath.split("/").slice(1);
  const [name = ""] = parts;
  const field = fieldOf(name);
  const param = pathText(body, parts);
  const found = show(valueAt(body, parts));
  if (field?.support === "partly") {
    const message = `\`${param}\` cannot be ${found}: ${field.about}`;
    return new Refusal("unsupported_parameter", message, { param: name });
  }
  // the errors of alternatives say less than the schema of the field
  const isSimple = !field || (errors.length === 1 && !(keyword === "type" && parts.length === 1));
  const expected = isSimple ? error!.message! : `must be ${describe(field.schema)}`;
  return new Refusal(
    "invalid_request",
    `\`${isSimple ? param : name}\` ${expected}, found ${isSimple ? found : show(valueAt(body, [name]))}`,
    {
      param: isSimple ? param : name,
    },
  );
}

const pathText = (body: unknown, parts: readonly string[]): string =>
  parts
    .map((part, i) => (i === 0 ? part : Array.isArray(valueAt(body, parts.slice(0, i))) ? `[${part}]` : `.${part}`))
    .join("");

const valueAt = (body: unknown, parts: readonly string[]): unknown =>
  parts.reduce((value, part) => (value as Body | undefined)?.[part.replaceAll("~1", "/").replaceAll("~0", "~")], body);

const MOST = 60;

/** A value as JSON, cut. */
function show(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > MOST ? `${text.slice(0, MOST)}...` : text;
}

const WORDS: Readonly<Record<string, string>> = {
  ...{ string: "a text", boolean: "true or false", number: "a number", integer: "an integer", object: "an object" },
  ...{ null: "null", array: "a list" },
};

/** What a schema allows, in words. */
export function describe(schema: Schema): string {
  const { anyOf, enum: values, type } = schema;
  if (Array.isArray(anyOf)) return (anyOf as Schema[]).map(describe).join(", or ");
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" or ");
  if (Array.isArray(type)) return type.map((one: string) => describe({ ...schema, type: one })).join(" or ");
  const word = WORDS[type as string] ?? "a value";
  if (type === "number" || type === "integer") return `${word}${rangeText(schema)}`;
  if (type === "array") return `a list${sizeText(schema)} (${describe(schema["items"] as Schema)})`;
  if (type === "object") return membersText(schema) ?? word;
  return type === "string" && schema["minLength"] === 1 ? "a text that is not empty" : word;
}

interface Range {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const rangeText = ({ minimum, maximum }: Range): string =>
  `${minimum === undefined ? "" : ` from ${minimum}`}${maximum === undefined || maximum === MOST_INTEGER ? "" : ` to ${maximum}`}`;

const sizeText = ({ minItems, maxItems }: Range): string => {
  if (maxItems === undefined) return "";
  return minItems === undefined ? ` of at most ${maxItems}` : ` of ${minItems} to ${maxItems}`;
};

function membersText({ properties, required = [] }: Schema): string | undefined {
  if (!properties) return undefined;
  const isRequired = (name: string): boolean => (required as readonly string[]).includes(name);
  const names = Object.keys(properties).map((name) => `\`${name}\`${isRequired(name) ? "" : "?"}`);
  return `an object { ${names.join(", ")} }`;
}
