/** Whatever a client sends, the answer is a refusal in the one form, never a fault of the server; and what is right is done. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { METHODS } from "node:http";
import { connect } from "node:net";
import { headerNames, headerText } from "../../server/http/headers.js";
import { checkShape, readJson } from "../../server/http/json.js";
import { most } from "../../server/http/limits.js";
import { PATHS } from "../../server/request/forms.js";
import { FIELDS, fieldsOn } from "../../server/request/fields.js";
import { open, type Opened } from "./open.js";

const TEMPLATE = `{% for m in messages %}{{ m.content }}{% for call in m.tool_calls or [] %}{{ call.function.arguments | tojson }}{% endfor %}{% endfor %}`;
const COMPLETIONS = "/v1/completions";
const CHAT = "/v1/chat/completions";

let server: Opened;
let lenient: Opened;
beforeAll(async () => {
  server = await open({ template: TEMPLATE, contextSize: 512 });
  lenient = await open({ template: TEMPLATE, lenient: true, sequences: 2 });
});
afterAll(async () => {
  await server.close(0);
  await lenient.close(0);
});

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const chained = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const wide = (members: number, name = (i: number) => `k${i}`): string =>
  `{${Array.from({ length: members }, (_, i) => `${JSON.stringify(name(i))}:1`).join(",")}}`;

/** The form of every refusal. */
const FORM = {
  error: {
    message: expect.any(String) as unknown,
    type: expect.stringMatching(/_error$/) as unknown,
    code: expect.stringMatching(/^[a-z_]+$/) as unknown,
  },
};

/** The whole answer to bytes. */
function raw(bytes: string | Buffer, to = server): Promise<{ status: number; head: string; body: string }> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const socket = connect(Number(new URL(to.url).port), "127.0.0.1");
    socket.on("data", (part: Buffer) => parts.push(part)).on("error", () => undefined);
    socket.on("close", () => {
      const [head = "", ...rest] = Buffer.concat(parts).toString().split("\r\n\r\n");
      resolve({ status: Number(head.split(" ")[1]), head, body: rest.join("\r\n\r\n") });
    });
    socket.on("end", () => socket.end());
    socket.write(bytes);
  });
}

const get = (path: string, headers = ""): Buffer =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${headers}\r\n`, "latin1");
const BODY = '{"prompt":"And","max_tokens":1}';
const post = (headers: string, body: string | Buffer = BODY): Buffer =>
  Buffer.concat([
    Buffer.from(`POST ${COMPLETIONS} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${headers}\r\n`, "latin1"),
    Buffer.from(body),
  ]);
const LENGTH = `content-length: ${BODY.length}\r\n`;
const JSON_TYPE = "content-type: application/json\r\n";

describe("shapes", () => {
  test.each([
    [nested(most("depth")), undefined],
    [nested(most("depth") + 1), "depth"],
    [nested(500_000), "depth"],
    [chained(most("depth") + 1), "depth"],
    [wide(most("members")), undefined],
    [wide(most("members") + 1), "members"],
    [`{"logit_bias":${wide(most("members") + 1, String)}}`, undefined],
    [`{"logit_bias":${wide(most("tokenMembers") + 1, String)}}`, "tokenMembers"],
    [`[${"0,".repeat(most("items") - 1)}0]`, undefined],
    [`[${"0,".repeat(most("items"))}0]`, "items"],
    [`[${"[0],".repeat(most("values") / 2)}0]`, "values"],
    [`{"${"n".repeat(most("nameLength") - 1)}":1}`, undefined],
    [`{"${"n".repeat(most("nameLength") + 1)}":1}`, "nameLength"],
    [`{"a":"${"[".repeat(1000)}","b":"\\"${"{".repeat(1000)}"}`, undefined],
  ])("%#: %.20s", (text, limit) => {
    const read = (): unknown => readJson(text);
    if (limit === undefined) expect(read()).toEqual(JSON.parse(text));
    else
      expect(read).toThrow(
        expect.objectContaining({
          reason: "request_too_complex",
          message: expect.stringContaining(String(most(limit as "depth"))) as unknown,
        }),
      );
  });

  test("a name that is written with escapes is that name", () => {
    for (const name of ["__proto__", "\\u005f_proto__", "__prot\\u006f__"])
      expect(() => readJson(`{"a":[{"${name}":{}}]}`)).toThrow(/`__proto__`/);
    expect(() => checkShape(`{"a":${nested(1000)}}`)).toThrow(expect.objectContaining({ param: "a" }));
    expect(() => checkShape(`{"\\u0061":${nested(1000)}}`)).toThrow(expect.objectContaining({ param: "a" }));
  });

  test("any text is read or refused", () => {
    for (const text of ["]", "}]", '"', '"\\', "{{{", "[,", ",", "]]][[[", '{"a', "nul", "1e", "\\", '{"a":1,}'])
      expect(() => readJson(text)).toThrow(expect.objectContaining({ reason: "invalid_json" }));
  });

  test("the largest body is looked through in a small part of the time that reading it takes at most", () => {
    // not a measure of speed: a check that is not linear would take minutes
    for (const text of [
      `[${"0,".repeat(2 ** 19 - 2)}0]`,
      JSON.stringify("x".repeat(2 ** 20)),
      `"${'\\"'.repeat(2 ** 19)}"`,
      nested(2 ** 19),
    ]) {
      const start = performance.now();
      try {
        checkShape(text);
      } catch {
        // too many
      }
      expect(performance.now() - start).toBeLessThan(2000);
    }
  });
});

