import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { ChatCompletionTool } from "openai/resources/chat/completions";
import { open, type Opened } from "./open.js";

/** Writes calls as Hermes does. The demo model is no instruct model: it only goes on with the text. */
const TEMPLATE = `{% if tools %}<tools>{% for tool in tools %}{{ tool.function.name }} {% endfor %}</tools>
{% endif %}{% for m in messages %}{{ m.role }}: {% if m.tool_calls %}{% for call in m.tool_calls %}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}{% else %}{{ m.content }}{% endif %}
{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}`;

const messages = [{ role: "user" as const, content: "And God said" }];
const base = { model: "demo", messages, seed: 1, max_completion_tokens: 12, top_p: 0.9 };
const tools: ChatCompletionTool[] = [
  {
    type: "function",
    function: {
      name: "find",
      description: "Finds a verse",
      parameters: {
        type: "object",
        required: ["book"],
        additionalProperties: false,
        properties: { book: { enum: ["Genesis", "Exodus"] } },
      },
    },
  },
];

let server: Opened;
beforeAll(async () => {
  server = await open({ template: TEMPLATE });
});
afterAll(() => server.close(0));

const chat = () => server.client.chat.completions;

test("an answer, and the same as a stream", async () => {
  const whole = await chat().create(base);
  expect(whole).toMatchObject({ object: "chat.completion", model: "demo" });
  const { message, finish_reason } = whole.choices[0]!;
  expect(message).toMatchObject({ role: "assistant", refusal: null });
  expect(finish_reason).toBe("length");
  const stream = await chat().create({ ...base, stream: true });
  const roles: unknown[] = [];
  let text = "";
  for await (const { choices } of stream) {
    text += choices[0]!.delta.content ?? "";
    roles.push(choices[0]!.delta.role);
  }
  expect(text).toBe(message.content);
  expect(roles.filter(Boolean)).toEqual(["assistant"]);
});

test("a stream of an empty answer has the role, too", async () => {
  const { choices } = await chat().create({ ...base, max_completion_tokens: 3 });
  const { content } = choices[0]!.message;
  const stream = chat().stream({ ...base, stop: content!.slice(0, 2) });
  const final = await stream.finalChatCompletion();
  const [choice] = final.choices;
  expect([choice!.message.role, choice!.message.content ?? "", choice!.finish_reason]).toEqual([
    "assistant",
    "",
    "stop",
  ]);
  // the client keeps it with null as its content, and sends that with the next turn
  const { content: kept } = choice!.message;
  expect(kept).toBeNull();
  const next = async (answer: string | null): Promise<string | null> => {
    const turns = [...messages, { role: "assistant" as const, content: answer }, ...messages];
    return (await chat().create({ ...base, messages: turns })).choices[0]!.message.content;
  };
  expect(await next(kept)).toBe(await next(""));
  await expect(chat().create({ ...base, messages: [{ role: "user", content: null as never }] })).rejects.toThrow(
    /`messages\[0\]\.content` must be a text, or a list of parts .* found null/,
  );
});

test("a conversation that goes on computes little of its prompt", async () => {
  const long = [
    { role: "user" as const, content: "And it came to pass in those days, that there went out a decree from the king" },
  ];
  const first = await chat().create({ ...base, messages: long });
  const more = [...long, { role: "assistant" as const, content: first.choices[0]!.message.content }, ...messages];
  const { usage } = await chat().create({ ...base, messages: more });
  expect(usage!.prompt_tokens_details!.cached_tokens).toBeGreaterThan(usage!.prompt_tokens / 2);
});

test("developer messages are the system's", async () => {
  const { choices } = await chat().create({
    ...base,
    messages: [{ role: "developer", content: "Speak" }, ...messages],
  });
  const same = await chat().create({ ...base, messages: [{ role: "system", content: "Speak" }, ...messages] });
  expect(choices[0]!.message.content).toBe(same.choices[0]!.message.content);
});

