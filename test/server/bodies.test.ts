/** Bodies as real clients send them: what counts as absent, forms of prompts, histories with calls, and refusals that name a part. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { open, type Opened } from "./open.js";

/** Writes calls as Hermes does, and tools as JSON. */
const TEMPLATE = `{% if tools %}<tools>{% for tool in tools %}{{ tool | tojson }}
{% endfor %}</tools>
{% endif %}{% for m in messages %}{{ m.role }}: {{ m.content }}{% for call in m.tool_calls or [] %}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}
{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}`;

const CHAT = "/v1/chat/completions";
const COMPLETIONS = "/v1/completions";
const USER = { role: "user", content: "And God said" };
const MOST = { max_tokens: 4, temperature: 0 };

let server: Opened;
let lenient: Opened;
beforeAll(async () => {
  server = await open({ template: TEMPLATE, contextSize: 2048 });
  lenient = await open({ template: TEMPLATE, sequences: 1, lenient: true });
});
afterAll(async () => {
  await server.close(0);
  await lenient.close(0);
});

type Message = Readonly<Record<string, unknown>>;

/** The answer to a conversation, and how many tokens its prompt has. */
async function answerTo(messages: readonly Message[], fields: object = {}) {
  const { status, body } = await server.post(CHAT, { messages, ...MOST, ...fields });
  expect([status, body.error]).toEqual([200, undefined]);
  const [choice] = body["choices"] as [{ message: { content: string | null; tool_calls?: object[] } }];
  return { ...choice.message, promptTokens: (body["usage"] as { prompt_tokens: number }).prompt_tokens };
}

const refusalOf = async (path: string, body: object, to = server) => {
  const answer = await to.post(path, body);
  expect(answer.status).toBe(400);
  return answer.body.error;
};

const saying = (text: string): unknown => expect.stringContaining(text);

/** The members of an object and of those in it in another order. */
function shuffled(value: unknown, random: () => number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, random));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, member]: [string, unknown]) => ({
    at: random(),
    name,
    member,
  }));
  entries.sort((a, b) => a.at - b.at);
  return Object.fromEntries(entries.map(({ name, member }) => [name, shuffled(member, random)]));
}

const call = (more: object = {}, named: object = {}): object => ({
  id: "call_1",
  type: "function",
  function: { name: "find", arguments: "{}", ...named },
  ...more,
});
const withCall = (given: object, content: unknown = null): Message[] => [
  USER,
  { role: "assistant", content, tool_calls: [given] },
  { role: "tool", tool_call_id: "call_1", content: "Let there be light" },
];

