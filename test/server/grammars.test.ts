/** Grammars of strangers on a server without keys: what they cost others, and how they are refused. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { counted, slow, TOO_MANY_STEPS } from "../grammars/hostile.js";
import type { GrammarSource } from "../../runtime/grammars/types.js";
import { open, postFrom, type Opened } from "./open.js";

const TEMPLATE = "{% for m in messages %}{{ m.content }}{% endfor %}";

let server: Opened;
beforeAll(async () => {
  server = await open({ template: TEMPLATE });
});
afterAll(() => server.close(0));

const asking = (schema: object, more: object = {}) => ({
  messages: [{ role: "user", content: "In the beginning" }],
  max_tokens: 4,
  response_format: { type: "json_schema", json_schema: { name: "x", schema } },
  ...more,
});

const schemaOf = (source: GrammarSource): object => (source as { readonly jsonSchema: object }).jsonSchema;

async function longestHold(): Promise<number> {
  const text = await server.get("/metrics");
  return Number(/^ggsl_event_loop_hold_seconds (\S+)$/m.exec(text)![1]);
}

test.each([
  ["1 KB", schemaOf(slow(0))],
  ["7 KB", schemaOf(TOO_MANY_STEPS["40 objects of which one is right"]!)],
  ["660 KB", { anyOf: Array.from({ length: 10 }, () => counted(2500)) }],
])(
  "a schema of %s whose grammar would be large is a 400, and nothing of it runs on the server's thread",
  async (_, schema) => {
    await longestHold();
    const before = process.memoryUsage().heapUsed;
    const { status, body } = await server.post("/v1/chat/completions", asking(schema));
    // on the thread of the server it took 9 and 78 s
    expect(await longestHold()).toBeLessThan(2);
    expect([status, body.error]).toEqual([
      400,
      expect.objectContaining({
        code: "invalid_request",
        param: "response_format",
        message: expect.stringMatching(/^the JSON schema exceeds a limit: /) as unknown,
      }),
    ]);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(2 ** 27);
  },
);

test.each<[string, object, string, RegExp]>([
  [
    "sampler_params",
    {
      sampler: 'import { constrain, dist } from "std"\nchain c(g: grammar) = constrain(g) |> dist()',
      sampler_params: { g: { regex: "a(" } },
    },
    ...(["sampler_params.g", /^the regular expression does not parse: column 2: /] as const),
  ],
  [
    "a value that is no grammar",
    {
      sampler: 'import { constrain, dist } from "std"\nchain c(g: grammar) = constrain(g) |> dist()',
      sampler_params: { g: 3 },
    },
    ...(["sampler_params.g", /a grammar must be an object with one of `gbnf`/] as const),
  ],
])("what is wrong in %s is refused before a text begins, with its field", async (_, sent, param, message) => {
  const { status, body } = await server.post("/v1/completions", { prompt: "In", max_tokens: 3, ...sent });
  expect([status, body.error?.["param"], body.error?.["code"]]).toEqual([400, param, "invalid_request"]);
  expect(body.error?.["message"]).toMatch(message);
  // also of a stream
  const stream = await server.post("/v1/completions", { prompt: "In", max_tokens: 3, stream: true, ...sent });
  expect([stream.status, stream.body.error?.["param"]]).toEqual([400, param]);
});

test("clients with schemas that take seconds delay no other, and one of them has a number of grammars that wait", async () => {
  const url = `${server.url}/v1/chat/completions`;
  const post = async (from: string, schema: object) => postFrom(from, url, asking(schema));
  await post("127.0.0.9", { enum: ["warm"] });
  let done = 0;
  const hostile = Array.from({ length: 8 }, (_, i) =>
    post(`127.0.0.${2 + (i % 2)}`, schemaOf(slow(900 + i))).finally(() => done++),
  );
  for (let i = 0; i < 3; i++) {
    const properties = { [`p${i}`]: { enum: ["a", "b"] } };
    expect((await post("127.0.0.9", { type: "object", properties, required: [`p${i}`] })).status).toBe(200);
  }
  expect(done).toBeLessThan(hostile.length / 2);
  // the lane of the hostile ones is late: what it asks for waits behind them
  const more = Array.from({ length: 40 }, async (_, i) => {
    const answer = await post("127.0.0.2", { const: `c${i}` });
    if (answer.status !== 429) throw new Error(`found ${answer.status}`);
    return answer;
  });
  const refused = await Promise.any(more);
  const { error } = JSON.parse(refused.body) as { error: Record<string, unknown> };
  expect(error).toMatchObject({ code: "grammars_busy", type: "rate_limit_error", param: "response_format" });
  // the rest ends with the server
  for (const one of [...hostile, ...more]) one.catch(() => undefined);
});
