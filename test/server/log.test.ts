import { expect, test } from "@jest/globals";
import { openLog } from "../../server/requestLog.js";
import { Refusal } from "../../server/refusal.js";
import type { Answered } from "../../server/app.js";

const answered: Answered = {
  ...{ method: "POST", route: "/v1/completions", status: 200, milliseconds: 12.34, key: "alice" },
  body: { prompt: "secret" },
  facts: {
    ...{ sampler: "standard", user: undefined, waited: 0.0015 },
    usage: { promptTokens: 5, cachedTokens: 2, generatedTokens: 7, firstToken: 3.21, finishes: ["maxTokens"] },
  },
};

function lines(withPrompts: boolean, ...all: readonly Answered[]): Record<string, unknown>[] {
  const written: string[] = [];
  const log = openLog({ form: "json", withPrompts, write: (line) => written.push(line) });
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
      ...{ level: "info", message: "request", method: "POST", path: "/v1/completions", status: 200, ms: 12.3 },
      ...{ key: "alice", sampler: "standard", waited_ms: 1.5, prompt_tokens: 5, cached_tokens: 2, tokens: 7 },
      ...{ first_token_ms: 3.2, finish: ["maxTokens"] },
    },
  ]);
  expect(lines(true, answered)[0]).toMatchObject({ body: { prompt: "secret" } });
});

test("a refusal has its code, and a fault of the server its cause", () => {
  const refused = { ...answered, status: 400, facts: { error: new Refusal("invalid_request", "no") } };
  const failed = {
    ...{ ...answered, status: 500 },
    facts: { error: new Refusal("internal_error", "the server failed", { cause: new Error("why") }) },
  };
  expect(lines(false, refused, failed)).toMatchObject([
    { level: "info", error: "invalid_request", reason: "no" },
    { level: "error", error: "internal_error", cause: expect.stringContaining("Error: why") as unknown },
  ]);
});

test("none where it is off", () => {
  const written: string[] = [];
  openLog({ form: "off", withPrompts: true, write: (line) => written.push(line) }).answered(answered);
  expect(written).toEqual([]);
});