test("log-probabilities of a whole answer and of events", async () => {
  const options = { ...base, max_completion_tokens: 3, logprobs: true, top_logprobs: 2 };
  const { choices } = await chat().create(options);
  const content = choices[0]!.logprobs!.content!;
  expect(content.map(({ token }) => token).join("")).toBe(choices[0]!.message.content);
  expect(content[0]!.top_logprobs).toHaveLength(2);
  expect(Buffer.from(content[0]!.bytes!).toString()).toBe(content[0]!.token);
  const tokens: string[] = [];
  for await (const part of await chat().create({ ...options, stream: true }))
    tokens.push(...(part.choices[0]!.logprobs?.content ?? []).map(({ token }) => token));
  expect(tokens).toEqual(content.map(({ token }) => token));
});

test("a JSON schema is enforced", async () => {
  const schema = {
    type: "object",
    required: ["book", "verse"],
    additionalProperties: false,
    properties: { book: { enum: ["Genesis", "Exodus"] }, verse: { type: "integer", minimum: 1, maximum: 50 } },
  };
  const { choices } = await chat().create({
    ...base,
    max_completion_tokens: 60,
    response_format: { type: "json_schema", json_schema: { name: "place", schema } },
  });
  expect(Object.keys(JSON.parse(choices[0]!.message.content!) as object)).toEqual(["book", "verse"]);
  expect(choices[0]!.finish_reason).toBe("stop");
  const unenforced = {
    type: "json_schema",
    json_schema: { name: "x", schema: { type: "array", uniqueItems: true } },
  };
  const asked = { ...base, max_completion_tokens: 60, response_format: unenforced };
  const { body } = await server.post("/v1/chat/completions", asked);
  expect(body.error).toMatchObject({
    param: "response_format",
    code: "invalid_request",
    message: expect.stringContaining("`uniqueItems` cannot be enforced") as unknown,
  });
  const ignored = await server.post("/v1/chat/completions", { ...asked, schema_options: { ignore: ["uniqueItems"] } });
  expect(ignored.status).toBe(200);
});

test("a text that its schema ends is over, whatever `min_tokens` and `ignore_eos` say", async () => {
  const format = { type: "json_schema", json_schema: { name: "x", schema: { const: { a: [1, "b"] } } } };
  const asked = { ...base, max_completion_tokens: 60, response_format: format, schema_options: { whitespace: "none" } };
  for (const more of [{ min_tokens: 40 }, { ignore_eos: true }, { min_tokens: 60, ignore_eos: true }]) {
    const { status, body } = await server.post("/v1/chat/completions", { ...asked, ...more });
    expect({ more, status }).toEqual({ more, status: 200 });
    const [choice] = (body as unknown as { choices: { message: { content: string }; finish_reason: string }[] })
      .choices;
    expect([choice!.message.content, choice!.finish_reason]).toEqual(['{"a":[1,"b"]}', "stop"]);
  }
});

test("how a schema is written is asked for with the request", async () => {
  const schema = {
    type: "object",
    properties: { a: { const: 1 }, b: { const: [2] } },
    required: ["a", "b"],
    additionalProperties: false,
  };
  const format = { type: "json_schema", json_schema: { name: "x", schema } };
  const text = async (options: object): Promise<unknown> => {
    const { body } = await server.post("/v1/chat/completions", {
      ...base,
      max_completion_tokens: 60,
      response_format: format,
      schema_options: options,
    });
    return (body as unknown as { choices: { message: { content: string } }[] }).choices[0]!.message.content;
  };
  expect(await text({ whitespace: "none" })).toBe('{"a":1,"b":[2]}');
  const seen = new Set<unknown>();
  for (const order of ["declared", "any"] as const)
    for (let seed = 1; seed < 13; seed++) {
      const { body } = await server.post("/v1/chat/completions", {
        ...base,
        max_completion_tokens: 60,
        temperature: 2,
        top_p: 1,
        seed,
        response_format: format,
        schema_options: { whitespace: "none", order },
      });
      const [choice] = (body as unknown as { choices: { message: { content: string } }[] }).choices;
      seen.add(`${order} ${choice!.message.content}`);
    }
  expect([...seen].sort()).toEqual(['any {"a":1,"b":[2]}', 'any {"b":[2],"a":1}', 'declared {"a":1,"b":[2]}']);
  const { body } = await server.post("/v1/chat/completions", {
    ...base,
    response_format: format,
    schema_options: { order: "up" },
  });
  expect(body.error).toMatchObject({ param: "schema_options.order" });
});

