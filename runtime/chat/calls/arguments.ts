/** Arguments as a JSON object. */
import type { Tool } from "../messages.js";

import type { ArgumentsForm } from "./form.js";
import { objectAt, skipBlanks } from "./json.js";

/** OpenAI: a function without `parameters` has an empty list of them. */
export const NO_PARAMETERS = { type: "object", properties: {}, additionalProperties: false } as const;

/** The schema of a tool's arguments. */
export const parametersOf = ({ function: { parameters = NO_PARAMETERS } }: Tool): object => parameters;

export const JSON_ARGUMENTS: ArgumentsForm = {
  literals: [],
  changed: () => JSON_ARGUMENTS,
  read(text, from) {
    const at = skipBlanks(text, from);
    const found = objectAt(text, at);
    return typeof found === "object" ? { json: text.slice(at, found.end), end: found.end } : found;
  },
  formats: (tool, options) => [{ ...options, type: "json_schema", json_schema: parametersOf(tool) }],
};