describe("bodies", () => {
  const shapes = {
    deep: nested(5000),
    deeper: nested(400_000),
    chain: chained(20_000),
    wide: wide(5000),
    wider: wide(70_000),
  };

  const NEEDED = {
    chat: '"messages":[{"role":"user","content":"a"}],"max_tokens":1',
    completions: '"prompt":"a"',
    logits: '"prompt":"a"',
    template: '"messages":[{"role":"user","content":"a"}]',
    tokenize: '"content":"a"',
    detokenize: '"tokens":[1]',
  } as const;
  /** That take any object. */
  const OPEN_FIELDS = ["chat_template_kwargs", "prompt_cache_options", "json_schema", "guided_json"];

  test.each(Object.keys(FIELDS))("`%s` of any shape", async (field) => {
    for (const endpoint of FIELDS[field as keyof typeof FIELDS].on) {
      for (const [name, shape] of Object.entries(shapes)) {
        // the last of two members of one name counts
        const { status, body } = await server.post(PATHS[endpoint], `{${NEEDED[endpoint]},"${field}":${shape}}`);
        const isRight = OPEN_FIELDS.includes(field) && name === "wide";
        expect([field, name, status]).toEqual([field, name, isRight ? 200 : expect.any(Number)]);
        if (isRight) continue;
        expect([400, 413]).toContain(status);
        expect(body).toMatchObject(FORM);
      }
    }
  });

  const tool = (parameters: string): string =>
    `{"messages":[{"role":"user","content":"a"}],"max_tokens":1,"tools":[{"type":"function","function":{"name":"f","parameters":${parameters}}}]}`;
  const withArguments = (given: string): string =>
    `{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":${given}}}]}],"max_tokens":1}`;
  const inText = (value: string): string => JSON.stringify(`{"a":${value}}`);
  test.each([
    ["a schema of a tool", CHAT, tool(chained(5000)), "tools"],
    ["arguments", CHAT, withArguments(chained(5000)), "messages"],
    ["arguments as a text", CHAT, withArguments(inText(nested(5000))), "messages[0].tool_calls[0].function.arguments"],
    [
      "arguments as a text",
      CHAT,
      withArguments(inText(nested(200_000))),
      "messages[0].tool_calls[0].function.arguments",
    ],
    [
      "a member that nothing knows",
      CHAT,
      `{"messages":[{"role":"user","content":"a","x":${nested(5000)}}]}`,
      "messages",
    ],
    [
      "a grammar",
      COMPLETIONS,
      `{"prompt":"a","sampler":"constrain() |> dist()","sampler_params":{"grammar":{"jsonSchema":${chained(5000)}}}}`,
      "sampler_params",
    ],
    ["a spec", "/v1/samplers", `{"sampler":${chained(5000)}}`, "sampler"],
    ["a field that nothing knows", COMPLETIONS, `{"prompt":"a","nothing":${nested(5000)}}`, "nothing"],
  ])("%s that is deep", async (_, path, body, param) => {
    for (const to of [server, lenient])
      expect((await to.post(path, body)).body.error).toMatchObject({ code: "request_too_complex", param });
  });

  test("a spec that is deep, as a text", async () => {
    const { status, body } = await server.post("/v1/samplers", { sampler: chained(20_000) });
    expect([status, body.error!["code"]]).toEqual([400, "invalid_sampler"]);
  });

  test.each([
    [
      "no UTF-8",
      post(`${JSON_TYPE}content-length: 13\r\n`, Buffer.from('{"prompt":"\xff"', "latin1")),
      400,
      "invalid_json",
    ],
    ["a charset", post(`content-type: application/json; charset=utf-16\r\n${LENGTH}`), 415, "unsupported_media_type"],
    ["an encoding", post(`${JSON_TYPE}content-encoding: gzip\r\n${LENGTH}`), 415, "unsupported_media_type"],
    ["no type", post(LENGTH), 415, "unsupported_media_type"],
    ["no body", post(`${JSON_TYPE}content-length: 0\r\n`, ""), 400, "invalid_json"],
    ["a broken type", post(`content-type: ;;=\r\n${LENGTH}`), 415, "unsupported_media_type"],
    ["a type that is too long", post(`content-type: ${"x".repeat(9000)}\r\n${LENGTH}`), 415, "unsupported_media_type"],
    ["a type of other letters", post(`content-type: \xff\xfe\r\n${LENGTH}`), 415, "unsupported_media_type"],
    ["a form", post(`content-type: multipart/form-data; boundary=x\r\n${LENGTH}`), 415, "unsupported_media_type"],
    ["too many bytes", post(`${JSON_TYPE}content-length: 99999999\r\n`, ""), 413, "request_too_large"],
    ["two lengths", post(`${JSON_TYPE}${LENGTH}${LENGTH}`), 400, "malformed_request"],
    ["a length below zero", post(`${JSON_TYPE}content-length: -1\r\n`), 400, "malformed_request"],
    ["chunks without a size", post(`${JSON_TYPE}transfer-encoding: chunked\r\n`, "zz\r\n"), 400, "malformed_request"],
    [
      "a chunk with long extensions",
      post(`${JSON_TYPE}transfer-encoding: chunked\r\n`, `5;${"x".repeat(20_000)}\r\n`),
      413,
      "request_too_large",
    ],
    ["another transfer", post(`${JSON_TYPE}transfer-encoding: gzip\r\n`), 400, "malformed_request"],
    ["an expectation", post(`${JSON_TYPE}${LENGTH}expect: tea\r\n`), 417, "expectation_failed"],
    ["large headers", post(`${JSON_TYPE}${LENGTH}x-a: ${"a".repeat(20_000)}\r\n`), 431, "headers_too_large"],
    ["many headers", post(`${JSON_TYPE}${LENGTH}${"x-a: a\r\n".repeat(40_000)}`), 431, "headers_too_large"],
  ])("with %s", async (_, bytes, status, code) => {
    const answer = await raw(bytes);
    expect([answer.status, answer.body]).toEqual([status, expect.stringContaining(`"code":"${code}"`)]);
    expect(answer.head).toMatch(/content-type: application\/json/i);
  });

  test("as they may be", async () => {
    for (const headers of [
      `${JSON_TYPE}expect: 100-continue\r\n`,
      "content-type: Application/JSON; charset=UTF-8\r\n",
      `${JSON_TYPE}content-encoding: identity\r\n`,
    ])
      expect((await raw(post(headers + LENGTH))).head).toMatch(/^HTTP\/1.1 (?:200|100)/);
    const biases = Object.fromEntries(Array.from({ length: 300 }, (_, token) => [token, -1]));
    expect((await server.post(COMPLETIONS, { prompt: "And", max_tokens: 1, logit_bias: biases })).status).toBe(200);
  });
});

