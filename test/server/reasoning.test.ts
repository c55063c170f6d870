/** Thoughts of models in answers. The demo model does not think: a template begins its thoughts, and a limit or a grammar ends them. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText } from "ai";
import type { ChatCompletion } from "openai/resources/chat/completions";
import { eventsOf, open, type Answer, type Opened } from "./open.js";

const HISTORY = `{% for m in messages %}{% if m.role == 'assistant' %}<think>
{{ m.reasoning_content }}
</think>

{{ m.content }}{% for call in m.tool_calls or [] %}<tool_call>{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}</tool_call>{% endfor %}
{% else %}{{ m.content }}
{% endif %}{% endfor %}`;
const BEGUN = "<think>\n";
const ENDED = "<think>\n\n</think>\n\n";
const templateWith = (beginning: string): string => `${HISTORY}{% if add_generation_prompt %}${beginning}{% endif %}`;
/** It thinks unless it is told otherwise. */
const SWITCHED = templateWith(
  `{% if enable_thinking is defined and enable_thinking is false %}${ENDED}{% else %}${BEGUN}{% endif %}`,
);
const LEVELS = templateWith(
  `{% if reasoning_effort is defined %}{% if reasoning_effort == 'none' %}${ENDED}{% else %}${BEGUN}{{ reasoning_effort }}{% endif %}{% else %}${BEGUN}{% endif %}`,
);

const messages = [{ role: "user" as const, content: "In the beginning" }];
const base = { model: "demo", messages, temperature: 0, max_tokens: 40 };
const schema = {
  type: "object",
  properties: { book: { enum: ["Genesis", "Exodus"] }, verse: { type: "integer", minimum: 3, maximum: 7 } },
  required: ["book", "verse"],
  additionalProperties: false,
};
const response_format = { type: "json_schema", json_schema: { name: "x", schema } };
const tools = [{ type: "function", function: { name: "find", parameters: schema } }];

type Message = ChatCompletion["choices"][number]["message"] & { readonly reasoning_content?: string };
const choiceOf = ({ body }: Answer) => (body as unknown as ChatCompletion).choices[0]!;
const messageOf = (answer: Answer): Message => {
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return choiceOf(answer).message;
};
const thoughtTokens = ({ body }: Answer): number =>
  (body as unknown as ChatCompletion).usage!.completion_tokens_details!.reasoning_tokens!;

/** By a grammar of the request, the model writes this text. */
const writing = (text: string) => ({
  sampler: 'import { constrain, dist } from "std"\nchain c(g: grammar) = constrain(g) |> dist()',
  sampler_params: { g: { choices: [text] } },
  temperature: undefined,
  max_tokens: 200,
});

let servers: Record<"switched" | "levels" | "always" | "free" | "plain", Opened>;
beforeAll(async () => {
  const serve = (template: string): Promise<Opened> => open({ template, contextSize: 512, sequences: 2 });
  servers = {
    switched: await serve(SWITCHED),
    levels: await serve(LEVELS),
    always: await serve(templateWith(BEGUN)),
    free: await serve(templateWith("")),
    plain: await serve("{% for m in messages %}{{ m.content }}{% endfor %}"),
  };
});
afterAll(() => Promise.all(Object.values(servers).map((server) => server.close(0))));

const ask = (of: keyof typeof servers, body: object): Promise<Answer> =>
  servers[of].post("/v1/chat/completions", { ...base, ...body });

