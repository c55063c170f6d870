/** Calls that the model begins by itself: it writes a mark, and what follows is a call. The demo model's mark is a word of its texts. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { ChatCompletion, ChatCompletionTool } from "openai/resources/chat/completions";
import { DEMO_MODEL } from "../model/file.js";
import { open, type Opened } from "./open.js";

/** Of the demo model; a control token has its text as the vocabulary has it. */
const LORD = 358;
const LETTERS = " LORD";
const CONTROL = "ĠLORD";

const templateWith = (mark: string): string =>
  `{% for m in messages %}{{ m.content }}{% if m.tool_calls %}{% for call in m.tool_calls %}${mark}{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}{% endfor %}{% endif %}{% endfor %}`;

const TYPE_CONTROL = 3;

/** The demo model with that word as a control token. */
function writeModel(folder: string): string {
  const bytes = readFileSync(DEMO_MODEL);
  const key = "tokenizer.ggml.token_type";
  // after the key: the type of the value, that of its items, and their number
  bytes.writeInt32LE(TYPE_CONTROL, bytes.indexOf(key) + key.length + 16 + 4 * LORD);
  const path = join(folder, "control.gguf");
  writeFileSync(path, bytes);
  return path;
}

const toolOf = (name: string, properties: object, more: object = {}): ChatCompletionTool => ({
  type: "function",
  function: {
    name,
    parameters: { type: "object", properties, required: Object.keys(properties), additionalProperties: false, ...more },
  },
});
const tools = [
  toolOf("find", { book: { enum: ["Genesis", "Exodus"] }, verse: { type: "integer", minimum: 3, maximum: 7 } }),
  toolOf("list", { book: { enum: ["Ruth"] } }),
];
const messages = [{ role: "user" as const, content: "In the beginning" }];
const base = { model: "demo", messages, temperature: 0, max_completion_tokens: 60, tools };

interface Args {
  readonly book: string;
  readonly verse?: number;
}

/** Whether arguments are complete, by their brackets: no text of these tools has one. */
const isComplete = (args: string): boolean => args.endsWith("}");