describe("addresses and methods", () => {
  test.each([
    ["/%", 400, "malformed_request"],
    ["/v1/models/%", 400, "malformed_request"],
    ["/v1/models/%ff", 400, "malformed_request"],
    ["/\xe9", 400, "malformed_request"],
    ["/v1/models/%00", 404, "unknown_model"],
    ["/v1/nothing", 404, "unknown_route"],
    ["//", 404, "unknown_route"],
    [`/${"a".repeat(9000)}`, 414, "url_too_long"],
    [`/v1/models/${"a".repeat(9000)}`, 414, "url_too_long"],
    [`/${"a".repeat(30_000)}`, 414, "url_too_long"],
    [`/?${"a".repeat(300_000)}`, 414, "url_too_long"],
    [COMPLETIONS, 405, "method_not_allowed"],
  ])("%.20s", async (path, status, code) => {
    const answer = await raw(get(path));
    expect([answer.status, answer.body]).toEqual([status, expect.stringContaining(`"code":"${code}"`)]);
  });

  test("each method on each kind of path", async () => {
    for (const [path, taken] of [
      [COMPLETIONS, ["POST"]],
      ["/v1/models", ["GET", "HEAD"]],
      ["/v1/models/demo", ["GET", "HEAD"]],
      ["/", ["GET", "HEAD"]],
      ["/nothing", []],
    ] as const)
      for (const method of METHODS) {
        if ((taken as readonly string[]).includes(method)) continue;
        const { status, head, body } = await raw(
          `${method} ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
        );
        // one that opens a tunnel has no path
        expect([method, path, status]).toEqual([method, path, taken.length > 0 || method === "CONNECT" ? 405 : 404]);
        if (status === 405 && method !== "CONNECT") expect(head).toContain(`allow: ${taken.join(", ")}`);
        if (method !== "HEAD") expect(JSON.parse(body)).toMatchObject(FORM);
      }
  });

  test("no HTTP", async () => {
    for (const text of [
      "hello\r\n\r\n",
      "FOO / HTTP/1.1\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "GET / HTTP/1.1\r\nconnection: close\r\n\r\n",
      "\x16\x03\x01\x02",
    ]) {
      const { status, body } = await raw(text);
      expect([text, status]).toEqual([text, 400]);
      expect(JSON.parse(body)).toMatchObject({ error: { code: "malformed_request" } });
    }
  });

  test("bodies that are not sent whole", async () => {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(post(`${JSON_TYPE}content-length: 1000\r\n`, '{"prompt":'), () => socket.resetAndDestroy());
    await new Promise((resolve) => socket.once("close", resolve));
    expect(await server.get("/health")).toBe('{"status":"ok"}');
  });
});

describe("names in headers", () => {
  const NAMES = ["é", "名", "a\nb", "a\r\nset-cookie: x", "\u0000", "a,b", "\ud800", "n".repeat(1000), ""];

  test.each(NAMES)("%j of a field that nothing knows", async (name) => {
    for (const stream of [false, true]) {
      const body = JSON.stringify({ prompt: "And", max_tokens: 1, stream, [name]: 1 });
      const answer = await fetch(lenient.url + COMPLETIONS, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("x-ggsl-ignored")).toMatch(/^[\x20-\x7e]{0,1024}$/);
      expect(answer.headers.get("set-cookie")).toBeNull();
      expect(await answer.text()).toContain(stream ? "[DONE]" : '"choices"');
    }
  });

  test("many of them", async () => {
    const fields = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${"ü".repeat(100)}${i}`, 1]));
    const { status, headers } = await lenient.post(COMPLETIONS, { prompt: "And", max_tokens: 1, ...fields });
    expect([status, headers.get("x-ggsl-ignored")]).toEqual([
      200,
      expect.stringMatching(/^[\x20-\x7e]{100,1024}, and \d+ more$/),
    ]);
    // too long for a name at all
    const { body } = await lenient.post(COMPLETIONS, { prompt: "And", ["n".repeat(100_000)]: 1 });
    expect(body.error).toMatchObject({ code: "request_too_complex" });
  });

  test("a refusal has no more of a client's text than it needs", async () => {
    for (const fields of [
      { model: "m".repeat(900_000) },
      { tool_choice: "t".repeat(900_000) },
      { ["n".repeat(1000)]: 1 },
      { stop: Array<string>(100_000).fill("x") },
    ]) {
      const { status, body } = await server.post(CHAT, { messages: [{ role: "user", content: "a" }], ...fields });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(JSON.stringify(body).length).toBeLessThan(3000);
    }
  });

  test("are made of visible ASCII", () => {
    expect(headerText("naïve\r\n")).toBe("na\\u00efve\\u000d\\u000a");
    expect(headerText("x".repeat(5000))).toHaveLength(1024);
    expect(headerNames(["a", "b,c", "é"])).toBe("a, b\\,c, \\u00e9");
    expect(headerNames(Array.from({ length: 100_000 }, (_, i) => `name${i}`))).toMatch(/^name0, .*, and \d+ more$/);
  });
});