describe("histories", () => {
  const noCalls = { refusal: null, tool_calls: null, function_call: null, audio: null, name: null, annotations: null };
  test.each([
    ["an answer with nulls", [USER, { role: "assistant", content: "The LORD", ...noCalls }, USER]],
    ["an answer with an empty list of calls", [USER, { role: "assistant", content: "The LORD", tool_calls: [] }, USER]],
    ["parts", [USER, { role: "assistant", content: [{ type: "text", text: "The LORD" }] }, USER]],
    ["a refusal", [USER, { role: "assistant", content: [{ type: "refusal", refusal: "The LORD" }] }, USER]],
    [
      "parts with a client's own members",
      [
        { role: "user", content: [{ type: "text", text: "And God said", cache_control: { type: "ephemeral" } }] },
        { role: "assistant", content: "The LORD" },
        { role: "user", content: [{ type: "text", text: "And God said" }], name: null },
      ],
    ],
  ])("%s is that answer", async (_, messages) => {
    const plain = await answerTo([USER, { role: "assistant", content: "The LORD" }, USER]);
    expect(await answerTo(messages)).toEqual(plain);
  });

  test("an answer without a text is empty", async () => {
    const empty = await answerTo([USER, { role: "assistant", content: "" }, USER]);
    for (const silent of [{ content: null }, {}, { content: [] }, { content: null, tool_calls: null }])
      expect(await answerTo([USER, { role: "assistant", ...silent }, USER])).toEqual(empty);
  });

  test.each([
    ["empty", { arguments: "" }],
    ["blank", { arguments: " \n" }],
    ["null", { arguments: null }],
    ["the text null", { arguments: "null" }],
    ["absent", { arguments: undefined }],
    ["an object", { arguments: {} }],
  ])("arguments that are %s are no arguments", async (_, named) => {
    const plain = await answerTo(withCall(call()));
    expect(await answerTo(withCall(call({}, named)))).toEqual(plain);
    expect(await answerTo(withCall(call({ id: "call_1", type: null, index: 0 }, named), ""))).toEqual(plain);
  });

  test("parts in all roles", async () => {
    const roles = ["system", "developer", "user", "assistant", "tool"];
    const contents = roles.map((role) => ({
      role,
      content: `I am ${role}`,
      ...(role === "tool" && { tool_call_id: "x" }),
    }));
    const parts = contents.map((message) => ({ ...message, content: [{ type: "text", text: message.content }] }));
    expect(await answerTo(parts)).toEqual(await answerTo(contents));
  });

  test("the members of everything in any order", async () => {
    const body = {
      model: "demo",
      ...MOST,
      n: 1,
      stop: null,
      stream: false,
      logit_bias: {},
      user: null,
      tools: null,
      messages: [
        ...[{ role: "system", content: [{ type: "text", text: "Speak" }] }, ...withCall(call({}, { arguments: "" }))],
        { role: "assistant", content: "The LORD", tool_calls: null, refusal: null },
        USER,
      ],
    };
    const { body: first } = await server.post(CHAT, body);
    const textOf = ({ choices }: Record<string, unknown>): unknown => (choices as { message: unknown }[])[0]!.message;
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), async (numbers) => {
        const { status, body: answer } = await server.post(
          CHAT,
          shuffled(body, () => numbers.next().value as number),
        );
        expect([status, textOf(answer)]).toEqual([200, textOf(first)]);
      }),
      { seed: 7, numRuns: 10 },
    );
  });

  test.each([
    [[{ role: "user" }], "messages[0].content", "found nothing"],
    [[{ role: "user", content: null }], "messages[0].content", "found null"],
    [[USER, { role: "tool", tool_call_id: "x" }], "messages[1].content", "must be a text, or a list of parts"],
    [[{ content: "Hi" }], "messages[0].role", "missing parameter `messages[0].role`"],
    [[{ role: "user", content: 5 }], "messages[0].content", "must be a text, a list of objects, or null, found 5"],
    [[{ role: "user", content: ["Hi"] }], "messages[0].content[0]", 'must be an object, found "Hi"'],
    [
      [
        USER,
        USER,
        {
          role: "user",
          content: [
            { type: "text", text: "Hi" },
            { type: "thinking", text: "x" },
          ],
        },
      ],
      "messages[2].content[1].type",
      'must be "text", found "thinking"',
    ],
    [[{ role: "user", content: [{ type: "text" }] }], "messages[0].content[0].text", "expected a text"],
    [withCall(call({}, { arguments: "[1]" })), "messages[1].tool_calls[0].function.arguments", 'found "[1]"'],
    [withCall(call({}, { arguments: '{"a":' })), "messages[1].tool_calls[0].function.arguments", "must be an object"],
    [withCall(call({}, { name: null })), "messages[1].tool_calls[0].function.name", "expected a text"],
    [withCall(call({ type: "custom" })), "messages[1].tool_calls[0].type", 'must be "function", found "custom"'],
    [[USER, { role: "function", name: "find", content: "x" }], "messages[1].role", "outdated"],
    [
      [USER, { role: "assistant", content: null, function_call: { name: "find" } }],
      "messages[1].function_call",
      "tool_calls",
    ],
    [{ 0: USER }, "messages", "must be a list of 1 or more objects"],
    [[], "messages", "must be a list of 1 or more objects, found []"],
    [["Hi"], "messages[0]", 'must be an object, found "Hi"'],
    [null, "messages", "missing parameter `messages`"],
  ])("%j is refused at %s", async (messages, param, message) => {
    expect(await refusalOf(CHAT, { messages, ...MOST })).toMatchObject({
      param,
      type: "invalid_request_error",
      message: saying(message),
    });
  });

  test.each([
    ["image_url", { image_url: { url: "data:image/png;base64,AAAA" } }, "an image"],
    ["input_audio", { input_audio: { data: "AAAA", format: "wav" } }, "sound"],
    ["file", { file: { file_id: "x" } }, "a file"],
    ["video_url", { video_url: { url: "https://x" } }, "a video"],
  ])("a part %s is refused by its name, also by a lenient server", async (type, more, what) => {
    const content = [
      { type: "text", text: "What is it?" },
      { ...more, type },
    ];
    for (const to of [server, lenient])
      expect(await refusalOf(CHAT, { messages: [USER, { role: "user", content }] }, to)).toMatchObject({
        param: "messages[1].content[1]",
        code: "unsupported_parameter",
        message: saying(`is ${what} ("${type}"), and the models of this server read text only`),
      });
  });
});

