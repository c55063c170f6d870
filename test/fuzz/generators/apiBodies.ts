/** Bodies of all APIs that are right but for one value in them. */
import * as fc from "fast-check";

const PARAMETERS = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
const USER = { role: "user", content: "Hi" };

/** A right body of each path. */
const RIGHT_BODIES: Readonly<Record<string, object>> = {
  "/v1/chat/completions": {
    messages: [
      USER,
      { role: "assistant", content: null, tool_calls: [{ id: "a", function: { name: "f", arguments: "{}" } }] },
    ],
    tools: [{ type: "function", function: { name: "f", parameters: PARAMETERS } }],
    max_tokens: 2,
  },
  "/v1/responses": {
    instructions: "Speak",
    input: [
      { role: "user", content: [{ type: "input_text", text: "Hi" }] },
      {
        type: "reasoning",
        summary: [{ type: "summary_text", text: "Hm" }],
        content: [{ type: "reasoning_text", text: "Hm" }],
      },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I" }] },
      { type: "function_call", call_id: "a", name: "f", arguments: '{"a":1}' },
      { type: "function_call_output", call_id: "a", output: "b" },
    ],
    tools: [{ type: "function", name: "f", parameters: PARAMETERS }],
    tool_choice: { type: "function", name: "f" },
    text: { format: { type: "text" } },
    reasoning: { summary: "auto" },
    include: ["message.output_text.logprobs"],
    top_logprobs: 2,
    max_output_tokens: 2,
  },
  "/v1/messages": {
    system: [{ type: "text", text: "Speak", cache_control: { type: "ephemeral" } }],
    messages: [
      USER,
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm", signature: "x" },
          { type: "text", text: "I" },
          { type: "tool_use", id: "a", name: "f", input: { a: 1 } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "b" }] }] },
    ],
    tools: [{ name: "f", input_schema: PARAMETERS }],
    tool_choice: { type: "tool", name: "f", disable_parallel_tool_use: true },
    stop_sequences: ["X"],
    thinking: { type: "disabled" },
    metadata: { user_id: "u" },
    max_tokens: 2,
  },
  "/v1/messages/count_tokens": { system: "Speak", messages: [USER], tools: [{ name: "f", input_schema: PARAMETERS }] },
  "/api/chat": {
    model: "demo",
    messages: [
      USER,
      {
        role: "assistant",
        content: "",
        thinking: "Hm",
        tool_calls: [{ function: { name: "f", arguments: { a: 1 } } }],
      },
      { role: "tool", content: "b", tool_name: "f" },
    ],
    tools: [{ type: "function", function: { name: "f", parameters: PARAMETERS } }],
    format: PARAMETERS,
    think: false,
    keep_alive: "5m",
    options: { temperature: 0.5, top_k: 3, num_predict: 2, stop: ["X"], num_ctx: 64 },
  },
  "/api/generate": {
    model: "demo",
    prompt: "Hi",
    system: "Speak",
    raw: false,
    format: "json",
    options: { num_predict: 2 },
  },
  "/api/show": { model: "demo", verbose: true },
};

/** The value with another one at a place; which one, numbers choose on the way down. */
function changed(value: unknown, way: readonly number[], to: unknown): unknown {
  const [step, ...rest] = way;
  if (typeof value !== "object" || value === null || step === undefined) return to;
  const names = Object.keys(value);
  if (names.length === 0) return to;
  const name = names[step % names.length]!;
  const member = changed((value as Readonly<Record<string, unknown>>)[name], rest, to);
  if (Array.isArray(value)) return value.map((one: unknown, i) => (i === Number(name) ? member : one));
  return { ...value, [name]: member };
}

/** A path, and the text of a body of it. */
export const apiBodies: fc.Arbitrary<readonly [path: string, text: string]> = fc
  .tuple(
    fc.constantFrom(...Object.keys(RIGHT_BODIES)),
    fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }),
    fc.oneof(
      fc.jsonValue(),
      fc.constantFrom<unknown>(undefined, null, "", [], {}, -1, 1e9, "x".repeat(5000), { type: "x" }, [[]], [null]),
    ),
  )
  .map(([path, way, to]) => [path, JSON.stringify(changed(RIGHT_BODIES[path], way, to)) ?? "null"] as const);
