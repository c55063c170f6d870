/** Workers that are lost, and addresses where no worker answers: errors with a code, soon, and this process goes on. */
import { afterAll, afterEach, expect, test } from "@jest/globals";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { InputError } from "../../runtime/core/errors.js";
import { loadModel } from "../../runtime/models/model.js";
import type { LoadModelOptions } from "../../runtime/models/options.js";
import { endAll, start } from "../cli/run.js";
import { DEMO_MODEL } from "../model/file.js";
import { openRemote } from "../../runtime/backends/remote/model.js";
import { readServers } from "../../runtime/backends/devices/servers.js";
import { open, until } from "../server/open.js";
import { pretend, startWorker } from "./workers.js";

afterEach(endAll);
const folder = mkdtempSync(join(tmpdir(), "ggsl-rpc-"));
afterAll(() => rmSync(folder, { recursive: true }));

const CHAIN = compilePipeline("top_k(40) |> temp(0.8) |> dist(seed: 42)");
const SETTINGS = { contextSize: 256, threads: 1 } as const;

async function faultOf(servers: readonly string[], options: LoadModelOptions = {}): Promise<InputError> {
  const begin = performance.now();
  const error: unknown = await loadModel(DEMO_MODEL, { ...options, servers }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  // the limit is four seconds; a busy machine takes some more to start a process
  expect(performance.now() - begin).toBeLessThan(60_000);
  expect(error).toBeInstanceOf(InputError);
  return error as InputError;
}

test("a worker that is killed in the middle of a text is an error, and the text so far is kept", async () => {
  const [first, second] = [await startWorker(), await startWorker()];
  const servers = [first, second].map(({ port }) => `127.0.0.1:${port}=cpu`);
  const model = await loadModel(DEMO_MODEL, { ...SETTINGS, servers });
  let [text, count] = ["", 0];
  const write = async (): Promise<void> => {
    for await (const piece of model.generate("In the beginning", { chain: CHAIN, maxTokens: 200 })) {
      text += piece.text;
      if (++count === 8) second.kill("SIGKILL");
    }
  };
  const lost = { code: "LOST_SERVER", message: expect.stringContaining(`127.0.0.1:${second.port}`) };
  await expect(write()).rejects.toMatchObject(lost);
  expect(count).toBeGreaterThanOrEqual(8);
  expect(text.length).toBeGreaterThan(8);
  await expect(model.lost).resolves.toMatchObject(lost);
  await expect(write()).rejects.toMatchObject(lost);
  expect(model.tokenize("the").length).toBeGreaterThan(0);
  model.dispose();
  // the other worker is free for the next model
  using again = await loadModel(DEMO_MODEL, { ...SETTINGS, servers: servers.slice(0, 1) });
  expect(again.device).toMatch(/^RPC/);
});

test("addresses, kinds, parts and other options that cannot be are refused before anything is asked", async () => {
  const cases: readonly (readonly [servers: readonly string[], message: string, options?: LoadModelOptions])[] = [
    [["nowhere"], "HOST:PORT"],
    [["::1:50052"], "IPv4"],
    [["127.0.0.1:65536"], "from 1 to 65535, found 65536"],
    [["127.0.0.1:0"], "from 1 to 65535, found 0"],
    [["127.0.0.1:50052=tpu"], "cpu, vulkan, cuda, other"],
    [["127.0.0.1:50052", "127.0.0.1:50052=cpu"], "twice"],
    [[], "1 to 16 addresses, found 0"],
    [["127.0.0.1:1"], "`backend` cannot be given", { backend: "cpu" }],
    [["127.0.0.1:1"], "`device` cannot be given", { device: 0 }],
    [["127.0.0.1:1"], "`gpuLayers` is 0", { gpuLayers: 0 }],
    [["127.0.0.1:1"], "`split[0]` must be a finite number", { split: [NaN] }],
  ];
  for (const [servers, message, options] of cases)
    expect(await faultOf(servers, options)).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(message),
    });
});

test("the same worker under two names, and parts that do not fit its devices", async () => {
  const { port } = await startWorker();
  expect((await faultOf([`127.0.0.1:${port}`, `localhost:${port}`])).message).toContain("twice");
  for (const split of [[1, 1], [0], [-1]])
    expect((await faultOf([`127.0.0.1:${port}`], { split })).message).toContain(
      `one number for each of the 1 devices, none below 0 and one above it, found ${split.join(", ")}`,
    );
});

