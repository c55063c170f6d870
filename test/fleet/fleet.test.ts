/** Two replicas of `ggsl serve` behind nginx, with the files of examples/fleet. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { endAll, start, type Running } from "../cli/run.js";
import { DEMO_MODEL } from "../model/file.js";
import { needing } from "../needs.js";
import { NGINX, startNginx, type Nginx } from "./nginx.js";

/** nginx's buffer: an answer that it keeps comes in pieces of it. */
const BUFFER = 4096;
/** Tokens of a text that runs while others come, and ends within the time that a server gives it. */
const LONG = 400;
const OPTIONS = [
  "--backend",
  "cpu",
  "--sequences",
  "1",
  "--ctx-size",
  "4096",
  "--port",
  "0",
  "--trust-proxy",
  "127.0.0.1",
];

interface Replica {
  readonly process: Running;
  readonly url: string;
}

interface Ready {
  readonly running: number;
  readonly waiting: number;
}

let replicas: readonly [Replica, Replica];
let nginx: Nginx;

async function startReplica(env?: NodeJS.ProcessEnv): Promise<Replica> {
  const process = start(["serve", DEMO_MODEL, ...OPTIONS], { ...(env && { env }) });
  const [url] = /http:\S+\d/.exec(await process.until(/at http:\/\/\S+: 1 texts? of 4096 tokens/))!;
  return { process, url };
}

async function startFleet(env?: NodeJS.ProcessEnv): Promise<void> {
  replicas = await Promise.all([startReplica(env), startReplica(env)]);
  const [first, second] = replicas.map(({ url }) => Number(new URL(url).port));
  nginx = await startNginx([first!, second!]);
}

async function endFleet(): Promise<void> {
  await nginx?.close();
  endAll();
}

const stateOf = async ({ url }: Replica): Promise<Ready> => (await (await fetch(`${url}/ready`)).json()) as Ready;

/** Waits until the replicas are in a state. */
async function until(accepts: (states: readonly Ready[]) => boolean): Promise<void> {
  for (const begin = performance.now(); ; await wait(10)) {
    const states = await Promise.all(replicas.map(stateOf));
    if (accepts(states)) return;
    if (performance.now() - begin > 100_000) throw new Error(`still ${JSON.stringify(states)}`);
  }
}

