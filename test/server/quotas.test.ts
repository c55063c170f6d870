/** Tokens that keys may have in a minute. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import OpenAI from "openai";
import type { ApiKey } from "../../server/keys/file.js";
import { Quotas } from "../../server/keys/quotas.js";
import type { Refusal } from "../../server/refusal.js";
import { open, type Opened } from "./open.js";

const keyOf = (tokensPerMinute: number, id = "a"): ApiKey => ({
  id,
  name: id,
  limits: { requests: Infinity, texts: Infinity, tokens: Infinity, tokensPerMinute, cost: {} },
});

describe("an account", () => {
  test("has its tokens at once, and they come back in a minute", () => {
    let now = 0;
    const quotas = new Quotas(() => now);
    const key = keyOf(600);
    quotas.begin(key, 600, () => 0);
    expect(quotas.headersOf(key)).toEqual({
      "x-ratelimit-limit-tokens": "600",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "1m0s",
    });
    const refused = (tokens: number): Partial<Refusal> => {
      try {
        quotas.begin(key, tokens, () => 0);
      } catch (error) {
        return error as Refusal;
      }
      throw new Error("it was taken");
    };
    expect(refused(30)).toMatchObject({ reason: "rate_limit_exceeded", status: 429, retryAfter: 3 });
    now += 2000;
    expect(refused(30)).toMatchObject({ retryAfter: 1 });
    now += 1000;
    quotas.begin(key, 30, () => 0);
    now += 60_000;
    expect(quotas.headersOf(key)).toMatchObject({
      "x-ratelimit-remaining-tokens": "600",
      "x-ratelimit-reset-tokens": "0s",
    });
    // of another key
    quotas.begin(keyOf(5, "b"), 5, () => 0);
    expect(quotas.headersOf(key)["x-ratelimit-remaining-tokens"]).toBe("600");
  });

  test("counts the tokens of texts as they are written, and each once", () => {
    let now = 0;
    let written = 0;
    const quotas = new Quotas(() => now);
    const key = keyOf(60);
    const left = (): number => Number(quotas.headersOf(key)["x-ratelimit-remaining-tokens"]);
    const use = quotas.begin(key, 10, () => written);
    written = 20;
    expect([left(), left()]).toEqual([30, 30]);
    written = 100;
    expect(left()).toBe(0);
    use[Symbol.dispose]();
    expect(() => quotas.begin(key, 1, () => 0)).toThrow("try again in 51 s");
    now += 51_000;
    quotas.begin(key, 1, () => 0);
    expect(left()).toBe(0);
  });

  test("a prompt that is larger than a minute's tokens needs all of them", () => {
    let now = 0;
    const quotas = new Quotas(() => now);
    quotas.begin(keyOf(60), 90, () => 0);
    now += 60_000;
    expect(() => quotas.begin(keyOf(60), 90, () => 0)).toThrow(/try again in 30 s/);
    now += 30_000;
    quotas.begin(keyOf(60), 90, () => 0);
  });

  test("in the long run no key has more than its rate, whatever it sends", () => {
    const steps = fc.array(
      fc.record({ wait: fc.nat(20_000), prompt: fc.integer({ min: 1, max: 400 }), text: fc.nat(300) }),
      {
        minLength: 20,
        maxLength: 200,
      },
    );
    fc.assert(
      fc.property(steps, fc.integer({ min: 50, max: 1000 }), (requests, most) => {
        let [now, used] = [0, 0];
        const quotas = new Quotas(() => now);
        for (const { wait, prompt, text } of requests) {
          now += wait;
          try {
            quotas.begin(keyOf(most), prompt, () => text)[Symbol.dispose]();
            // what it had and what came back covers all before this request
            expect(used + Math.min(prompt, most)).toBeLessThanOrEqual(most + (most * now) / 60_000 + 1e-6);
            used += prompt + text;
          } catch (error) {
            if ((error as Refusal).reason !== "rate_limit_exceeded") throw error;
          }
        }
      }),
      { numRuns: 50, seed: 2 },
    );
  });
});

describe("a server", () => {
  let folder: string;
  let server: Opened;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "ggsl-quotas-"));
    const apiKeys = join(folder, "keys");
    writeFileSync(apiKeys, "sk-alice-1 alice tokens_per_minute=40\nsk-bob-0001 bob\n");
    server = await open({ apiKeys });
  });
  afterAll(async () => {
    await server.close(0);
    rmSync(folder, { recursive: true });
  });
  const ask = (secret: string, fields: object = {}) =>
    server.post(
      "/v1/completions",
      { prompt: "In the beginning", max_tokens: 4, ignore_eos: true, ...fields },
      {
        authorization: `Bearer ${secret}`,
      },
    );

  test("tells what is left, and refuses what is not", async () => {
    const first = await ask("sk-alice-1");
    expect([first.status, first.headers.get("x-ratelimit-limit-tokens")]).toEqual([200, "40"]);
    expect(Number(first.headers.get("x-ratelimit-remaining-tokens"))).toBe(35);
    const second = await ask("sk-alice-1", { max_tokens: 60 });
    expect(second.status).toBe(200);
    expect(Number(second.headers.get("x-ratelimit-remaining-tokens"))).toBeLessThanOrEqual(27);
    const third = await ask("sk-alice-1");
    expect([third.status, third.body.error]).toEqual([
      429,
      expect.objectContaining({ code: "rate_limit_exceeded", type: "rate_limit_error" }),
    ]);
    expect(Number(third.headers.get("retry-after"))).toBeGreaterThan(30);
    const other = await ask("sk-bob-0001");
    expect([other.status, other.headers.get("x-ratelimit-limit-tokens")]).toEqual([200, null]);
  });

  test("the openai client has the error, with its headers", async () => {
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "sk-alice-1", maxRetries: 0 });
    const refused = client.completions.create({ model: "demo", prompt: "And", max_tokens: 1 });
    await expect(refused).rejects.toThrow(OpenAI.RateLimitError);
    await expect(refused).rejects.toMatchObject({ code: "rate_limit_exceeded" });
  });
});