/** Checks each call by its schema, independently of the grammar, and counts them. The limit may cut the last one. */
function checkCalls({ choices }: ChatCompletion): number {
  const { message, finish_reason: reason } = choices[0]!;
  const calls = message.tool_calls ?? [];
  for (const [i, call] of calls.entries()) {
    expect(call.id).toMatch(/^[A-Za-z0-9]{9}$/);
    if (call.type !== "function") throw new Error(`expected a function, found ${call.type}`);
    if (!isComplete(call.function.arguments)) {
      expect([i, reason]).toEqual([calls.length - 1, "length"]);
      expect(call.function.arguments).toMatch(/^\{\s*(?:"(?:b|$)|$)/);
      return calls.length;
    }
    const args = JSON.parse(call.function.arguments) as Args;
    if (call.function.name === "list") expect(args).toEqual({ book: "Ruth" });
    else {
      expect(call.function.name).toBe("find");
      expect(Object.keys(args)).toEqual(["book", "verse"]);
      expect(["Genesis", "Exodus"]).toContain(args.book);
      expect([3, 4, 5, 6, 7]).toContain(args.verse);
    }
  }
  if (calls.length > 0) expect(reason).toBe("tool_calls");
  return calls.length;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-calls-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each([
  ["letters", LETTERS, () => DEMO_MODEL],
  ["a control token", CONTROL, () => writeModel(folder)],
])("a mark of %s", (_, mark, model) => {
  let server: Opened;
  beforeAll(async () => {
    server = await open({ model: model(), template: templateWith(mark) });
  });
  afterAll(() => server.close(0));
  const chat = () => server.client.chat.completions;

  test("begins a call of one of the tools, with arguments that its schema allows", async () => {
    const answer = await chat().create({ ...base, parallel_tool_calls: false });
    expect(answer.choices[0]!.message.content).toBe(" of the");
    expect(checkCalls(answer)).toBe(1);
  });

  test("several calls, and text after them", async () => {
    const likely = { temperature: 1, logit_bias: { [LORD]: 5 }, max_completion_tokens: 200 };
    let several = 0;
    for (let seed = 1; seed < 9; seed++) {
      const asked = { ...base, ...likely, seed };
      const answer = await chat().create(asked);
      if (checkCalls(answer) > 1) several++;
      // what the limit cuts before its arguments is content
      const content = (answer.choices[0]!.message.content ?? "").replace(/(?:LORD)?(?:\{[^}]*)?$/, "");
      expect(content).not.toMatch(/LORD|[{}]/);
    }
    expect(several).toBeGreaterThan(0);
  });

  test("calls that are asked for: several, unless one is", async () => {
    const asked = { ...base, temperature: 1, logit_bias: { [LORD]: 5 }, max_completion_tokens: 100 };
    const counts = new Set<number>();
    for (let seed = 1; seed < 9; seed++) {
      const given = { ...asked, seed, tool_choice: "required" as const };
      const answer = await chat().create(given);
      counts.add(checkCalls(answer));
      expect(answer.choices[0]!.message.content).toBeNull();
    }
    expect(Math.max(...counts)).toBeGreaterThan(1);
    const list = { type: "function", function: { name: "list" } } as const;
    for (const one of [{ tool_choice: "required" as const, parallel_tool_calls: false }, { tool_choice: list }])
      expect(checkCalls(await chat().create({ ...asked, ...one }))).toBe(1);
  });

  test("the same as a stream, and a next turn with the server's own message", async () => {
    const whole = await chat().create({ ...base, parallel_tool_calls: false });
    const streamed = await chat()
      .stream({ ...base, parallel_tool_calls: false })
      .finalChatCompletion();
    const messageOf = ({ choices }: ChatCompletion) => choices[0]!.message;
    const calls = messageOf(whole).tool_calls!.map((call) => (call.type === "function" ? call.function : undefined));
    expect(messageOf(streamed)).toMatchObject({
      content: messageOf(whole).content,
      tool_calls: calls.map((one) => ({ type: "function", function: one })),
    });
    const results = messageOf(whole).tool_calls!.map(({ id }) => ({
      role: "tool" as const,
      tool_call_id: id,
      content: " And God said",
    }));
    const next = await chat().create({ ...base, messages: [...messages, messageOf(whole), ...results] });
    expect(next.usage!.prompt_tokens).toBeGreaterThan(whole.usage!.prompt_tokens + 20);
  });

  test("the arguments come as they are written", async () => {
    const stream = await chat().create({ ...base, parallel_tool_calls: false, stream: true });
    const parts: string[] = [];
    for await (const { choices } of stream) {
      const [call] = choices[0]!.delta.tool_calls ?? [];
      if (!call) continue;
      // the first part alone has the name and the id
      const isFirst = parts.length === 0;
      expect([call.index, call.id !== undefined, call.function?.name]).toEqual([
        0,
        isFirst,
        isFirst ? "list" : undefined,
      ]);
      parts.push(call.function!.arguments!);
    }
    expect(parts.length).toBeGreaterThan(5);
    const whole = await chat().create({ ...base, parallel_tool_calls: false });
    const [call] = whole.choices[0]!.message.tool_calls!;
    if (call!.type === "function") expect(parts.join("")).toBe(call!.function.arguments);
  });

  test("without tools, and where no call may come, the text is the model's own", async () => {
    const { choices } = await chat().create({ ...base, tool_choice: "none" });
    expect(choices[0]!.message.tool_calls).toBeUndefined();
    const { tools: _, ...plain } = base;
    expect((await chat().create(plain)).choices[0]!.message.content).toBe(choices[0]!.message.content);
  });

  test("a tool whose schema cannot be enforced has any arguments; others obey theirs", async () => {
    const odd = toolOf("odd", { list: { type: "array", uniqueItems: true } });
    const answer = await chat().create({ ...base, tools: [odd, ...tools], parallel_tool_calls: false });
    expect(answer.choices[0]!.message.tool_calls).toHaveLength(1);
    // a call of it goes on until the limit
    const alone = await chat().create({ ...base, tools: [odd], parallel_tool_calls: false });
    expect(alone.choices[0]).toMatchObject({
      finish_reason: "length",
      message: {
        content: " of the",
        tool_calls: [{ function: { name: "odd", arguments: expect.stringMatching(/^\{/) as unknown } }],
      },
    });
  });

  test("with a format of the response, it is that or a call", async () => {
    const schema = { type: "object", properties: { a: { const: 1 } }, required: ["a"], additionalProperties: false };
    const format = { type: "json_schema" as const, json_schema: { name: "x", schema } };
    const asked = { ...base, temperature: 1.5, response_format: format, parallel_tool_calls: false };
    const odd = toolOf("odd", { list: { type: "array", uniqueItems: true } });
    const seen = new Set<string>();
    for (let seed = 1; seed < 13 && seen.size < 2; seed++)
      for (const bias of [-100, 20]) {
        const given = { ...asked, seed, logit_bias: { [LORD]: bias }, tools: [...tools, odd] };
        const answer = await chat().create(given);
        const { content, tool_calls: calls } = answer.choices[0]!.message;
        if (answer.choices[0]!.finish_reason === "length") continue;
        seen.add(calls ? "calls" : "format");
        if (calls) expect([content, checkCalls(answer) > 0]).toEqual([null, true]);
        else expect(JSON.parse(content!)).toEqual({ a: 1 });
      }
    expect([...seen].sort()).toEqual(["calls", "format"]);
  });

  test("a chain without a place for a grammar is taken as it is", async () => {
    const sampler = 'import { constrain, dist } from "std"\nchain c(g: grammar) = constrain(g) |> dist()';
    const given = { ...base, sampler, sampler_params: { g: { choices: [" a b"] } } };
    const { temperature: _, ...body } = given;
    const { status, body: answer } = await server.post("/v1/chat/completions", body);
    expect([status, answer["choices"]]).toEqual([
      200,
      [expect.objectContaining({ message: expect.objectContaining({ content: " a b" }) as unknown })],
    ]);
  });
});

test("numbers of histories reach the model as they were written", async () => {
  const server = await open({ template: templateWith(LETTERS), sequences: 1 });
  try {
    const asking = (args: string) => ({
      ...base,
      max_completion_tokens: 1,
      messages: [
        ...messages,
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "abcdefghi", type: "function", function: { name: "find", arguments: args } }],
        },
        { role: "tool", tool_call_id: "abcdefghi", content: "x" },
      ],
    });
    const tokens = async (args: string): Promise<number> => {
      const { body } = await server.post("/v1/chat/completions", asking(args));
      return (body as unknown as ChatCompletion).usage!.prompt_tokens;
    };
    // each digit has its token
    const [short, long] = [await tokens('{"a": 12345678901234567}'), await tokens('{"a": 1234567890123456789012345}')];
    expect(long).toBeGreaterThan(short);
  } finally {
    await server.close(0);
  }
});