describe("what a chain does not have", () => {
  const asked = async (fields: object) =>
    (await server.post(COMPLETIONS, { prompt: "And", max_tokens: 1, ...fields })).body;

  test("is refused, and not ignored in silence", async () => {
    const sampler =
      'input boost: f32\nsampler add() { logit = logit + boost }\nimport { dist } from "std"\nchain c = add() |> dist()';
    const boost = Array<number>(2048).fill(0);
    expect((await asked({ sampler, sampler_inputs: { boost, other: [1] } })).error).toMatchObject({
      code: "parameter_not_in_sampler",
      param: "sampler_inputs.other",
      message: expect.stringContaining("its inputs are `boost`") as unknown,
    });
    expect(await asked({ sampler, sampler_inputs: { boost } })).toHaveProperty("choices");
    for (const more of [{}, { sampler: "greedy()" }])
      expect((await asked({ ...more, sampler_inputs: { other: { 1: 2 } } })).error).toMatchObject({
        code: "parameter_not_in_sampler",
      });
    expect((await asked({ sampler: "greedy()", sampler_params: { other: 1 } })).error).toMatchObject({
      code: "invalid_request",
    });
    for (const [name] of fieldsOn("completions").filter(([, { support }]) => support === "no"))
      expect((await asked({ [name]: "x" })).error).toMatchObject({ code: "unsupported_parameter" });
  });
});
