import { expect, test } from "@jest/globals";
import { PassThrough, Writable } from "node:stream";
import { openLog } from "../../server/requestLog.js";
import { Refusal } from "../../server/refusal.js";
import type { Answered } from "../../server/app.js";

const answered: Answered = {
  id: "id-1",
  client: "192.0.2.7",
  method: "POST",
  route: "/v1/completions",
  status: 200,
  milliseconds: 12.34,
  key: "alice",
  body: { prompt: "secret" },
  facts: {
    answer: "cmpl-1",
    sampler: "standard",
    user: undefined,
    waited: 0.0015,
    usage: {
      promptTokens: 5,
      cachedTokens: 2,
      takenBack: [],
      generatedTokens: 7,
      firstToken: 3.21,
      finishes: ["maxTokens"],
    },
  },
};

/** Takes every line at once. */
const into = (written: string[]): Writable =>
  new Writable({
    decodeStrings: false,
    write(line: string, _, done) {
      written.push(line);
      done();
    },
  });

function lines(withPrompts: boolean, ...all: readonly Answered[]): Record<string, unknown>[] {
  const written: string[] = [];
  const log = openLog({ form: "json", withPrompts, to: into(written) });
  for (const one of all) log.answered(one);
  return written.map((line) => {
    expect(line.match(/\n/g)).toHaveLength(1);
    const { time, ...fields } = JSON.parse(line) as Record<string, unknown>;
    expect(time).toMatch(/^\d{4}-.*Z$/);
    return fields;
  });
}

test("one line a request, without its prompt", () => {
  expect(lines(false, answered)).toEqual([
    {
      level: "info",
      message: "request",
      request_id: "id-1",
      client: "192.0.2.7",
      method: "POST",
      path: "/v1/completions",
      status: 200,
      ms: 12.3,
      key: "alice",
      answer_id: "cmpl-1",
      sampler: "standard",
      waited_ms: 1.5,
      prompt_tokens: 5,
      cached_tokens: 2,
      tokens: 7,
      first_token_ms: 3.2,
      finish: ["maxTokens"],
    },
  ]);
  expect(lines(true, answered)[0]).toMatchObject({ body: { prompt: "secret" } });
});

test("a refusal has its code, and a fault of the server its cause", () => {
  const refused = { ...answered, status: 400, facts: { error: new Refusal("invalid_request", "no") } };
  const failed = {
    ...answered,
    status: 500,
    facts: { error: new Refusal("internal_error", "the server failed", { cause: new Error("why") }) },
  };
  expect(lines(false, refused, failed)).toMatchObject([
    { level: "info", error: "invalid_request", reason: "no" },
    { level: "error", error: "internal_error", cause: expect.stringContaining("Error: why") as unknown },
  ]);
});

test("none where it is off", () => {
  const written: string[] = [];
  openLog({ form: "off", withPrompts: true, to: into(written) }).answered(answered);
  expect(written).toEqual([]);
});

test("texts of a client are cut, and how long they were is told", () => {
  const user = "u".repeat(900_000);
  const refused = {
    ...answered,
    status: 400,
    facts: { user, error: new Refusal("invalid_request", "x".repeat(900_000)) },
  };
  const [line] = lines(false, refused);
  expect(line!["user"]).toBe(`${"u".repeat(256)}... (900000 characters)`);
  expect(String(line!["reason"]).length).toBeLessThan(300);
});

test.each([
  ["nested 20 000 deep", JSON.parse("[".repeat(20_000) + "]".repeat(20_000)) as unknown],
  ["nested 200 000 deep", JSON.parse("[".repeat(200_000) + "]".repeat(200_000)) as unknown],
  ["with itself in it", ((self: { own?: unknown }) => (self.own = self))({})],
  ["of a number that JSON does not have", { n: 1n }],
  [
    "whose member throws",
    {
      get prompt(): string {
        throw new Error("no");
      },
    },
  ],
])("a body %s has a line, too", (_, body) => {
  expect(lines(true, { ...answered, body })).toMatchObject([
    { path: "/v1/completions", status: 200, body: "(object)" },
  ]);
});

test("a reader that stalls holds little memory, and is told what it missed", async () => {
  const stalled = new PassThrough();
  const log = openLog({ form: "json", withPrompts: true, to: stalled });
  const body = { prompt: "x".repeat(2 ** 16) };
  for (let i = 0; i < 300; i++) log.answered({ ...answered, body });
  expect(stalled.writableLength + stalled.readableLength).toBeLessThan(2 * 2 ** 20);
  const read = (async () => {
    let text = "";
    for await (const part of stalled) {
      text += String(part);
      if (text.includes("were dropped") && text.endsWith("\n")) break;
    }
    return text.trimEnd().split("\n");
  })();
  const all = (await read).map((line) => JSON.parse(line) as Record<string, unknown>);
  const written = all.filter(({ message }) => message === "request").length;
  expect(written).toBeGreaterThan(0);
  expect(all.at(-1)).toMatchObject({ level: "warn", lines: 300 - written });
});
