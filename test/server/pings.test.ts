/** Streams that wait for a place: pings keep proxies and clients from giving them up. */
import { afterEach, expect, test } from "@jest/globals";
import Anthropic from "@anthropic-ai/sdk";
import { open, until, type Opened } from "./open.js";

let server: Opened;
afterEach(() => server.close(0));

/** A server whose one place is taken until `free` is called. */
async function taken(): Promise<{ readonly free: () => void }> {
  server = await open({
    sequences: 1,
    contextSize: 4096,
    template: "{% for m in messages %}{{ m.content }}{% endfor %}",
  });
  const abort = new AbortController();
  const body = { prompt: "In the beginning", max_tokens: 4000, ignore_eos: true, stream: true };
  const long = await send("/v1/completions", body, abort.signal);
  await long.body!.getReader().read();
  await until(server, ({ running }) => running === 1);
  return { free: () => abort.abort() };
}

const send = (path: string, body: object, signal?: AbortSignal): Promise<Response> =>
  fetch(server.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

const messages = [{ role: "user", content: "And God said" }];
const waiting = { max_tokens: 3, stream: true, sse_ping_interval: 1 };

test("each API's stream has pings before its first event, and the same text", async () => {
  const { free } = await taken();
  const comment = ": ping\n\n";
  const asked = [
    ["/v1/chat/completions", { messages, ...waiting }, comment],
    ["/v1/completions", { prompt: "And God said", ...waiting }, comment],
    ["/v1/responses", { input: "And God said", stream: true, max_output_tokens: 3, sse_ping_interval: 1 }, comment],
    ["/v1/messages", { messages, ...waiting }, 'event: ping\ndata: {"type":"ping"}\n\n'],
  ] as const;
  // the headers come with the first ping, while the place is taken
  const answers = await Promise.all(asked.map(([path, body]) => send(path, body)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  free();
  for (const [i, answer] of answers.entries()) {
    const [path, , ping] = asked[i]!;
    const text = await answer.text();
    expect([path, text.startsWith(ping)]).toEqual([path, true]);
    expect([path, text]).toEqual([
      path,
      expect.stringMatching(/\[DONE\]|response\.(completed|incomplete)|message_stop/),
    ]);
  }
});

test("the client of OpenAI and that of Anthropic read over them", async () => {
  const { free } = await taken();
  const anthropic = new Anthropic({ baseURL: server.url, apiKey: "none", maxRetries: 0 });
  const own = { sse_ping_interval: 1 };
  const base = { model: "demo", messages: [{ role: "user" as const, content: "And God said" }], ...own };
  const message = anthropic.messages.stream({ ...base, max_tokens: 3 }).finalMessage();
  const chat = server.client.chat.completions.stream({ ...base, max_completion_tokens: 3 }).finalChatCompletion();
  setTimeout(free, 1500);
  expect((await message).usage.output_tokens).toBe(3);
  expect((await chat).choices[0]!.finish_reason).toBe("length");
});

test("a refusal after a ping is an event; without pings it has its status", async () => {
  await taken();
  const [pinged, silent] = [
    send("/v1/messages", { messages, ...waiting }),
    send("/v1/messages", { messages, ...waiting, sse_ping_interval: 0 }),
  ];
  const answer = await pinged;
  await server.close(0);
  expect([answer.status, await answer.text()]).toEqual([
    200,
    expect.stringMatching(/^event: ping\n[^]*event: error\ndata: .*shutting_down/),
  ]);
  expect((await silent).status).toBe(503);
});

test("intervals that are none are refused", async () => {
  server = await open();
  for (const ssePingInterval of [-2, 1.5, 4000])
    await expect(open({ ssePingInterval })).rejects.toThrow("`ssePingInterval` must be an integer from -1 to 3600");
  const { status, body } = await server.post("/v1/completions", { prompt: "a", sse_ping_interval: -2 });
  expect([status, body.error!["param"]]).toEqual([400, "sse_ping_interval"]);
});
