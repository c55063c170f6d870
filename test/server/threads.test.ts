/** The threads that compile: what happens to those that take too long or too much memory, end, or do not start. */
import { describe, expect, test } from "@jest/globals";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { workerScript } from "../../server/samplers/script.js";
import { folder, openStore, refusalOf } from "./store.js";

describe("threads", () => {
  const LONG = `chain c = s()\nsampler s() {\n${"  logit = tanh(logit) + 1\n".repeat(150)}}\n`;

  test("one that takes too long is replaced, and others are not harmed", async () => {
    await using hurried = openStore({ deadline: 1 });
    const [slow, others] = await Promise.all([
      refusalOf(hurried.get({ sampler: LONG })),
      Promise.all([1, 2].map((k) => refusalOf(hurried.get({ sampler: `${LONG}// ${k}` })))),
    ]);
    expect([slow.reason, slow.status, slow.param]).toEqual(["compile_limit", 400, "sampler"]);
    expect(slow.message).toBe("the sampler cannot be compiled: it takes more than 1 ms to compile");
    expect(others.map(({ reason }) => reason)).toEqual(["compile_limit", "compile_limit"]);
  });

  test("one that takes too much memory is replaced", async () => {
    await using small = openStore({ memory: 12 });
    // a list of lists takes 40 times the memory of its text
    const refusal = await refusalOf(small.get({ sampler: `{"nodes":[${"[],".repeat(340_000)}[]]}` }));
    expect([refusal.reason, refusal.message]).toEqual(["compile_limit", expect.stringMatching(/more than 12 MB/)]);
    await expect(small.get({ sampler: "dist(9)" })).resolves.toMatchObject({ picks: true });
  });

  test("one whose memory does not suffice for the compiler itself is an answer, not a loop", async () => {
    await using tiny = openStore({ memory: 4 });
    expect((await refusalOf(tiny.get({ sampler: "dist()" }))).reason).toBe("compile_failed");
  });

  test("the thread of the sources compiles as well", async () => {
    await using own = openStore({ script: workerScript() });
    await expect(own.get({ sampler: "dist(9)" })).resolves.toMatchObject({ picks: true });
  });

  test("one that ends: its source is tried again once, then refused; the others are compiled", async () => {
    const script = join(folder, "dies.mjs");
    // it ends at the first source of its process's life, and at any that contains "die"
    writeFileSync(
      script,
      `import { workerData } from "node:worker_threads";
import { existsSync, writeFileSync } from "node:fs";
const mark = ${JSON.stringify(join(folder, "mark"))};
const { port } = workerData;
port.on("message", ({ id, request: { source } }) => {
  if (source.text.includes("die") || !existsSync(mark)) {
    writeFileSync(mark, "");
    process.exit(3);
  }
  port.postMessage({ id, answer: { kind: "invalid", diagnostics: [] } });
});
port.postMessage({ id: 0 });
`,
    );
    const errors: string[] = [];
    const note = (fields: object, message: string): void => void errors.push(`${message}: ${JSON.stringify(fields)}`);
    const log = { info: note, warn: note, error: note };
    await using fragile = openStore({ script: { url: pathToFileURL(script), execArgv: [] }, log });
    expect((await refusalOf(fragile.get({ sampler: "once()" }))).reason).toBe("invalid_sampler");
    expect(errors).toHaveLength(1);
    const [dead, fine] = await Promise.all([
      refusalOf(fragile.get({ sampler: "die()" })),
      refusalOf(fragile.get({ sampler: "fine()" })),
    ]);
    expect([dead.reason, dead.status, fine.reason]).toEqual(["compile_failed", 500, "invalid_sampler"]);
    expect(dead.message).toBe("the sampler cannot be compiled: the compiler failed");
    expect(errors).toHaveLength(4);
  });

  test("one that does not start is an answer, not a crash", async () => {
    await using absent = openStore({ script: { url: pathToFileURL(join(folder, "absent.mjs")), execArgv: [] } });
    expect((await refusalOf(absent.get({ sampler: "dist()" }))).reason).toBe("compile_failed");
  });

  test("too many sources: the longest lane's last is refused", async () => {
    await using crowded = openStore({ waiting: 2 });
    const client = (id: string) => ({ client: { lane: id, limits: { cost: {} } } });
    const greedy = Promise.allSettled([1, 2, 3, 4].map((k) => crowded.get({ sampler: `top_k(${k})` }, client("a"))));
    const modest = crowded.get({ sampler: "top_k(9)" }, client("b"));
    await expect(modest).resolves.toMatchObject({ picks: false });
    const refused = (await greedy).flatMap((r) => (r.status === "rejected" ? [r.reason as unknown] : []));
    expect(refused.length).toBeGreaterThan(0);
    for (const reason of refused) expect(reason).toMatchObject({ reason: "compiler_busy", status: 429, retryAfter: 2 });
  });

  test("a source that waits in one lane is compiled at the turn of another that asks for it, too", async () => {
    await using store = openStore();
    const client = (lane: string) => ({ client: { lane, limits: { cost: {} } } });
    const compiled: string[] = [];
    const get = async (k: number, lane: string): Promise<void> => {
      await store.get({ sampler: `top_k(${k}) |> dist()` }, client(lane));
      compiled.push(`${lane}${k}`);
    };
    const greedy = Array.from({ length: 20 }, (_, k) => get(k + 1, "a"));
    await Promise.all([...greedy, get(20, "b")]);
    expect(compiled.indexOf("b20")).toBeLessThan(4);
  });

  test("a lane has a quarter of those that wait", async () => {
    await using store = openStore({ waiting: 8 });
    const client = { client: { lane: "a", limits: { cost: {} } } };
    const asked = Array.from({ length: 9 }, (_, k) => store.get({ sampler: `top_k(${k + 1})` }, client));
    const results = await Promise.allSettled(asked);
    expect(results.filter(({ status }) => status === "rejected").length).toBeGreaterThanOrEqual(6);
    expect(results.filter(({ status }) => status === "fulfilled").length).toBeGreaterThanOrEqual(2);
  });

  test("a closed store refuses", async () => {
    const closed = openStore();
    const waiting = refusalOf(closed.get({ sampler: "dist()" }));
    await closed.close();
    expect((await waiting).reason).toBe("shutting_down");
    expect((await refusalOf(closed.get({ sampler: "dist(1)" }))).status).toBe(503);
  });
});