const post = (path: string, body: object, signal?: AbortSignal): Promise<Response> =>
  fetch(nginx.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
const write = (fields: object, signal?: AbortSignal): Promise<Response> =>
  post("/v1/completions", { prompt: "In the beginning", ignore_eos: true, ...fields }, signal);
interface Text {
  readonly status: number;
  readonly tokens: number | undefined;
}
/** Writes a text that comes as one answer. */
async function textOf(fields: object): Promise<Text> {
  const answer = await write(fields);
  const { usage } = (await answer.json()) as { usage?: { completion_tokens: number } };
  return { status: answer.status, tokens: usage?.completion_tokens };
}

needing(NGINX).describe("behind nginx", () => {
  describe("two replicas that stay", () => {
    beforeAll(() => startFleet());
    afterAll(endFleet);

    test("tokens come as they are written, and a client that goes away frees the place", async () => {
      const client = new AbortController();
      const answer = await write({ max_tokens: 4000, stream: true }, client.signal);
      expect(answer.headers.get("content-type")).toMatch(/^text\/event-stream/);
      const reader = answer.body!.getReader();
      const [pieces, buffers] = [[] as number[], 5];
      while (pieces.reduce((sum, bytes) => sum + bytes, 0) < buffers * BUFFER) {
        const { value } = (await reader.read()) as { value?: Uint8Array };
        pieces.push(value!.length);
      }
      // a proxy that collects gives whole buffers; on a busy machine some events come together
      expect(pieces.filter((bytes) => bytes < BUFFER).length).toBeGreaterThan(buffers);
      await until((states) => states.some(({ running }) => running === 1));
      client.abort();
      await until((states) => states.every(({ running }) => running === 0));
    });

    test("both replicas write, and either knows a sampler by the id that one of them gave", async () => {
      const { id } = (await (await post("/v1/samplers", { sampler: "top_k(7) |> dist(3)" })).json()) as { id: string };
      const asked = Array.from({ length: 4 }, () => textOf({ sampler: id, max_tokens: 4 }));
      expect(await Promise.all(asked)).toEqual(Array.from({ length: 4 }, () => ({ status: 200, tokens: 4 })));
      const written = await Promise.all(
        Array.from({ length: 4 }, () => textOf({ max_tokens: 100 })).map(async (text) => (await text).status),
      );
      expect(written).toEqual([200, 200, 200, 200]);
      for (const { url } of replicas)
        expect(await (await fetch(`${url}/metrics`)).text()).toMatch(
          /ggsl_requests_total\{route="\/v1\/completions",status="200"\} [1-9]/,
        );
    });

    test("a refusal of the request itself comes back, and the metrics of a replica are its own", async () => {
      const odd = await write({ sampler: "gredy()" });
      expect([odd.status, await odd.text()]).toEqual([400, expect.stringContaining("unknown sampler `gredy`")]);
      expect((await write({ sampler: "no-such-id" })).status).toBe(404);
      expect((await write({ prompt: "x".repeat(2 ** 20) })).status).toBe(413);
      expect((await fetch(`${nginx.url}/metrics`)).status).toBe(404);
    });
  });

  describe("a replica that ends in the middle", () => {
    beforeEach(() => startFleet());
    afterEach(endFleet);

    /** A text on each replica, of which the stream's first event has come, and one more that waits for each. */
    async function busy(): Promise<{ begun: Response[]; waiting: Promise<Text>[] }> {
      const begun = await Promise.all([1, 2].map(() => write({ max_tokens: LONG, stream: true })));
      await until((states) => states.every(({ running }) => running === 1));
      const waiting = [1, 2].map(() => textOf({ max_tokens: 8 }));
      await until((states) => states.every((state) => state.waiting === 1));
      return { begun, waiting };
    }
    const WRITTEN = { status: 200, tokens: 8 };

    test("by SIGTERM writes what has begun; the other one writes the rest", async () => {
      const { begun, waiting } = await busy();
      const [first] = replicas;
      first.process.kill("SIGTERM");
      await first.process.until(/ending: running texts/);
      expect(await textOf({ max_tokens: 8 })).toEqual(WRITTEN);
      expect(await Promise.all(waiting)).toEqual([WRITTEN, WRITTEN]);
      for (const answer of begun) expect((await answer.text()).slice(-20)).toContain("data: [DONE]");
      expect((await first.process.ended).status).toBe(0);
      expect(first.process.output()).toMatch(/"status":503/);
      // its port takes no connection any more
      expect(await textOf({ max_tokens: 8 })).toEqual(WRITTEN);
    });

    test("by SIGKILL breaks off what it had; the other one writes the rest", async () => {
      const { begun, waiting } = await busy();
      replicas[0].process.kill("SIGKILL");
      const texts = await Promise.all(waiting.map((text) => text.catch(() => "broken")));
      expect(texts).toContainEqual(WRITTEN);
      expect(texts.filter((text) => text !== "broken" && JSON.stringify(text) !== JSON.stringify(WRITTEN))).toEqual([]);
      const ends = await Promise.allSettled(begun.map((answer) => answer.text()));
      const isWhole = (end: PromiseSettledResult<string>): boolean =>
        end.status === "fulfilled" && end.value.includes("data: [DONE]");
      expect(ends.filter(isWhole)).toHaveLength(1);
      expect(await textOf({ max_tokens: 8 })).toEqual(WRITTEN);
    });
  });

  describe("a request that ends a replica", () => {
    const folder = mkdtempSync(join(tmpdir(), "ggsl-fault-"));
    const fault = join(folder, "fault.mjs");
    // as a fault of native code would: at once, when the whole request is there
    writeFileSync(
      fault,
      `import http from "node:http";
const emit = http.Server.prototype.emit;
http.Server.prototype.emit = function (event, request, ...more) {
  if (event === "request" && "x-fault" in request.headers) request.once("end", () => process.kill(process.pid, "SIGKILL"));
  return emit.call(this, event, request, ...more);
};
`,
    );
    beforeEach(() => startFleet({ ...process.env, NODE_OPTIONS: `--import=${pathToFileURL(fault).href}` }));
    afterEach(endFleet);
    afterAll(() => rmSync(folder, { recursive: true }));

    const isDown = async ({ url }: Replica): Promise<boolean> =>
      fetch(`${url}/health`).then(
        () => false,
        () => true,
      );

    test.each([{}, { stream: true }])("is not sent to the next one: %j", async (more) => {
      const body = JSON.stringify({ prompt: "In the beginning", max_tokens: 4, ...more });
      const headers = { "content-type": "application/json", "x-fault": "1" };
      const answer = await fetch(`${nginx.url}/v1/completions`, { method: "POST", headers, body });
      expect(answer.status).toBe(502);
      const down = await Promise.all(replicas.map(isDown));
      expect(down.filter((one) => one)).toHaveLength(1);
      const other = replicas[down.indexOf(false)]!;
      expect(await (await fetch(`${other.url}/metrics`)).text()).not.toMatch(/ggsl_requests_total.*completions/);
      // the other one takes what comes
      const texts = await Promise.all([1, 2, 3].map(() => textOf({ max_tokens: 4 })));
      expect(texts).toEqual(Array(3).fill({ status: 200, tokens: 4 }));
    });
  });
});
