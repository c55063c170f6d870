/** Drafts of texts that requests ask for. */
import { describe, expect, test } from "@jest/globals";
import { DEMO_MODEL } from "../model/file.js";
import { eventsOf, open, type Opened } from "./open.js";

const VERSE = "In the beginning God created the heaven and the earth. ";
const TEXT = { prompt: VERSE.repeat(3) + "In the beginning God", max_tokens: 24, temperature: 0 };
interface Usage {
  readonly completion_tokens: number;
  readonly completion_tokens_details?: {
    readonly accepted_prediction_tokens: number;
    readonly rejected_prediction_tokens: number;
  };
}
const ask = async (to: Opened, fields: object = {}) => {
  const { status, body } = await to.post("/v1/completions", { ...TEXT, ...fields });
  return {
    status,
    error: body.error,
    texts: (body["choices"] as { text: string }[] | undefined)?.map(({ text }) => text),
    usage: body["usage"] as Usage,
  };
};

async function withServer(options: Parameters<typeof open>[0], use: (server: Opened) => Promise<void>): Promise<void> {
  const server = await open(options);
  try {
    await use(server);
  } finally {
    await server.close(0);
  }
}

describe("drafts", () => {
  test.each([
    ["lookup", { lookup: true }, { speculate: { lookup: { min: 1, tokens: 4 } } }],
    ["draft model", { draftModel: DEMO_MODEL }, { speculate: { draft: { tokens: 3 } } }],
  ])("by %s are the same texts, and tell what was accepted", async (_, options, asked) => {
    await withServer(options, async (server) => {
      const plain = await ask(server, { speculate: false });
      expect([plain.error, plain.usage.completion_tokens_details]).toEqual([undefined, undefined]);
      let accepted = 0;
      for (const fields of [{}, { speculate: true }, asked, { ...asked, n: 3 }]) {
        const { texts, usage } = await ask(server, fields);
        expect(texts!.every((text) => text === plain.texts![0])).toBe(true);
        const details = usage.completion_tokens_details!;
        expect(details.rejected_prediction_tokens).toBeGreaterThanOrEqual(0);
        accepted += details.accepted_prediction_tokens;
      }
      // drafts pause where they seem to cost more than they gain, as on a busy machine
      for (let more = 0; accepted === 0 && more < 20; more++)
        accepted += (await ask(server, asked)).usage.completion_tokens_details!.accepted_prediction_tokens;
      expect(accepted).toBeGreaterThan(0);
      // with a sampler, a grammar and chance
      const drawn = { sampler: "top_k(4) |> dist()", grammar: 'root ::= [a-z ]+ "."', temperature: null, seed: 3 };
      const [one, other] = [await ask(server, drawn), await ask(server, { ...drawn, speculate: false })];
      expect([one.error, one.texts]).toEqual([undefined, other.texts]);
      const stream = await fetch(`${server.url}/v1/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...TEXT, stream: true, stream_options: { include_usage: true } }),
      });
      const events = eventsOf(await stream.text()) as { choices: { text: string }[]; usage: Usage | null }[];
      expect(events.flatMap(({ choices }) => choices.map(({ text }) => text)).join("")).toBe(plain.texts![0]);
      expect(events.at(-1)!.usage!.completion_tokens_details).toBeDefined();
      const counted = /^ggsl_drafted_tokens_total\{result="accepted"\} (\d+)$/m.exec(await server.get("/metrics"));
      expect(Number(counted![1])).toBeGreaterThanOrEqual(accepted);
    });
  });

  test("a request chooses, and what the server does not have is refused", async () => {
    await withServer({ lookup: true, draftModel: DEMO_MODEL, sequences: 2 }, async (server) => {
      const plain = await ask(server, { speculate: false });
      for (const speculate of [{ lookup: true }, { draft: true }, { lookup: true, draft: false }, null])
        expect((await ask(server, { speculate })).texts).toEqual(plain.texts);
      expect((await ask(server, { speculate: {} })).usage.completion_tokens_details).toBe(undefined);
      for (const [speculate, param, message] of [
        [
          { lookup: true, draft: true },
          "speculate",
          "`speculate` must have `lookup` or `draft`, and has both: give one",
        ],
        [{ lookup: { tokens: 33 } }, "speculate.lookup.tokens", "an integer from 1 to 32"],
        [{ model: "x" }, "speculate.model", "expected `lookup`, `draft`"],
        [5, "speculate", "true or false or an object"],
      ] as const)
        expect(await ask(server, { speculate })).toMatchObject({
          status: 400,
          error: { param, message: expect.stringContaining(message) as unknown },
        });
    });
    await withServer({ sequences: 1 }, async (server) => {
      expect((await ask(server, { speculate: true })).status).toBe(200);
      for (const [speculate, option] of [
        [{ lookup: true }, "--lookup"],
        [{ draft: { tokens: 2 } }, "--draft-model FILE"],
      ] as const)
        expect((await ask(server, { speculate })).error).toMatchObject({
          param: "speculate",
          code: "unsupported_parameter",
          message: expect.stringContaining(`start the server with \`${option}\``) as unknown,
        });
    });
  });

  test("a draft model that is none ends the start", async () => {
    await expect(open({ draftModel: "package.json" })).rejects.toThrow(/package\.json/);
  });
});