test("what is no worker: silence, garbage, another version, no device, nothing", async () => {
  const hello = (...bytes: readonly number[]): Buffer =>
    Buffer.concat([Buffer.from([28, 0, 0, 0, 0, 0, 0, 0]), Buffer.from(bytes), Buffer.alloc(28 - bytes.length)]);
  const count = (devices: number): Buffer => Buffer.from([4, 0, 0, 0, 0, 0, 0, 0, devices, 0, 0, 0]);
  const cases = [
    ["does not answer within 4 s", await pretend(() => undefined)],
    ["another program listens there", await pretend((socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"))],
    ["version 3.6.1", await pretend((socket) => socket.write(hello(3, 6, 1)))],
    ["no device", await pretend((socket) => socket.write(Buffer.concat([hello(7, 0, 0), count(0)])))],
    ["closed the connection", await pretend((socket) => socket.end())],
  ] as const;
  await Promise.all(
    cases.map(async ([reason, { port }]) => {
      expect(await faultOf([`127.0.0.1:${port}`])).toMatchObject({
        code: "SERVER_UNAVAILABLE",
        message: expect.stringContaining(reason),
      });
    }),
  );
  const gone = cases[0][1];
  for (const [, { close }] of cases) await close();
  expect((await faultOf([`127.0.0.1:${gone.port}`])).message).toContain("nothing listens there");
});

test("a worker that answers the handshake and then garbage ends only the process of the model", async () => {
  const { port, close } = await pretend((socket) => {
    let isGreeted = false;
    socket.on("data", () => {
      if (!isGreeted) socket.write(Buffer.concat([Buffer.from([28, 0, 0, 0, 0, 0, 0, 0, 7]), Buffer.alloc(27)]));
      else socket.write(Buffer.from([4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255]));
      isGreeted = true;
    });
  });
  expect(await faultOf([`127.0.0.1:${port}`])).toMatchObject({ code: "LOST_SERVER" });
  await close();
});

test("a worker that goes silent after the handshake ends the load, by its limit of time or by a signal", async () => {
  const hello = Buffer.concat([Buffer.from([28, 0, 0, 0, 0, 0, 0, 0, 7]), Buffer.alloc(27)]);
  const greeted = new Set<number>();
  let connections = 0;
  // each second connection is ggml's own
  const { port, close } = await pretend((socket) => {
    const number = connections++;
    if (number % 2 > 0) return;
    socket.on("data", () => {
      socket.write(greeted.has(number) ? Buffer.from([4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]) : hello);
      greeted.add(number);
    });
  });
  const endpoint = `127.0.0.1:${port}`;
  const options = { servers: readServers([endpoint]), gpuLayers: 99 };
  const late = openRemote(DEMO_MODEL, options, {}, { adding: 3000, loading: 3000 }).catch((error: unknown) => error);
  expect(await late).toMatchObject({ code: "LOST_SERVER", message: expect.stringContaining("stood still for 3 s") });
  const signal = AbortSignal.timeout(3000);
  await expect(loadModel(DEMO_MODEL, { servers: [endpoint], signal })).rejects.toMatchObject({ name: "TimeoutError" });
  await close();
});

test("a server on two workers loads its model again when one was lost: requests that ran fail, others wait, and it is not ready meanwhile", async () => {
  const [other, worker] = [await startWorker(), await startWorker()];
  const servers = [other, worker].map(({ port }) => `127.0.0.1:${port}=cpu`);
  const server = await open({ servers, backend: "auto", sequences: 1, contextSize: 2048 });
  const ask = (tokens: number) =>
    server.post("/v1/completions", { prompt: "In the beginning", max_tokens: tokens, ignore_eos: true, seed: 1 });
  const before = await ask(8);
  const running = ask(1900);
  const waiting = [ask(8), ask(8)];
  await until(server, (state) => state.running === 1 && state.waiting === 2);
  worker.kill("SIGKILL");
  expect(await running).toMatchObject({ status: 503, body: { error: { code: "model_lost" } } });
  expect(JSON.parse(await server.get("/ready"))).toMatchObject({ status: "loading" });
  const again = start(["worker", "--backend", "cpu", "--threads", "1", "--listen", `127.0.0.1:${worker.port}`]);
  await again.until(/lends CPU/);
  for (const answer of await Promise.all(waiting)) {
    expect(answer.status).toBe(200);
    expect(answer.body["choices"]).toEqual(before.body["choices"]);
  }
  expect(JSON.parse(await server.get("/ready"))).toMatchObject({ status: "ready" });
  await server.close();
});

test("the command warns at an address that others reach, refuses one that is taken, and ends by Ctrl-C", async () => {
  const { port, ...worker } = await startWorker("--cache", join(folder, "made"));
  expect(existsSync(join(folder, "made"))).toBe(true);
  expect(worker.output()).not.toContain("warning");
  const second = start(["worker", "--listen", `127.0.0.1:${port}`]);
  await second.until(/cannot listen at 127\.0\.0\.1:\d+: another program has it/);
  expect((await second.ended).status).toBe(1);
  worker.kill("SIGINT");
  await worker.ended;
  const open = start(["worker", "--backend", "cpu", "--listen", `0.0.0.0:${port}`]);
  await open.until(/warning: .*no authentication/);
  await open.until(/lends CPU/);
  open.kill("SIGINT");
  await open.ended;
});

test("weights that a worker was killed while it wrote are removed from its cache, and no other file", async () => {
  const cache = mkdtempSync(join(folder, "cache-"));
  writeFileSync(join(cache, "0123456789abcdef"), "a part");
  writeFileSync(join(cache, "notes.txt"), "newer");
  await startWorker("--cache", cache);
  expect(readdirSync(cache)).toEqual(["notes.txt"]);
});

test("the command line takes workers and parts", async () => {
  const { port } = await startWorker();
  const run = start(["run", "-e", "greedy()", "--rpc", `127.0.0.1:${port}=cpu`, "-n", "4", "--json"]);
  expect((await run.ended).status).toBe(0);
  expect(JSON.parse(run.output())).toMatchObject({ backend: "rpc", stats: { generatedTokens: 4 } });
  const wrong = start(["run", "-e", "greedy()", "--split", "1,x"]);
  expect((await wrong.ended).status).toBe(2);
  expect(wrong.output()).toContain("as in 3,1");
});