describe("prompts", () => {
  test.each([
    ["a text", "And", 1],
    ["texts", ["And", "In the"], 2],
    ["tokens", [1, 2, 3], 1],
    ["lists of tokens", [[1, 2], [3]], 2],
    ["an empty text", "", 1],
  ])("%s", async (_, prompt, count) => {
    const { body, status } = await server.post(COMPLETIONS, { prompt, max_tokens: 2 });
    expect(status).toBe(200);
    expect(body["choices"]).toHaveLength(count);
  });

  test.each([
    [[], "prompt", "found []"],
    [[[]], "prompt[0]", "must be a list of 1 or more integers, found []"],
    [[[1, 2], []], "prompt[1]", "must be a list of 1 or more integers, found []"],
    [["And", 5], "prompt[1]", "must be a text, found 5"],
    [["And", [1]], "prompt[1]", "must be a text, found [1]"],
    [[1, "And"], "prompt[1]", 'must be an integer from 0, found "And"'],
    [[1.5], "prompt[0]", "must be an integer from 0, found 1.5"],
    [[-1], "prompt[0]", "must be an integer from 0, found -1"],
    [[[1], [1, 1e6]], "prompt[1][1]", "1000000 is not a token"],
    [{}, "prompt", "found {}"],
    [null, "prompt", "missing parameter `prompt`"],
    [["And", "word ".repeat(3000)], "prompt[1]", "shorten it"],
  ])("%j is refused at %s", async (prompt, param, message) => {
    for (const path of [COMPLETIONS, "/v1/logits"])
      expect(await refusalOf(path, { prompt })).toMatchObject({ param, message: saying(message) });
  });

  test.each([
    ["text", "light ".repeat(150_000)],
    ["tokens", Array.from({ length: 150_000 }, () => 5)],
  ])("a long %s is beyond the context", async (_, prompt) => {
    const error = await refusalOf(COMPLETIONS, { prompt });
    expect(error).toMatchObject({ param: "prompt", code: "context_length_exceeded" });
    expect(Number(/has (\d+) (?:tokens|bytes)/.exec(error!["message"] as string)![1])).toBeGreaterThan(140_000);
  });

  test("a long conversation is beyond the context", async () => {
    const messages = [{ role: "user", content: "light ".repeat(150_000) }];
    const error = await refusalOf(CHAT, { messages });
    expect(error).toMatchObject({ param: "messages", code: "context_length_exceeded" });
  });
});

describe("tools", () => {
  const tool = (more: object = {}): object => ({ type: "function", function: { name: "find", ...more } });

  test("nulls count as absent", async () => {
    const plain = await answerTo([USER], { tools: [tool()] });
    for (const given of [tool({ description: null, parameters: null, strict: null }), tool({ parameters: {} })])
      expect(await answerTo([USER], { tools: [given], tool_choice: null })).toEqual(plain);
  });

  test("one without parameters has no arguments", async () => {
    for (const parameters of [undefined, null, {}]) {
      const fields = {
        tools: [tool({ parameters })],
        tool_choice: "required",
        max_tokens: 100,
        temperature: 1,
        seed: 5,
      };
      const { tool_calls: calls, content } = await answerTo([USER], fields);
      const args = expect.stringMatching(/^\{\s*\}$/) as unknown;
      expect([calls, content]).toMatchObject([[{ function: { name: "find", arguments: args } }], null]);
    }
  });

  test("128 of 150 kB in all are an answer, or beyond the context", async () => {
    const description = "Finds a verse of the book. ".repeat(40);
    const tools = Array.from({ length: 128 }, (_, i) => tool({ name: `find_${i}`, description }));
    expect(JSON.stringify(tools).length).toBeGreaterThan(140_000);
    const error = await refusalOf(CHAT, { messages: [USER], tools });
    expect(error).toMatchObject({ param: "messages", code: "context_length_exceeded" });
    const one = await refusalOf(CHAT, { messages: [USER], tools: [...tools, tool()] });
    expect(one).toMatchObject({ param: "tools", message: saying("must be a list of at most 128 objects") });
  });

  test.each([
    [[{ type: "custom", custom: { name: "x" } }], "tools[0].type", 'must be "function", found "custom"'],
    [[tool(), { type: "function" }], "tools[1].function", "expected an object"],
    [[tool({ name: "" })], "tools[0].function.name", 'must be a text that is not empty, found ""'],
    [[tool({ parameters: [] })], "tools[0].function.parameters", "must be an object, found []"],
    [[tool({ description: 5 })], "tools[0].function.description", "must be a text, found 5"],
  ])("%j is refused at %s", async (tools, param, message) => {
    expect(await refusalOf(CHAT, { messages: [USER], tools })).toMatchObject({ param, message: saying(message) });
  });
});

