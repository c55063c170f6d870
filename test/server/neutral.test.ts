/** Values that ask for nothing, as clients send them with every request, beside chains that have no such uniform. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FIELDS, isNeutral, type Field } from "../../server/request/fields.js";
import { open, type Opened } from "./open.js";

/** As it was configured, nothing can be set. */
const HOUSE = 'import { greedy } from "std"\nchain house() = greedy()\n';
/** Some can, and not all values. */
const NARROW = `import { top_k, temp, dist } from "std"
sampler few(k: i32 = 1) {
  top 8
  keep rank < k
}
chain narrow(top_k: i32 in [1, 8] = 1, temperature: f32 in [0, 0.5] = 0.5, repetition_penalty: f32 = 1) =
  few(top_k) |> temp(temperature * repetition_penalty) |> dist()
`;

let folder: string;
let house: Opened;
let lenient: Opened;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-neutral-"));
  const file = (name: string, text: string): { name: string; file: string } => {
    writeFileSync(join(folder, `${name}.ggsl`), text);
    return { name, file: join(folder, `${name}.ggsl`) };
  };
  const samplers = [file("default", HOUSE), file("narrow", NARROW)];
  house = await open({ samplers, slots: [{ slot: 1, name: "narrow" }] });
  lenient = await open({ samplers, lenient: true, sequences: 2 });
});
afterAll(async () => {
  await house.close(0);
  await lenient.close(0);
  rmSync(folder, { recursive: true });
});

const PROMPT = { prompt: "In the beginning", max_tokens: 4 };
const ask = (to: Opened, fields: object) => to.post("/v1/completions", { ...PROMPT, ...fields });
const textOf = ({ body }: Awaited<ReturnType<typeof ask>>): unknown => (body["choices"] as { text: string }[])[0]!.text;

/** All fields with values that ask for nothing, as several clients send them. */
const NEUTRAL = {
  temperature: 1,
  top_p: 1,
  top_k: 0,
  min_p: 0,
  repeat_penalty: 1,
  repetition_penalty: 1,
  repeat_last_n: 64,
  frequency_penalty: 0,
  presence_penalty: 0,
  logit_bias: {},
  seed: -1,
  n: 1,
  best_of: 1,
  stop: "",
  echo: false,
  logprobs: false,
  suffix: "",
  min_tokens: 0,
  ignore_eos: false,
  stream: false,
  user: "",
  model: "",
  sampler: "",
  sampler_chain: "",
  sampler_params: {},
  sampler_inputs: {},
  measures: false,
  stream_options: null,
  id_slot: -1,
};

