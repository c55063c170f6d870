/** Texts that wait for the threads that make tokens of them: lanes share a thread, and a text whose client has gone waits no more. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NativeModel } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { nextTask } from "../../runtime/core/nextTask.js";
import { TEXT_LIMITS, tokenizeInTurn, type TextClient } from "../../runtime/sequence/tokenizing.js";
import { pathOf } from "./texts.js";

let model: NativeModel;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-tokenize-"));
  const path = pathOf({ file: "falcon" }, folder);
  model = await loadBinding().loadModel(path, { gpuLayers: 0, vocabOnly: true });
  rmSync(folder, { recursive: true });
});
afterAll(() => model.dispose());

const tokensOf = (text: string, client: TextClient): Promise<Int32Array> =>
  tokenizeInTurn(model, { text, isWhole: true, special: false, mostTokens: 0 }, client);

const LARGE = "a".repeat(100_000);
/** It waits for the same thread as large ones. */
const LONG = "In the beginning ".repeat(1000);
const SHORT = "In the beginning";

test("eight lanes with many large texts hold up the texts of another lane for one of theirs", async () => {
  const order: string[] = [];
  const told = (name: string, tokens: Promise<Int32Array>): Promise<number> => tokens.then(() => order.push(name));
  const hostile = Array.from({ length: 8 }, (_, lane) =>
    Array.from({ length: 3 }, () => told("large", tokensOf(LARGE, { lane: `hostile ${lane}` }))),
  ).flat();
  // one of them is at the thread, and the others wait
  for (let i = 0; i < 3; i++) {
    const before = order.length;
    await Promise.all([
      told("short", tokensOf(SHORT, { lane: "honest" })),
      told("long", tokensOf(LONG, { lane: "honest" })),
    ]);
    const during = order.slice(before);
    // at first none has had less of the thread; later each of the others may, on a machine that is busy
    expect(during.filter((one) => one === "large").length).toBeLessThanOrEqual(i === 0 ? 2 : 9);
    expect(during.indexOf("short")).toBeLessThanOrEqual(1);
  }
  expect(order.filter((one) => one === "large").length).toBeLessThan(8 * 3);
  await Promise.all(hostile);
});

test("a lane that has had much of a thread waits for others, which have had less", async () => {
  const order: string[] = [];
  const ask = async (lane: string): Promise<void> => {
    await tokensOf(LARGE, { lane });
    order.push(lane);
  };
  const many = Array.from({ length: 4 }, () => ask("many"));
  const few = Array.from({ length: 2 }, () => ask("few"));
  await Promise.all([...many, ...few]);
  expect(order.slice(0, 2)).toEqual(["many", "few"]);
  // which of the two has had a little more is a matter of chance
  expect(order.lastIndexOf("few")).toBeLessThanOrEqual(3);
});

test("who leaves waits no more: the thread goes on with others at once", async () => {
  const abort = new AbortController();
  const left: unknown[] = [];
  const many = Array.from({ length: 100 }, () =>
    tokensOf(LARGE, { lane: "hostile", signal: abort.signal }).catch((error: unknown) => void left.push(error)),
  );
  const start = performance.now();
  await tokensOf(LARGE, { lane: "other" });
  const twice = performance.now() - start;
  abort.abort();
  await Promise.all(many);
  // those that were done before
  expect(left.length).toBeGreaterThan(95);
  for (const error of left) expect(error).toMatchObject({ name: "AbortError" });
  const again = performance.now();
  await tokensOf(LARGE, { lane: "other" });
  // it would be 100 times one of them
  expect(performance.now() - again).toBeLessThan(10 * twice);
  const { signal } = abort;
  await expect(tokensOf(SHORT, { signal })).rejects.toMatchObject({ name: "AbortError" });
});

test("a lane has at most so many that wait, all lanes together too, and others have room", async () => {
  const { waiting, waitingOfLane } = TEXT_LIMITS;
  const abort = new AbortController();
  const { signal } = abort;
  let refused = 0;
  const ask = (lane: string): Promise<unknown> =>
    tokensOf(LONG, { lane, signal }).catch(({ code, name }: { readonly code?: string; readonly name: string }) => {
      if (code === "BUSY") refused++;
      else if (name !== "AbortError") throw new Error(`${name} ${code}`);
    });
  // one of them is at the thread, if it has none of the texts before
  const all = Array.from({ length: waitingOfLane + 10 }, () => ask("greedy"));
  await nextTask();
  expect([9, 10]).toContain(refused);
  await expect(Promise.all([SHORT, LONG].map((text) => tokensOf(text, { lane: "honest" })))).resolves.toHaveLength(2);
  for (let i = 0; i < waiting; i++) all.push(ask(`lane ${i % 64}`));
  // of the lane with the most
  const honest = tokensOf(LONG, { lane: "honest" });
  await nextTask();
  expect(refused).toBeGreaterThan(10);
  await expect(honest).resolves.toBeDefined();
  abort.abort();
  await Promise.all(all);
});