describe("members that nothing knows", () => {
  test.each([
    [{ response_format: { type: "json_object", foo: 1 } }, "response_format.foo", "expected `type`"],
    [{ stream_options: { foo: 1 } }, "stream_options.foo", "expected `include_usage`"],
    [
      { response_format: { type: "json_schema", json_schema: { name: "x", schema: { type: "object" }, foo: 1 } } },
      "response_format.json_schema.foo",
      "`strict`",
    ],
  ])("%j is refused, and ignored by a lenient server", async (fields, param, message) => {
    const body = { messages: [USER], max_tokens: 2, ...fields };
    expect(await refusalOf(CHAT, body)).toMatchObject({ param, code: "unknown_parameter", message: saying(message) });
    const { status, headers } = await lenient.post(CHAT, { ...body, bar: 2 });
    expect([status, headers.get("x-ggsl-ignored")]).toEqual([200, `bar, ${param}`]);
  });

  test("are those of what a body is meant to be", async () => {
    for (const [fields, param, message] of [
      [
        { response_format: { json_schema: { name: "x", schema: {} } } },
        "response_format.type",
        'expected "text", "json_object", or "json_schema"',
      ],
      [{ response_format: { type: "xml" } }, "response_format.type", 'found "xml"'],
      [{ response_format: { type: "json_schema" } }, "response_format.json_schema", "expected an object"],
      [
        { response_format: { type: "json_schema", json_schema: { name: "x" } } },
        "response_format.json_schema.schema",
        "missing",
      ],
      [{ response_format: "json" }, "response_format", 'must be an object, found "json"'],
      [{ tool_choice: { type: "function" } }, "tool_choice.function", "expected an object"],
      [{ tool_choice: "any" }, "tool_choice", 'cannot be "any"'],
    ] as const)
      expect(await refusalOf(CHAT, { messages: [USER], ...fields })).toMatchObject({ param, message: saying(message) });
  });

  test("null counts as absent everywhere", async () => {
    const nulls = {
      response_format: { type: "text", json_schema: null },
      stream_options: { include_usage: null },
      sampler_params: { t: null },
      logit_bias: { 5: null },
    };
    const { status } = await server.post(CHAT, { messages: [USER], max_tokens: 1, ...nulls });
    expect(status).toBe(200);
    expect((await server.post("/v1/samplers", { sampler: "greedy()", sampler_chain: null })).status).toBe(200);
  });
});

describe("a grammar that is at its end", () => {
  const schema = { type: "object", required: ["ok"], additionalProperties: false, properties: { ok: { const: true } } };
  const format = { type: "json_schema", json_schema: { name: "x", schema } };
  test.each([{ min_tokens: 200 }, { ignore_eos: true }, { min_tokens: 200, ignore_eos: true }])(
    "ends the text with %j",
    async (fields) => {
      const { status, body } = await server.post(CHAT, {
        messages: [USER],
        max_tokens: 300,
        seed: 1,
        response_format: format,
        ...fields,
      });
      const [choice] = (body["choices"] ?? []) as { message: { content: string }; finish_reason: string }[];
      expect([status, body.error, choice?.finish_reason]).toEqual([200, undefined, "stop"]);
      expect(JSON.parse(choice!.message.content)).toEqual({ ok: true });
    },
  );

  test("and one that can go on, goes on", async () => {
    const sampler = 'import { constrain, dist } from "std"\nchain c() = constrain("root ::= [a-z ]+") |> dist()';
    const fields = { prompt: "And", sampler, seed: 2, max_tokens: 60 };
    const tokensOf = async (more: object): Promise<number> => {
      const { body } = await server.post(COMPLETIONS, { ...fields, ...more });
      return (body["usage"] as { completion_tokens: number }).completion_tokens;
    };
    expect(await tokensOf({ min_tokens: 40 })).toBeGreaterThanOrEqual(40);
    expect(await tokensOf({ ignore_eos: true })).toBe(60);
  });
});
