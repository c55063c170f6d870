/** Requests between two ends of a port, and to a thread that is ended. */
import { afterEach, describe, expect, test } from "@jest/globals";
import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { AbortError, InputError, ModelError } from "../../runtime/core/errors.js";
import { answerRequests, nodePort, Requests } from "../../runtime/core/requests.js";
import { Thread, ThreadEnded } from "../../runtime/core/threads.js";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const port of open.splice(0)) port.close();
});

/** Both ends of a channel. */
function ends() {
  const { port1, port2 } = new MessageChannel();
  open.push(port1, port2);
  return [nodePort(port1), nodePort(port2)] as const;
}

test("answers find their requests in any order, after their notes", async () => {
  const [here, there] = ends();
  const requests = new Requests<number, string, string>(here);
  const waiting: (() => void)[] = [];
  answerRequests<number, string, string>(there, (request, note) => {
    if (request === 0) return "at once";
    note(`begins ${request}`);
    return new Promise((resolve) => waiting.unshift(() => resolve(`done ${request}`)));
  });
  const seen: string[] = [];
  const ask = async (n: number): Promise<void> =>
    void seen.push(await requests.ask(n, { onNote: (note) => seen.push(note) }));
  const both = Promise.all([ask(1), ask(2)]);
  expect([requests.size, requests.first]).toEqual([2, 1]);
  await ask(0);
  for (const end of waiting) end();
  await both;
  expect(seen).toEqual(["begins 1", "begins 2", "at once", "done 2", "done 1"]);
  expect([requests.size, requests.isStarted]).toEqual([0, true]);
});

test("errors keep their class, code and members", async () => {
  const [here, there] = ends();
  const requests = new Requests<number, string>(here);
  const errors = [
    new InputError("a", { code: "TEMPLATE_REFUSED" }),
    new ModelError("MODEL_CRASH", "b"),
    new AbortError(),
    Object.assign(new TypeError("c"), { code: "E_C", call: 3, not: {} }),
  ];
  answerRequests<number, string>(there, (n) => {
    throw errors[n]!;
  });
  const thrown = await Promise.all(
    errors.map((_, n) =>
      requests.ask(n).then(
        () => new Error("none"),
        (error: unknown) => error as Error,
      ),
    ),
  );
  expect(thrown).toEqual([
    expect.objectContaining({ name: "InputError", code: "TEMPLATE_REFUSED", message: "a" }),
    expect.objectContaining({ name: "ModelError", code: "MODEL_CRASH", message: "b" }),
    expect.objectContaining({ name: "AbortError", code: "ABORTED" }),
    expect.objectContaining({ name: "TypeError", code: "E_C", call: 3, message: "c" }),
  ]);
  expect(thrown.slice(0, 3).map((error) => error.constructor)).toEqual([InputError, ModelError, AbortError]);
  expect(Object.hasOwn(thrown[3]!, "not")).toBe(false);
});

test("one that is aborted, and one that cannot be sent, are over; the others go on", async () => {
  const [here, there] = ends();
  const requests = new Requests<unknown, string>(here);
  let answer = (): void => undefined;
  answerRequests<unknown, string>(there, () => new Promise((resolve) => (answer = () => resolve("late"))));
  const abort = new AbortController();
  const aborted = requests.ask(1, { signal: abort.signal });
  await expect(requests.ask(() => 1)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  abort.abort(new RangeError("enough"));
  await expect(aborted).rejects.toThrow("enough");
  await expect(requests.ask(2, { signal: abort.signal })).rejects.toThrow("enough");
  expect(requests.size).toBe(0);
  const other = requests.ask(3);
  const begun = performance.now();
  while (requests.size > 0 && performance.now() - begun < 10_000) {
    answer();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await other).toBe("late");
});

test("when the other side is gone, all that waits fails, and what comes later", async () => {
  const [here] = ends();
  const requests = new Requests<number, string>(here);
  const waiting = [1, 2].map((n) => requests.ask(n).catch((error: unknown) => error));
  const gone = new InputError("it is gone", { code: "ENGINE_FAILED" });
  requests.fail(gone);
  expect(await Promise.all(waiting)).toEqual([gone, gone]);
  await expect(requests.ask(3)).rejects.toBe(gone);
});

describe("a thread", () => {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-thread-"));
  process.on("exit", () => rmSync(folder, { recursive: true }));
  const file = join(folder, "thread.mjs");
  writeFileSync(
    file,
    `import { workerData } from "node:worker_threads";
const { port } = workerData;
port.on("message", ({ id, request }) => {
  if (request === "hang") for (;;);
  if (request === "exit") process.exit(3);
  if (request === "fill") for (const all = []; ; ) all.push(new Array(1000).fill(all.length));
  port.postMessage({ id, answer: request });
});
port.postMessage({ id: 0 });
`,
  );
  const start = () => new Thread<string, string>({ file, heapMegabytes: 32 });

  test.each([
    ["hang", "time", "LIMIT_EXCEEDED"],
    ["exit", "fault", "ENGINE_FAILED"],
    ["fill", "memory", "LIMIT_EXCEEDED"],
  ] as const)("that is asked to %s ends, and takes no more requests", async (request, why, code) => {
    const thread = start();
    expect(await thread.ask("a", 20_000)).toBe("a");
    const limit = request === "hang" ? 100 : 60_000;
    const error = await thread.ask(request, limit).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ThreadEnded);
    expect(error).toMatchObject({ why, code });
    await expect(thread.ask("b", 20_000)).rejects.toBe(thread.ended);
  });

  test("whose file is not there does not start", async () => {
    const thread = new Thread<string, string>({ file: join(folder, "absent.mjs"), heapMegabytes: 32 });
    await expect(thread.ask("a", 20_000)).rejects.toMatchObject({ why: "fault", code: "ENGINE_FAILED" });
    expect(thread.isStarted).toBe(false);
  });
});
