/** Bodies of requests: unknown fields, fields that are refused, and values that are not right. */
import type { FastifySchemaValidationError } from "fastify";
import { Refusal } from "../refusal.js";
import { fieldOf, fieldsOn, isNeutral, type Endpoint } from "./fields.js";
import { faultOf, pathText, show, tidied, type Unknown } from "./fit.js";
import type { Schema } from "./schemas.js";

export type Body = Readonly<Record<string, unknown>>;

/**
 * Refuses fields that are not done, and those that nothing knows, unless the check is lenient: it returns the names of these. A field
 * that is null counts as absent, and so does one that is not done and asks for nothing.
 */
export function checkFields(endpoint: Endpoint, body: unknown, isLenient: boolean): string[] {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new Refusal("invalid_request", `the body must be a JSON object, found ${show(body)}`);
  const given = Object.keys(body).filter((name) => (body as Body)[name] !== null);
  for (const name of given) {
    const field = fieldOf(name);
    if (field?.support === "no" && isOn(name, endpoint) && !isNeutral(name, (body as Body)[name]))
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

/**
 * A body without members that are null, of which `ignored` gets the paths of those that nothing knows, below its fields. Unless the
 * check is lenient, these are refused.
 */
export function tidyBody(schema: Schema, body: unknown, isLenient: boolean, ignored: string[]): unknown {
  const unknown: Unknown[] = [];
  const tidy = tidied(schema, body, unknown);
  const [first] = unknown;
  if (first && !isLenient) {
    const param = pathText(first.path);
    const known = first.known.map((name) => `\`${name}\``).join(", ");
    throw new Refusal("unknown_parameter", `unknown parameter \`${param}\`: expected ${known}`, { param });
  }
  for (const { path } of unknown) ignored.push(pathText(path));
  return tidy;
}

/** The refusal of a body that does not fit its schema. */
export function schemaRefusal(errors: readonly FastifySchemaValidationError[], schema: Schema, body: unknown): Refusal {
  const fault = faultOf(schema, body);
  if (!fault) return new Refusal("invalid_request", `the body ${errors[0]?.message ?? "is not right"}`);
  const { path, kind, expected, found } = fault;
  const param = pathText(path);
  if (kind === "missing")
    return new Refusal("missing_required_parameter", `missing parameter \`${param}\`: expected ${expected}`, { param });
  const name = String(path[0] ?? "");
  const field = fieldOf(name);
  if (kind === "value" && field?.support === "partly")
    return new Refusal("unsupported_parameter", `\`${param}\` cannot be ${show(found)}: ${field.about}`, {
      param: name,
    });
  const what = param === "" ? "the body" : `\`${param}\``;
  return new Refusal("invalid_request", `${what} must be ${expected}, found ${show(found)}`, {
    ...(param !== "" && { param }),
  });
}