describe("tools", () => {
  test("one that must be called is called, with arguments that its schema allows", async () => {
    for (const choice of ["required", { type: "function", function: { name: "find" } }] as const) {
      const { choices } = await chat().create({ ...base, max_completion_tokens: 80, tools, tool_choice: choice });
      const [call] = choices[0]!.message.tool_calls!;
      expect(choices[0]!.finish_reason).toBe("tool_calls");
      expect(call).toMatchObject({ type: "function", function: { name: "find" } });
      const args = JSON.parse((call as { function: { arguments: string } }).function.arguments) as { book: string };
      expect(["Genesis", "Exodus"]).toContain(args.book);
      expect(choices[0]!.message.content).toBeNull();
    }
  });

  test("a schema that cannot be enforced is refused with its tool", async () => {
    const odd = { type: "object", properties: { x: { type: "array", uniqueItems: true } }, required: ["x"] };
    const given = [...tools, { type: "function", function: { name: "odd", parameters: odd } }];
    const asked = { ...base, max_completion_tokens: 4, tools: given, tool_choice: "required" };
    const { body } = await server.post("/v1/chat/completions", asked);
    expect(body.error).toMatchObject({
      code: "invalid_request",
      param: "tools[1].function.parameters",
      message: expect.stringMatching(
        /^the tool `odd`: the JSON schema at "\/properties\/x": `uniqueItems` cannot be enforced/,
      ) as unknown,
    });
    const ignored = await server.post("/v1/chat/completions", {
      ...asked,
      schema_options: { ignore: ["uniqueItems"] },
    });
    expect(ignored.status).toBe(200);
  });

  test("the call in a stream, as the client collects it", async () => {
    const stream = chat().stream({ ...base, max_completion_tokens: 80, tools, tool_choice: "required" });
    const { choices } = await stream.finalChatCompletion();
    const { tool_calls: calls } = choices[0]!.message;
    expect(calls).toMatchObject([
      { function: { name: "find", arguments: expect.stringContaining("book") as unknown } },
    ]);
  });

  test("auto leaves it to the model", async () => {
    const { choices } = await chat().create({ ...base, tools });
    expect(choices[0]!.finish_reason).toBe("length");
  });

  test("a tool that is none of them, and tools without a form of calls, are refused", async () => {
    const other = { type: "function", function: { name: "other" } };
    const { body } = await server.post("/v1/chat/completions", { ...base, tools, tool_choice: other });
    expect(body.error).toMatchObject({ param: "tool_choice" });
    const plain = await open({ template: "{% for m in messages %}{{ m.content }}\n{% endfor %}", sequences: 1 });
    try {
      const refused = await plain.post("/v1/chat/completions", { ...base, tools });
      expect(refused.body.error).toMatchObject({ param: "tools", code: "unsupported_tools" });
    } finally {
      await plain.close(0);
    }
  });
});

test("a model without a template says so, and one whose template refuses a conversation", async () => {
  const none = await open({ sequences: 1 });
  try {
    const { status, body } = await none.post("/v1/chat/completions", base);
    expect([status, body.error!["code"]]).toEqual([400, "no_chat_template"]);
  } finally {
    await none.close(0);
  }
  const strict = await open({ sequences: 1, template: "{{ raise_exception('roles must alternate') }}" });
  try {
    const { body } = await strict.post("/v1/chat/completions", base);
    expect(body.error).toMatchObject({
      code: "invalid_messages",
      message: expect.stringContaining("roles must alternate") as unknown,
    });
  } finally {
    await strict.close(0);
  }
});