describe("a thought", () => {
  test("is separated from content, whole and as a stream", async () => {
    for (const [of, text] of [
      ["always", "He said\n</think>\n\nAnd it was so"],
      ["free", "<think>\nHe said\n</think>\n\nAnd it was so"],
    ] as const) {
      const answer = await ask(of, writing(text));
      expect(messageOf(answer)).toMatchObject({ content: "And it was so", reasoning_content: "He said" });
      const { usage } = answer.body as unknown as ChatCompletion;
      expect(thoughtTokens(answer)).toBeGreaterThan(2);
      expect(thoughtTokens(answer)).toBeLessThan(usage!.completion_tokens);
      const response = await fetch(`${servers[of].url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...base, ...writing(text), stream: true }),
      });
      const deltas = (eventsOf(await response.text()) as ChatCompletion[]).flatMap(({ choices }) =>
        choices.map((choice) => (choice as unknown as { delta: Partial<Message> }).delta),
      );
      expect(deltas[0]).toMatchObject({ role: "assistant" });
      const all = (of: "content" | "reasoning_content") => deltas.map((delta) => delta[of] ?? "").join("");
      expect([all("reasoning_content"), all("content")]).toEqual(["He said", "And it was so"]);
      const order = deltas.flatMap((delta) => Object.keys(delta)).filter((name) => name.endsWith("content"));
      expect(order).toEqual([...order].sort().reverse());
    }
  });

  test("that does not end is all of the answer", async () => {
    const answer = await ask("always", { max_tokens: 10 });
    expect(messageOf(answer)).toMatchObject({ content: "" });
    expect(messageOf(answer).reasoning_content).not.toBe("");
    expect([choiceOf(answer).finish_reason, thoughtTokens(answer)]).toEqual(["length", 10]);
  });

  test("is content as it is written with `reasoning_format: none`", async () => {
    const text = "<think>\nHe said\n</think>\n\nAnd it was so";
    const message = messageOf(await ask("free", { ...writing(text), reasoning_format: "none" }));
    expect(message.content).toBe(text);
    expect(message).not.toHaveProperty("reasoning_content");
  });

  test("of an earlier answer reaches the template", async () => {
    const answer = { role: "assistant", content: "Yes", reasoning_content: "He said" };
    const { body } = await servers.always.post("/apply-template", { messages: [...messages, answer, ...messages] });
    expect(body["prompt"]).toBe(`In the beginning\n<think>\nHe said\n</think>\n\nYesIn the beginning\n${BEGUN}`);
  });

  test("is absent where the template has none", async () => {
    const answer = await ask("plain", {});
    expect(messageOf(answer)).not.toHaveProperty("reasoning_content");
    expect(thoughtTokens(answer)).toBe(0);
  });
});

test("the AI SDK has thoughts and text, whole and as a stream, and sends them with the next turn", async () => {
  const model = createOpenAICompatible({ name: "ggsl", baseURL: `${servers.always.url}/v1` })("demo");
  const given = { model, maxRetries: 0, maxOutputTokens: 60, temperature: 0 };
  const options = { ...given, providerOptions: { ggsl: { reasoning_budget: 8 } } };
  const whole = await generateText({ ...options, prompt: "In the beginning" });
  expect(whole.reasoningText).toMatch(/[a-z]{3}/);
  expect(whole.text).toMatch(/[a-z]{3}/);
  expect(whole.text).not.toContain("think");
  const stream = streamText({ ...options, prompt: "In the beginning" });
  let [text, thought] = ["", ""];
  for await (const part of stream.fullStream) {
    if (part.type === "text-delta") text += part.text;
    if (part.type === "reasoning-delta") thought += part.text;
  }
  expect([thought, text]).toEqual([whole.reasoningText, whole.text]);
  const next = [{ role: "user" as const, content: "In the beginning" }, ...whole.response.messages];
  const again = await generateText({ ...options, messages: [...next, { role: "user", content: "And then" }] });
  expect(again.usage.inputTokens).toBeGreaterThan(whole.usage.inputTokens! + whole.usage.outputTokens! - 8);
});

describe("a limit of thoughts", () => {
  test("writes the end, and the answer begins", async () => {
    const free = messageOf(await ask("always", { max_tokens: 200 })).reasoning_content!;
    for (const name of ["reasoning_budget", "thinking_budget_tokens"]) {
      const answer = await ask("always", { [name]: 8 });
      const { content, reasoning_content: thought } = messageOf(answer);
      expect(free.startsWith(thought!)).toBe(true);
      expect(thought!.length).toBeLessThan(free.length);
      expect(content).not.toBe("");
      expect(content).not.toContain("think");
      // the end has tokens, too
      expect(thoughtTokens(answer)).toBeGreaterThan(8);
      expect(thoughtTokens(answer)).toBeLessThan(8 + 16);
    }
  });

  test("of 0 leaves no thought", async () => {
    const message = messageOf(await ask("always", { reasoning_budget: 0 }));
    expect(message).not.toHaveProperty("reasoning_content");
    expect(message.content).not.toBe("");
    expect(message.content).not.toContain("think");
  });

  test("does nothing to a thought that is shorter, to an answer without one, and to text like one", async () => {
    const text = "<think>\nHe\n</think>\n\nAnd it was so that there was light upon the earth";
    expect(messageOf(await ask("free", { ...writing(text), reasoning_budget: 20 }))).toMatchObject({
      reasoning_content: "He",
      content: text.slice(text.indexOf("And")),
    });
    const other = "And it was <think> so that there was light upon the earth";
    expect(messageOf(await ask("free", { ...writing(other), reasoning_budget: 0 })).content).toBe(other);
    const message = messageOf(await ask("switched", { enable_thinking: false, reasoning_budget: 0 }));
    expect(message.content).toBe(messageOf(await ask("switched", { enable_thinking: false })).content);
  });

  test("is refused for a model that does not think, and if it is given twice", async () => {
    expect(await ask("plain", { reasoning_budget: 5 })).toMatchObject({
      status: 400,
      body: { error: { code: "unsupported_parameter", param: "reasoning_budget" } },
    });
    expect(await ask("plain", { reasoning_budget: -1 })).toMatchObject({ status: 200 });
    expect(await ask("always", { reasoning_budget: 5, thinking_budget_tokens: 6 })).toMatchObject({
      status: 400,
      body: { error: { param: "thinking_budget_tokens" } },
    });
  });
});

describe("after a thought", () => {
  const limited = { reasoning_budget: 6, max_tokens: 120 };
  const check = (json: string): void => {
    const { book, verse } = JSON.parse(json) as { book: string; verse: number };
    expect(["Genesis", "Exodus"]).toContain(book);
    expect([3, 4, 5, 6, 7]).toContain(verse);
  };

  test("comes the format of the response", async () => {
    for (const more of [{}, { tools, parallel_tool_calls: false }]) {
      const {
        reasoning_content: thought,
        content,
        tool_calls: calls,
      } = messageOf(await ask("always", { ...limited, response_format, ...more }));
      expect(thought).toMatch(/[a-z]{3}/);
      const [call] = calls ?? [];
      check(call?.type === "function" ? call.function.arguments : content!);
    }
    const message = messageOf(await ask("switched", { ...limited, response_format, enable_thinking: false }));
    expect(message).not.toHaveProperty("reasoning_content");
    check(message.content!);
  });

  test("comes a call that is asked for", async () => {
    for (const tool_choice of ["required", { type: "function", function: { name: "find" } }]) {
      const answer = await ask("always", { ...limited, tools, tool_choice });
      const { reasoning_content: thought, content, tool_calls: calls } = messageOf(answer);
      expect([thought, content, calls?.length]).toEqual([expect.stringMatching(/[a-z]{3}/), null, 1]);
      expect(choiceOf(answer).finish_reason).toBe("tool_calls");
      if (calls![0]!.type === "function") check(calls![0]!.function.arguments);
    }
  });

  test("is text in which what begins as a call is one", async () => {
    const text =
      'He said <tool_call>\n</think>\n\nAnd<tool_call>{"name": "find", "arguments": {"book": "Exodus", "verse": 4}}</tool_call>';
    const message = messageOf(await ask("always", { ...writing(text), tools }));
    expect(message).toMatchObject({
      reasoning_content: "He said <tool_call>",
      content: "And",
      tool_calls: [{ function: { name: "find", arguments: '{"book": "Exodus", "verse": 4}' } }],
    });
  });
});

describe("thinking", () => {
  const prompt = async (of: keyof typeof servers, body: object): Promise<unknown> => {
    const { body: answer } = await servers[of].post("/apply-template", { messages, ...body });
    return answer["prompt"] ?? answer.error;
  };
  const begun = `In the beginning\n${BEGUN}`;
  const ended = `In the beginning\n${ENDED}`;

  test("is switched by the variable that the template reads", async () => {
    expect(await prompt("switched", {})).toBe(begun);
    for (const body of [
      { enable_thinking: false },
      { reasoning_effort: "none" },
      { chat_template_kwargs: { enable_thinking: false } },
    ])
      expect(await prompt("switched", body)).toBe(ended);
    for (const body of [{ enable_thinking: true }, { reasoning_effort: "low" }, { reasoning_effort: "high" }])
      expect(await prompt("switched", body)).toBe(begun);
    const message = messageOf(await ask("switched", { reasoning_effort: "none" }));
    expect(message).not.toHaveProperty("reasoning_content");
    expect(message.content).not.toBe("");
  });

  test("has levels where the template has them", async () => {
    expect(await prompt("levels", { reasoning_effort: "low" })).toBe(`${begun}low`);
    expect(await prompt("levels", { reasoning_effort: "minimal" })).toBe(`${begun}low`);
    expect(await prompt("levels", { reasoning_effort: "xhigh" })).toBe(`${begun}high`);
    expect(await prompt("levels", { reasoning_effort: "none" })).toBe(ended);
    expect(await prompt("levels", { enable_thinking: false })).toBe(ended);
    // what the request gives itself comes first
    const own = { reasoning_effort: "low", chat_template_kwargs: { reasoning_effort: "most" } };
    expect(await prompt("levels", own)).toBe(`${begun}most`);
  });

  test.each([
    ["always", { reasoning_effort: "none" }, "switches thoughts off"],
    ["always", { enable_thinking: false }, "switches thoughts off"],
    ["always", { reasoning_effort: "high" }, "reads no level of thinking"],
    ["plain", { reasoning_effort: "high" }, "reads no level of thinking"],
    ["plain", { enable_thinking: true }, "says nothing of thoughts"],
  ] as const)("%s cannot be told %j", async (of, body, message) => {
    const [param] = Object.keys(body);
    const refused = { code: "unsupported_parameter", param, message: expect.stringContaining(message) as unknown };
    expect(await ask(of, body)).toMatchObject({ status: 400, body: { error: refused } });
  });

  test.each([
    ["always", { reasoning_effort: "medium" }],
    ["always", { enable_thinking: true }],
    ["plain", { reasoning_effort: "medium" }],
    ["plain", { reasoning_effort: "none" }],
    ["plain", { enable_thinking: false }],
    ["plain", { reasoning_format: "auto", reasoning_budget: -1 }],
  ] as const)("%s is as it is told by %j", async (of, body) => {
    expect(await ask(of, body)).toMatchObject({ status: 200 });
  });

  test("what a template cannot be told is ignored by a lenient server, which names it", async () => {
    const lenient = await open({ template: "{% for m in messages %}{{ m.content }}{% endfor %}", lenient: true });
    try {
      const body = { ...base, max_tokens: 2, reasoning_effort: "high", enable_thinking: true, reasoning_budget: 3 };
      const answer = await lenient.post("/v1/chat/completions", body);
      expect([answer.status, answer.headers.get("x-ggsl-ignored")]).toEqual([
        200,
        "enable_thinking, reasoning_effort, reasoning_budget",
      ]);
      const wrong = await lenient.post("/v1/chat/completions", { ...base, reasoning_effort: "most" });
      expect(wrong).toMatchObject({ status: 400, body: { error: { param: "reasoning_effort" } } });
    } finally {
      await lenient.close(0);
    }
  });

  test("cannot be on and off", async () => {
    for (const body of [
      { enable_thinking: true, reasoning_effort: "none" },
      { enable_thinking: false, reasoning_effort: "high" },
    ])
      expect(await ask("switched", body)).toMatchObject({ status: 400, body: { error: { param: "enable_thinking" } } });
  });
});