describe("beside a sampler of the server", () => {
  test("all at once are the same as none", async () => {
    const plain = await ask(house, {});
    expect(plain.status).toBe(200);
    for (const to of [house, lenient]) {
      const answer = await ask(to, NEUTRAL);
      expect([answer.status, textOf(answer), answer.headers.get("x-ggsl-ignored")]).toEqual([200, textOf(plain), null]);
    }
  });

  const values = Object.entries(FIELDS).flatMap(([name, field]) =>
    (field.on as readonly string[]).includes("completions")
      ? ((field as Field).neutral ?? []).map((value) => [name, value] as const)
      : [],
  );
  test.each([...values, ["logit_bias", { 5: 0, 6: 0 }] as const, ["top_k", -1] as const])(
    "%s: %j",
    async (name, value) => {
      expect(isNeutral(name, value)).toBe(true);
      expect((await ask(house, { [name]: value })).status).toBe(200);
      // and of the chain of a request
      expect((await ask(house, { sampler: "greedy()", ...{ [name]: value } })).status).toBe(200);
    },
  );

  test.each([
    ["temperature", 0.7],
    ["top_p", 0.9],
    ["top_k", 40],
    ["min_p", 0.1],
    ["repeat_penalty", 1.1],
    ["repetition_penalty", 1.1],
    ["repeat_last_n", 10],
    ["frequency_penalty", 0.5],
    ["presence_penalty", 0.5],
    ["logit_bias", { 5: 1 }],
    ["seed", 1],
  ])(
    "%s: %j is a wish that the chain cannot fulfil; a lenient server says that it has no effect",
    async (name, value) => {
      expect((await ask(house, { [name]: value })).body.error).toMatchObject({
        param: name,
        code: "parameter_not_in_sampler",
        message: expect.stringContaining(`declare it there, or omit \`${name}\``) as unknown,
      });
      const answer = await ask(lenient, { [name]: value, nothing: 1 });
      expect([answer.status, answer.headers.get("x-ggsl-ignored")]).toEqual([200, `nothing, ${name}`]);
      // who sends a sampler knows what it has
      expect((await ask(lenient, { sampler: "greedy()", [name]: value })).status).toBe(400);
    },
  );

  test("a stream of a lenient server has the header, too", async () => {
    const stream = await fetch(`${lenient.url}/v1/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...PROMPT, stream: true, top_p: 0.5 }),
    });
    expect(stream.headers.get("x-ggsl-ignored")).toBe("top_p");
    expect(await stream.text()).toContain("[DONE]");
  });

  test("a place with a sampler of its own, whose ranges do not have the value", async () => {
    const plain = await ask(house, { id_slot: 1, seed: 1 });
    const neutral = await ask(house, { ...NEUTRAL, id_slot: 1, seed: 1 });
    expect([neutral.status, textOf(neutral)]).toEqual([200, textOf(plain)]);
    expect((await ask(house, { id_slot: 1, temperature: 0.9 })).body.error).toMatchObject({
      param: "temperature",
      code: "invalid_request",
      message:
        "`temperature` must be at least 0 and at most 0.5 for the uniform `temperature` of this chain, found 0.9",
    });
  });
});

describe("beside a sampler of the request", () => {
  const program = 'import { temp, dist } from "std"\nchain c(temperature: f32 = 0) = temp(temperature) |> dist()';

  test("the uniform of the same name is set", async () => {
    const own = { sampler: 'import { temp, dist } from "std"\nchain c() = temp(1) |> dist()', seed: 4, max_tokens: 20 };
    const set = await ask(house, { ...own, sampler: program, temperature: 1 });
    expect(textOf(set)).toBe(textOf(await ask(house, own)));
    expect(textOf(set)).not.toBe(textOf(await ask(house, { ...own, sampler: program })));
  });

  test("sampler_params are what was asked for", async () => {
    const given = { sampler: program, sampler_params: { temperature: 0 }, seed: 4 };
    const both = await ask(house, { ...given, temperature: 1 });
    expect([both.status, textOf(both)]).toEqual([200, textOf(await ask(house, given))]);
    const wish = await ask(house, { ...given, temperature: 0.5 });
    expect(wish.body.error).toMatchObject({ param: "temperature", code: "invalid_request" });
  });
});

describe("of a conversation", () => {
  const TEMPLATE = "{% for m in messages %}{{ m.content }}{% endfor %}";
  const CHAT = { messages: [{ role: "user", content: "In the beginning" }], temperature: 0, max_tokens: 4 };
  let chats: Opened;
  beforeAll(async () => {
    chats = await open({ template: TEMPLATE, sequences: 2 });
  });
  afterAll(() => chats.close(0));
  const answerTo = async (fields: object): Promise<unknown> => {
    const { status, body } = await chats.post("/v1/chat/completions", { ...CHAT, ...fields });
    return status === 200
      ? (body["choices"] as { message: { content: string } }[])[0]!.message.content
      : { status, ...body };
  };

  const values = Object.entries(FIELDS).flatMap(([name, field]) =>
    (field.on as readonly string[]).includes("chat")
      ? ((field as Field).neutral ?? []).map((value) => [name, value] as const)
      : [],
  );
  test.each(values.filter(([name]) => name !== "temperature" && name !== "max_completion_tokens"))(
    "%s: %j",
    async (name, value) => {
      expect(await answerTo({ [name]: value })).toBe(await answerTo({}));
    },
  );

  test("-1 is no limit but the context, for the length of a text and for the window of penalties", async () => {
    const rest = { max_tokens: null, ignore_eos: true };
    const whole = await answerTo(rest);
    expect(await answerTo({ ...rest, max_tokens: -1, max_completion_tokens: -1 })).toBe(whole);
    expect(await answerTo({ max_completion_tokens: -1 })).toBe(await answerTo({}));
    const { body } = await chats.post("/v1/completions", { prompt: "And", max_tokens: -1, ignore_eos: true });
    expect(body["usage"]).toMatchObject({ total_tokens: 256 });
    const repeated = { ...rest, max_tokens: 100, repeat_penalty: 1.5 };
    expect(await answerTo({ ...repeated, repeat_last_n: -1 })).toBe(
      await answerTo({ ...repeated, repeat_last_n: 256 }),
    );
  });

  test("a stop text that is empty is none of several", async () => {
    const plain = String(await answerTo({}));
    const stop = plain.slice(4, 6);
    expect(await answerTo({ stop: ["", stop] })).toBe(plain.slice(0, plain.indexOf(stop)));
  });

  test("what no field has is refused by its name", async () => {
    for (const [fields, param] of [
      [{ messages: [] }, "messages"],
      [{ messages: null }, "messages"],
      [{ messages: [null] }, "messages[0]"],
      [{ stop: [null] }, "stop[0]"],
      [{ response_format: { type: "" } }, "response_format.type"],
      [{ tools: [null] }, "tools[0]"],
    ] as const)
      expect(await answerTo(fields)).toMatchObject({ status: 400, error: { param } });
  });
});

describe("a lenient server", () => {
  const fields = {
    suffix: "x",
    echo: true,
    best_of: 5,
    stream_options: { include_usage: true, include_obfuscation: true },
  };

  test("ignores what is known and not done, and names it", async () => {
    for (const [name, value] of Object.entries(fields))
      expect((await ask(house, { [name]: value })).body.error).toMatchObject({
        param: name,
        code: "unsupported_parameter",
      });
    const answer = await ask(lenient, fields);
    expect([answer.status, answer.headers.get("x-ggsl-ignored")]).toEqual([
      200,
      "suffix, echo, best_of, stream_options.include_obfuscation",
    ]);
    expect(textOf(answer)).toBe(textOf(await ask(lenient, {})));
  });

  test("does what is done of a field", async () => {
    const { stream_options } = fields;
    const stream = await fetch(`${lenient.url}/v1/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...PROMPT, stream: true, stream_options }),
    });
    expect(stream.headers.get("x-ggsl-ignored")).toBe("stream_options.include_obfuscation");
    expect(await stream.text()).toContain('"usage":{"prompt_tokens"');
  });

  test("refuses what is wrong", async () => {
    for (const wrong of [{ temperature: "hot" }, { echo: 5 }, { n: 0 }, { stop: {} }])
      expect((await ask(lenient, wrong)).status).toBe(400);
  });
});

test("best_of is n, or asks for nothing", async () => {
  for (const more of [{ n: 2, best_of: 2 }, { n: 2, best_of: 1 }, { best_of: 1 }])
    expect((await ask(house, more)).status).toBe(200);
  expect((await ask(house, { n: 2, best_of: 3 })).body.error).toMatchObject({
    param: "best_of",
    message: "`best_of` cannot be 3: it must be `n`, or 1: texts that are not returned are not written",
  });
});

test("two names of the same penalty are one wish", async () => {
  const plain = await open({ sequences: 1 });
  try {
    const text = async (fields: object): Promise<unknown> =>
      textOf(await ask(plain, { temperature: 0, max_tokens: 30, ...fields }));
    const penalized = await text({ repeat_penalty: 1.8 });
    expect(await text({ repetition_penalty: 1.8 })).toBe(penalized);
    expect(await text({ repetition_penalty: 1.8, repeat_penalty: 1 })).toBe(penalized);
    expect(penalized).not.toBe(await text({}));
    const both = await ask(plain, { repetition_penalty: 1.8, repeat_penalty: 1.2 });
    expect(both.body.error).toMatchObject({ code: "invalid_request" });
  } finally {
    await plain.close(0);
  }
});
