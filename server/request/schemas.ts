/** JSON schemas of the fields. */

export type FieldSchema = Readonly<Record<string, unknown>>;

export const text: FieldSchema = { type: "string" };
/** One that is not empty. */
export const someText: FieldSchema = { type: "string", minLength: 1 };
export const flag: FieldSchema = { type: "boolean" };
export const someObject: FieldSchema = { type: "object" };
export const number = (minimum: number, maximum: number): FieldSchema => ({ type: "number", minimum, maximum });
/** The maximum of integers without a limit. */
export const MOST_INTEGER = 2 ** 31 - 1;
export const integer = (minimum: number, maximum = MOST_INTEGER): FieldSchema => ({
  type: "integer",
  minimum,
  maximum,
});
export const seed: FieldSchema = { type: "integer", minimum: -1, maximum: 2 ** 32 - 1 };
export const only = (...values: readonly (string | boolean)[]): FieldSchema => ({ enum: values });
export const listOf = (items: FieldSchema, limits: FieldSchema = {}): FieldSchema => ({
  type: "array",
  items,
  ...limits,
});
export const either = (...anyOf: readonly FieldSchema[]): FieldSchema => ({ anyOf });
export const object = (
  properties: Readonly<Record<string, FieldSchema>>,
  ...required: readonly string[]
): FieldSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
/** With members that nothing describes. */
export const open = (
  properties: Readonly<Record<string, FieldSchema>>,
  ...required: readonly string[]
): FieldSchema => ({
  type: "object",
  properties,
  required,
});

const tokens = listOf(integer(0), { minItems: 1 });

/** A text, token ids, or lists of either. */
export const prompt: FieldSchema = either(
  text,
  listOf(text, { minItems: 1, maxItems: 64 }),
  tokens,
  listOf(tokens, { minItems: 1, maxItems: 64 }),
);

const content = either(text, listOf(open({ type: only("text"), text }, "type", "text")), { type: "null" });
const call = open(
  {
    id: text,
    type: only("function"),
    function: open({ name: text, arguments: either(text, someObject) }, "name"),
  },
  "function",
);
export const messages: FieldSchema = listOf(
  open({ role: someText, content, tool_calls: listOf(call), tool_call_id: text }, "role"),
  { minItems: 1 },
);

export const biases: FieldSchema = { type: "object", additionalProperties: number(-100, 100) };
/** Texts, and texts and regular expressions with or without the case of their letters. */
export const phrases: FieldSchema = listOf(either(text, object({ text, regex: text, ignore_case: flag })), {
  maxItems: 4096,
});
export const stop: FieldSchema = either(text, listOf(text, { maxItems: 16 }));
export const logprobs: FieldSchema = either(flag, integer(0, 20));

export const responseFormat: FieldSchema = either(
  object({ type: only("text") }, "type"),
  object({ type: only("json_object"), schema: someObject }, "type"),
  object(
    {
      type: only("json_schema"),
      json_schema: object({ name: text, description: text, schema: someObject, strict: flag }, "name", "schema"),
    },
    ...["type", "json_schema"],
  ),
);

export const schemaOptions: FieldSchema = object({
  ignore: listOf(text),
  whitespace: only("none", "line", "usual", "any"),
  order: only("declared", "any"),
  others: only("none", "any"),
});

const functionTool = open(
  { type: only("function"), function: open({ name: someText, description: text, parameters: someObject }, "name") },
  ...["type", "function"],
);
export const tools: FieldSchema = listOf(functionTool, { maxItems: 128 });
export const toolChoice: FieldSchema = either(
  only("none", "auto", "required"),
  object({ type: only("function"), function: object({ name: text }, "name") }, "type", "function"),
);

export const sampler: FieldSchema = either(someText, someObject);
const value = either(
  { type: "number" },
  flag,
  // tokens, or phrases
  listOf(either(integer(0), text, someObject), { maxItems: 2 ** 16 }),
  // a grammar
  someObject,
);
export const values: FieldSchema = { type: "object", additionalProperties: value };
const column = either(listOf({ type: "number" }, { maxItems: 2 ** 20 }), {
  type: "object",
  additionalProperties: { type: "number" },
});
export const inputs: FieldSchema = { type: "object", additionalProperties: column };

/** Limits are those of the runtime's `speculate`. */
const draftTokens = integer(1, 32);
const matched = integer(1, 64);
export const drafts: FieldSchema = either(
  flag,
  object({
    lookup: either(flag, object({ min: matched, max: matched, tokens: draftTokens })),
    draft: either(flag, object({ tokens: draftTokens })),
  }),
);
