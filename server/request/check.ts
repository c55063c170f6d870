/** Bodies of requests: unknown fields, fields that are refused, and values that are not right. */
import { isDeepStrictEqual } from "node:util";
import type { FastifySchemaValidationError } from "fastify";
import { missing, Refusal, unsupported } from "../refusal.js";
import { equivalentOf } from "@ggsl/settings/from/equivalent.js";
import { meaningOf } from "./aliases.js";
import { fieldOf, isAbsent, isEmpty, isNeutral, type Body, type Rule, type TextEndpoint } from "./fields.js";
import { faultOf, pathText, show, tidied, type Fault, type Unknown } from "./fit.js";
import { PATHS, ruleOf, type Form } from "./forms.js";
import type { FieldSchema } from "./schemas.js";

/** A body whose fields the path takes, and the names of those that have no effect. */
interface Checked {
  readonly body: Body;
  readonly ignored: string[];
}

/**
 * The fields of a body that its path takes. Those that are not done, and those that nothing knows, are refused; a lenient check ignores
 * them, and any check those that nothing knows and that are empty or false, as some clients send them with every request. A field that is null counts as absent, and so does one that asks for nothing in a form that the path does not have.
 */
export function checkFields(form: Form, given: unknown, isLenient: boolean): Checked {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new Refusal("invalid_request", `the body must be a JSON object, found ${show(given)}`);
  const kept: [string, unknown][] = [];
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const rule = ruleOf(form, name);
    if (value === null) kept.push([name, value]);
    else if (!rule) {
      if (!isLenient && !isEmpty(value)) throw unknownField(name, value, form);
      ignored.push(name);
    } else if (!isAbsent(name, value, rule)) {
      const refusal = refusalOf(name, value, rule, given as Body);
      if (!refusal)
        for (const one of named(name, isLenient ? donePart(name, value, rule, ignored) : value, form)) kept.push(one);
      else if (isLenient) ignored.push(name);
      else throw refusal;
    }
  }
  return { body: merged(kept), ignored };
}

/** A field by this server's name. Throws a `Refusal` for a value that another tool's name cannot have. */
function named(name: string, value: unknown, form: Form): readonly [string, unknown][] {
  const endpoint = textEndpoint(form);
  const means = endpoint && meaningOf(name, value, endpoint);
  if (!means) return [[name, value]];
  const fault = faultOf(fieldOf(name)!.schema, value, [name]);
  if (fault) throw wrong(fault);
  return isNeutral(name, value) ? [] : Object.entries(means);
}

/** The fields by name. A wish comes before a value that asks for nothing. Throws a `Refusal` for two that differ. */
function merged(fields: readonly (readonly [string, unknown])[]): Body {
  const body = new Map<string, unknown>();
  for (const [name, value] of fields) {
    const before = body.get(name);
    const isMore =
      before === undefined || !(value === null || isNeutral(name, value) || isDeepStrictEqual(before, value));
    if (value === undefined || !isMore) continue;
    if (before !== undefined && before !== null && !isNeutral(name, before))
      throw new Refusal("invalid_request", `\`${name}\` is given by two names, and they differ: give one`, {
        param: name,
      });
    body.set(name, value);
  }
  // a literal of the entries would set the prototype by the name `__proto__`
  return Object.fromEntries(body);
}

const wrong = ({ path, expected, found }: Fault): Refusal => {
  const param = pathText(path);
  return new Refusal("invalid_request", `\`${param}\` must be ${expected}, found ${show(found)}`, { param });
};

/** Other tools' names are those of OpenAI's paths for texts. */
const textEndpoint = ({ path }: Form): TextEndpoint | undefined =>
  (["chat", "completions"] as const).find((endpoint) => PATHS[endpoint] === path);

function unknownField(name: string, value: unknown, form: Form): Refusal {
  const { path } = form;
  const field = fieldOf(name);
  const other =
    field && !field.on.some((endpoint) => PATHS[endpoint] === path) ? `, but of ${PATHS[field.on[0]!]}` : "";
  const instead = (textEndpoint(form) && !field && samplerSaying(name, value)) || "omit it";
  return new Refusal("unknown_parameter", `unknown parameter: \`${name}\` is no field of ${path}${other}: ${instead}`, {
    param: name,
  });
}

/** What a client gives in place of a setting that `ggsl import` knows; undefined for one that it makes no stages of. */
function samplerSaying(name: string, value: unknown): string | undefined {
  const same = equivalentOf(name, value);
  if (!same) return undefined;
  const { tool, pipeline, picks } = same;
  if (pipeline === undefined)
    return `\`ggsl import --from ${tool}\` writes a program for it, which can be given as \`sampler\``;
  return `give \`sampler\`, in which ${pipeline} says the same, as in ${JSON.stringify(picks ? pipeline : `${pipeline} |> dist()`)}`;
}

/** The refusal of a field that is not done, or not with the other fields. */
function refusalOf(name: string, value: unknown, rule: Rule, body: Body): Refusal | undefined {
  const { support, about, isDone = () => true } = rule;
  if (support === "no") return unsupported(name, `is not supported: ${about}`);
  return isDone(value, body) ? undefined : notDone(name, name, value, rule);
}

const notDone = (name: string, param: string, found: unknown, { about }: Rule): Refusal =>
  new Refusal("unsupported_parameter", `\`${param}\` cannot be ${show(found)}: ${about}`, {
    param: name,
  });

/** What is done of a field that is done in part: without the member that is not; undefined if nothing is. */
function donePart(name: string, value: unknown, { support, schema }: Rule, ignored: string[]): unknown {
  if (support !== "partly") return value;
  const fault = faultOf(schema, value, [name]);
  if (fault?.kind !== "value") return value;
  const [, member] = fault.path;
  const rest =
    typeof member === "string"
      ? Object.fromEntries(Object.entries(value as object).filter(([one]) => one !== member))
      : undefined;
  const isEnough = rest !== undefined && faultOf(schema, rest) === undefined;
  ignored.push(isEnough ? pathText(fault.path) : name);
  return isEnough ? rest : undefined;
}

/**
 * A body without members that are null, of which `ignored` gets the paths of those that nothing knows, below its fields. Unless the
 * check is lenient, these are refused.
 */
export function tidyBody(schema: FieldSchema, body: unknown, isLenient: boolean, ignored: string[]): unknown {
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

/** The refusal of a body that does not fit its schema, as Fastify has found. */
export function schemaRefusal(
  errors: readonly FastifySchemaValidationError[],
  schema: FieldSchema,
  body: unknown,
): Refusal {
  const fault = faultOf(schema, body);
  return fault
    ? faultRefusal(fault, fieldOf)
    : new Refusal("invalid_request", `the body ${errors[0]?.message ?? "is not right"}`);
}

/** Throws a `Refusal` for a body that does not fit its form. */
export function checkFit(form: Form, body: unknown): void {
  const fault = faultOf(form.schema, body);
  if (fault) throw faultRefusal(fault, (name) => ruleOf(form, name));
}

function faultRefusal({ path, kind, expected, found }: Fault, ruleFor: (name: string) => Rule | undefined): Refusal {
  const param = pathText(path);
  if (kind === "missing") return missing(param, expected);
  const name = String(path[0] ?? "");
  const rule = ruleFor(name);
  if (kind === "value" && rule?.support === "partly") return notDone(name, param, found, rule);
  const what = param === "" ? "the body" : `\`${param}\``;
  return new Refusal("invalid_request", `${what} must be ${expected}, found ${show(found)}`, {
    ...(param !== "" && { param }),
  });
}
