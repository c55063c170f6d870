/** Fields of other tools that are about the text, other names of fields, and what nothing knows. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ALIASES } from "../../server/request/aliases.js";
import { open, type Opened } from "./open.js";

const TEMPLATE = `{% if tools %}<tools>{% for tool in tools %}{{ tool.function.name }} {% endfor %}</tools>
{% endif %}{% for m in messages %}{{ m.role }}: {% if m.tool_calls %}{% for call in m.tool_calls %}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}{% else %}{{ m.content }}{% endif %}
{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}`;

let server: Opened;
beforeAll(async () => {
  server = await open({ template: TEMPLATE });
});
afterAll(() => server.close(0));

const PROMPT = { prompt: "In the beginning", temperature: 0 };
type Answer = Awaited<ReturnType<Opened["post"]>>;
const ask = (fields: object): Promise<Answer> => server.post("/v1/completions", { ...PROMPT, ...fields });
const choiceOf = ({ body }: Answer) =>
  (body["choices"] as { text: string; finish_reason: string; logprobs: { top_logprobs: object[] } | null }[])[0]!;
const textOf = (answer: Answer): string => choiceOf(answer).text;
const MESSAGES = [{ role: "user", content: "In the beginning" }];
const chat = (fields: object): Promise<Answer> =>
  server.post("/v1/chat/completions", { messages: MESSAGES, seed: 1, max_tokens: 60, ...fields });
const contentOf = ({ body }: Answer): string =>
  (body["choices"] as { message: { content: string } }[])[0]!.message.content;

describe("grammars", () => {
  const OBJECT = { type: "object", properties: { a: { enum: [1, 2] } }, required: ["a"], additionalProperties: false };
  const isObject = (text: string): boolean => {
    const { a, ...rest } = JSON.parse(text) as { a: number };
    return [1, 2].includes(a) && Object.keys(rest).length === 0;
  };
  const isChoice = (text: string): boolean => ["red", 'blue "sky"\n'].includes(text);
  const isYes = (text: string): boolean => /^(yes|no)!$/.test(text);
  const GBNF = 'root ::= ("yes" | "no") "!"';
  const FORMS: readonly (readonly [string, unknown, (text: string) => boolean])[] = [
    ["grammar", GBNF, isYes],
    ["guided_grammar", GBNF, isYes],
    ["ebnf", GBNF, isYes],
    ["structured_outputs", { grammar: GBNF, json_object: false, regex: null }, isYes],
    ["json_schema", OBJECT, isObject],
    ["json_schema", JSON.stringify(OBJECT), isObject],
    ["guided_json", OBJECT, isObject],
    ["structured_outputs", { json: JSON.stringify(OBJECT) }, isObject],
    ["guided_regex", "(yes|no)!", isYes],
    ["regex", "(yes|no)!", isYes],
    ["structured_outputs", { regex: "(yes|no)!" }, isYes],
    ["guided_choice", ["red", 'blue "sky"\n'], isChoice],
    ["structured_outputs", { choice: ["red", 'blue "sky"\n'] }, isChoice],
    [
      "structured_outputs",
      { structural_tag: JSON.stringify({ type: "structural_tag", format: { type: "regex", pattern: "(yes|no)!" } }) },
      isYes,
    ],
    ["structured_outputs", { json_object: true }, (text) => text.startsWith("{")],
    ["response_format", { type: "json_object", schema: OBJECT }, isObject],
    ["response_format", { type: "json_object", schema: { enum: ["a", 5] } }, (text) => ['"a"', "5"].includes(text)],
    ["response_format", { type: "json_schema", json_schema: { name: "a", schema: OBJECT } }, isObject],
  ];

  test.each(FORMS)("%s: %j", async (name, value, accepts) => {
    for (const temperature of [0, 1.5]) {
      const [text, message] = [
        await ask({ [name]: value, temperature, seed: 1, max_tokens: 60 }),
        await chat({ [name]: value, temperature }),
      ];
      expect([text.body.error, message.body.error]).toEqual([undefined, undefined]);
      for (const written of [textOf(text), contentOf(message)])
        expect({ written, isRight: accepts(written) }).toEqual({ written, isRight: true });
    }
  });

  const TOOLS = [{ type: "function", function: { name: "find", parameters: { type: "object" } } }];

  test.each(FORMS.filter(([, value]) => JSON.stringify(value) !== '{"json_object":true}'))(
    "with tools, the text is of that form, or calls: %s: %j",
    async (name, value, accepts) => {
      const answer = await chat({ [name]: value, tools: TOOLS });
      expect(answer.body.error).toBeUndefined();
      const { message } = (
        answer.body["choices"] as { message: { content: string | null; tool_calls?: object[] } }[]
      )[0]!;
      // a call that the limit cuts is content
      const isCall = message.tool_calls !== undefined || message.content!.startsWith("<tool_call>");
      expect(isCall || accepts(message.content!)).toBe(true);
    },
  );

  test("of `response_format` alone, a text begins as a JSON object, and options of schemas count", async () => {
    for (const format of [{ type: "json_object" }, { type: "json_object", schema: {} }]) {
      const { text } = choiceOf(await ask({ response_format: format }));
      expect(text).toMatch(/^\{/);
    }
    const spaced = { type: "json_object", schema: OBJECT };
    const answer = await ask({ response_format: spaced, schema_options: { whitespace: "none" } });
    expect(textOf(answer)).toMatch(/^\{"a":[12]\}$/);
    expect(textOf(await ask({ response_format: { type: "text" } }))).toBe(textOf(await ask({})));
  });

  test("what is wrong has the name of its field", async () => {
    for (const [fields, param] of [
      [{ grammar: "root ::= (" }, "grammar"],
      [{ guided_grammar: "start: WORD" }, "guided_grammar"],
      [{ guided_regex: "(" }, "guided_regex"],
      [{ json_schema: "{" }, "json_schema"],
      [{ json_schema: { type: "object", not: { required: ["a"] }, minProperties: "x" } }, "json_schema"],
      [{ guided_choice: [""] }, "guided_choice[0]"],
      [{ structured_outputs: { regex: "a", choice: ["b"] } }, "structured_outputs"],
      [{ structured_outputs: { json_object: false } }, "structured_outputs"],
      [{ structured_outputs: { structural_tag: "{" } }, "structured_outputs.structural_tag"],
      [{ grammar: GBNF, guided_regex: "a" }, "guided_regex"],
      [{ grammar: GBNF, response_format: { type: "json_object" } }, "grammar"],
      [{ response_format: { type: "json_object", schema: { type: "array", uniqueItems: true } } }, "response_format"],
    ] as const) {
      const { status, body } = await ask(fields);
      expect({ fields, status, error: body.error }).toMatchObject({ fields, status: 400, error: { param } });
    }
    const both = await chat({ grammar: GBNF, response_format: { type: "json_object" } });
    expect(both.body.error).toMatchObject({
      param: "grammar",
      message: "`grammar` and `response_format` both ask for a grammar: give one",
    });
    expect((await chat({ grammar: GBNF, tools: TOOLS, tool_choice: "required" })).body.error).toMatchObject({
      param: "tool_choice",
      message: "`grammar` asks for the form of the text, and `tool_choice` for a call of a tool: give one",
    });
  });

  test("a sampler of the request obeys them, too", async () => {
    expect(isYes(textOf(await ask({ temperature: null, sampler: "temp(2) |> dist()", grammar: GBNF })))).toBe(true);
  });
});

describe("tokens that end a text", () => {
  const tokensOf = async (content: string): Promise<number[]> =>
    (await server.post("/tokenize", { content })).body["tokens"] as number[];

  test("are no part of it, in answers and in streams", async () => {
    const whole = await ask({ max_tokens: 12, logprobs: 0 });
    const { tokens } = choiceOf(whole).logprobs as unknown as { tokens: string[] };
    const at = tokens.findIndex((token, i) => i > 3 && tokens.indexOf(token) === i);
    const [id, ...more] = (await tokensOf(tokens[at]!)).slice(-1);
    expect(more).toEqual([]);
    const cut = await ask({ max_tokens: 12, stop_token_ids: [id, 0] });
    expect(choiceOf(cut)).toMatchObject({ text: tokens.slice(0, at).join(""), finish_reason: "stop" });
    expect(cut.body["usage"]).toMatchObject({ completion_tokens: at + 1 });
    let streamed = "";
    for await (const { choices } of await server.client.completions.create({
      ...{ ...PROMPT, model: "demo", max_tokens: 12, stream: true },
      ...{ stop_token_ids: [id] },
    }))
      streamed += choices[0]?.text ?? "";
    expect(streamed).toBe(tokens.slice(0, at).join(""));
    for (const name of ["stop_token_ids", "allowed_token_ids"])
      expect((await ask({ [name]: [3, 1_000_000] })).body.error).toMatchObject({
        param: `${name}[1]`,
        message: expect.stringContaining("1000000 is not a token") as unknown,
      });
    // not before the fewest tokens
    const later = await ask({ max_tokens: 12, stop_token_ids: [id], min_tokens: at + 2 });
    expect(later.body.error).toBeUndefined();
    expect((later.body["usage"] as { completion_tokens: number }).completion_tokens).toBeGreaterThan(at + 2);
    expect(
      (await ask({ stop_token_ids: [id], min_tokens: 3, sampler: "greedy()", temperature: null })).body.error,
    ).toMatchObject({ param: "stop_token_ids", code: "parameter_not_in_sampler" });
  });
});

describe("other names", () => {
  test("say the same", async () => {
    const same = async (one: object, other: object): Promise<void> => {
      const [a, b] = [await ask({ max_tokens: 10, ...one }), await ask({ max_tokens: 10, ...other })];
      expect([a.body.error, a.body["choices"]]).toEqual([undefined, b.body["choices"]]);
    };
    await same({ max_tokens: null, n_predict: 5 }, { max_tokens: 5 });
    await same({ max_tokens: null, max_new_tokens: 5 }, { max_tokens: 5 });
    await same({ n_probs: 3 }, { logprobs: 3 });
    await same({ stop_sequence: [" of"], stopping_strings: [" of"] }, { stop: " of" });
    await same({ temperature: 1, sampler_seed: 4 }, { temperature: 1, seed: 4 });
    await same({ ban_eos_token: true }, { ignore_eos: true });
    await same({ rep_pen: 1.5, repeat_penalty: 1 }, { repeat_penalty: 1.5 });
    await same({ rep_pen: 1.5, penalty_last_n: 4 }, { repeat_penalty: 1.5, repeat_last_n: 4 });
    await same({ typical: 0.5, typical_p: 1 }, { typical_p: 0.5 });
    await same({ nsigma: 1.5, tfs_z: 0.9 }, { top_n_sigma: 1.5, tfs: 0.9 });
    await same({ mirostat_mode: 2, seed: 1 }, { mirostat: 2, seed: 1 });
  });

  test("of log-probabilities of a chat", async () => {
    const [one, other] = [await chat({ n_probs: 2 }), await chat({ logprobs: true, top_logprobs: 2 })];
    expect([one.body.error, one.body["choices"]]).toEqual([undefined, other.body["choices"]]);
  });

  test("that say different things, and values out of range, are refused", async () => {
    expect((await ask({ n_predict: 5, max_tokens: 6 })).body.error).toMatchObject({
      param: "max_tokens",
      message: "`max_tokens` is given by two names, and they differ: give one",
    });
    for (const name of Object.keys(ALIASES))
      expect((await ask({ [name]: { a: 1 } })).body.error).toMatchObject({ param: name, code: "invalid_request" });
  });

  test("the openai client sends any of them", async () => {
    const ours = {
      typical_p: 0.9,
      dry_multiplier: 0.5,
      guided_choice: ["so", "thus"],
      stop_token_ids: [3],
      min_p: 0.02,
    };
    const { choices } = await server.client.chat.completions.create({
      ...{ model: "demo", messages: [{ role: "user" as const, content: "And" }], max_completion_tokens: 8, ...ours },
    });
    expect(["so", "thus"]).toContain(choices[0]!.message.content);
  });
});

describe("what nothing knows", () => {
  test("is ignored and named if it is empty or false", async () => {
    const given = { a: "", b: [], c: {}, d: false, e: null, guidance_scale: false };
    const answer = await ask(given);
    expect([answer.status, answer.headers.get("x-ggsl-ignored")]).toEqual([200, "a, b, c, d, guidance_scale"]);
    expect(textOf(answer)).toBe(textOf(await ask({})));
    for (const value of [0, 1, true, "x", [0], { a: null }])
      expect((await ask({ a: value })).body.error).toMatchObject({ param: "a", code: "unknown_parameter" });
    expect((await ask({ suffix: [], moderation: {} })).status).toBe(200);
    expect((await chat({ audio: {}, prediction: false, functions: {} })).status).toBe(200);
  });

  test("is refused with the sampler that says the same, if `ggsl import` knows it", async () => {
    for (const [name, value, sampler] of [
      ["epsilon_cutoff", 0.01, "epsilon(0.01)"],
      ["no_repeat_ngram_size", 3, "no_repeat_ngram(3)"],
      ["top_h", 0.4, "top_h(0.4)"],
    ] as const) {
      const { body } = await ask({ [name]: value });
      expect(body.error).toMatchObject({ param: name, code: "unknown_parameter" });
      const [, text] = /as in ("(?:[^"\\]|\\.)*")$/.exec(body.error!["message"] as string)!;
      expect(JSON.parse(text!)).toBe(`${sampler} |> dist()`);
      expect((await ask({ temperature: null, sampler: JSON.parse(text!) as string })).status).toBe(200);
    }
    expect((await ask({ min_length: 20 })).body.error!["message"]).toMatch(
      "`ggsl import --from huggingface` writes a program for it, which can be given as `sampler`",
    );
    expect((await ask({ no_such: 20 })).body.error!["message"]).toMatch(/: omit it$/);
  });
});
