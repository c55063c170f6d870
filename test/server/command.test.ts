/** `ggsl serve`, as it was built. */
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endAll, start, type Running } from "../cli/run.js";
import type { ServeOptions } from "../../server/config/options.js";
import { DEMO_MODEL } from "../model/file.js";
import { open } from "./open.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-serve-"));
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(endAll);

const SMALL = ["--backend", "cpu", "--sequences", "2", "--ctx-size", "2048"];
const serve = (...args: readonly string[]): Running => start(["serve", DEMO_MODEL, ...SMALL, ...args]);
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

async function addressOf(server: Running): Promise<string> {
  return /http:\S+\d/.exec(await server.until(/at http:\/\/\S+: 2 texts of 2048 tokens/))![0];
}

test("two servers on one port, and the end of one", async () => {
  const server = serve("--port", "0");
  const url = await addressOf(server);
  const { port } = new URL(url);
  const second = serve("--port", port);
  expect((await second.ended).status).toBe(1);
  expect(second.output()).toBe(
    `error: cannot listen at 127.0.0.1 port ${port}: another program has it: end that, or choose another --port\n`,
  );
  const answer = await fetch(`${url}/v1/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ prompt: "And", max_tokens: 300, ignore_eos: true, stream: true }),
  });
  server.kill("SIGTERM");
  await server.until(/ending: running texts/);
  expect((await fetch(`${url}/ready`)).status).toBe(503);
  expect(await answer.text()).toContain("[DONE]");
  expect((await server.ended).status).toBe(0);
  expect(server.output()).toMatch(/"path":"\/v1\/completions","status":200,.*"tokens":300/);
});

test("names of the model, and a server that takes any", async () => {
  const own = file("own.ggsl", 'import { greedy } from "std"\nchain c() = greedy()\n');
  const server = serve("--port", "0", "--alias", "first", "--alias", "second", "--sampler", `own=${own}`, "--lenient");
  const url = await addressOf(server);
  expect(server.output()).toContain("first on cpu at ");
  await server.until(
    /clients of OpenAI's API have the base http:\S+\/v1, those of Anthropic's and Ollama's http:\S+; .* lists the paths/,
  );
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string }[] };
  expect(data.map(({ id }) => id)).toEqual(["first", "second", "first:own"]);
  const answer = await fetch(`${url}/v1/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-request-id": "own-1" },
    body: JSON.stringify({ model: "gpt-4o", prompt: "And", max_tokens: 1 }),
  });
  expect([answer.status, answer.headers.get("x-ggsl-ignored")]).toEqual([200, "model"]);
  await server.until(
    /"request_id":"own-1","client":"127.0.0.1","method":"POST","path":"\/v1\/completions","status":200/,
  );
});

test("SIGINT ends it as SIGTERM does", async () => {
  const server = serve("--port", "0");
  await addressOf(server);
  server.kill("SIGINT");
  expect((await server.ended).status).toBe(0);
  expect(server.output()).toMatch(/ending: running texts/);
});

test("a model that cannot be loaded ends the start with the reason", async () => {
  const run = start(["serve", "package.json"]);
  expect((await run.ended).status).toBe(1);
  expect(run.output()).toBe('error: not a GGUF file: package.json does not start with "GGUF"\n');
});

test("--check ends with 0, and a server without keys that others reach is warned of", async () => {
  const own = file("own.ggsl", 'import { greedy } from "std"\nchain c() = greedy()\n');
  const check = serve(
    "--check",
    "--host",
    "0.0.0.0",
    "--sampler",
    `own=${own}`,
    "--slot",
    "1=own",
    "--cors",
    "http://localhost:3000",
    "*",
  );
  expect((await check.ended).status).toBe(0);
  expect(check.output()).toBe(
    "warning: 0.0.0.0 is reached from other machines, and no key is asked for: give --api-keys FILE\nthe configuration is right\n",
  );
});

test("a flag under which a thread ends the process is warned of", async () => {
  const env = { ...process.env, NODE_OPTIONS: "--max-semi-space-size=64" };
  const check = start(["serve", DEMO_MODEL, ...SMALL, "--check"], { env });
  expect((await check.ended).status).toBe(0);
  expect(check.output()).toBe(
    "warning: with Node.js's --max-semi-space-size=64, a request that needs much memory can end the server: start it without that flag\nthe configuration is right\n",
  );
});

/** In this process: without the start of another one. */
test.each([
  [{ model: "no-such.gguf" }, 'the model file "no-such.gguf" does not exist'],
  [{ samplers: [{ name: "bad", file: "bad.ggsl" }] }, 'the sampler "bad" cannot be used:\nerror[E0204]'],
  [{ samplers: [{ name: "bad", file: "none.ggsl" }] }, "none.ggsl"],
  [{ samplers: [{ name: "open", file: "open.ggsl" }] }, "its chain `c` does not pick a token"],
  [{ slots: [{ slot: 5, name: "x" }] }, "a place is a number from 0 to 3"],
  [{ slots: [{ slot: 1, name: "x" }] }, "the place 1 has the sampler `x`, which is none of the server's"],
  [{ apiKeys: "keys" }, "line 1"],
  [{ limits: { wrk: 5 } }, 'there is no cost "wrk" to limit'],
  [{ contextSize: 2 ** 24 }, "4 sequences of 16777216 tokens need a context of"],
  [{ cors: ["https://example.org/"] }, "did you mean https://example.org?"],
  [{ cors: ["example.org"] }, 'such as http://localhost:3000, found "example.org"'],
  [{ files: "no-such-folder" }, "no-such-folder"],
  [{ alias: ["a", ""] }, "the name of a model must be a text that is not empty"],
] as const)("%j", async (options, message) => {
  file("bad.ggsl", 'import { nope } from "std"\nchain c() = nope()\n');
  file("open.ggsl", 'import { top_k } from "std"\nchain c() = top_k(4)\n');
  file("keys", "sk-long-enough alice nonsense=1\n");
  const given: Partial<ServeOptions> = options;
  const placed = {
    ...given,
    ...(given.samplers && { samplers: given.samplers.map((one) => ({ ...one, file: join(folder, one.file) })) }),
    ...(given.apiKeys !== undefined && { apiKeys: join(folder, given.apiKeys) }),
  };
  await expect(open(placed)).rejects.toMatchObject({
    name: "InputError",
    message: expect.stringContaining(message) as unknown,
  });
});
