/** Loading a model: its progress, and loads that are cancelled. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { progressLine } from "../../cli/progress.js";
import { loadModel } from "../../runtime/models/model.js";
import type { LoadModelOptions } from "../../runtime/models/options.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { writeRandomModel } from "../../tools/random-model.js";
import { codeOf } from "../native/batches.js";
import { writeExactModel } from "../model/file.js";
import { isBuilt } from "../wasm/llamaTest.js";

let folder: string;
let path: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-"));
  path = writeExactModel(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Loads, and frees what was loaded. */
async function load(options: LoadModelOptions = {}): Promise<number> {
  using model = await loadModel(path, { backend: "cpu", ...options });
  return model.info.vocabSize;
}

/** The fractions that a load reports. */
async function fractionsOf(options: LoadModelOptions): Promise<number[]> {
  const fractions: number[] = [];
  await load({ ...options, onProgress: (fraction) => void fractions.push(fraction) });
  return fractions;
}

const BACKENDS = ["cpu", ...(isBuilt ? (["wasm"] as const) : [])] as const;

describe.each(BACKENDS)("%s", (backend) => {
  test("reports rising fractions that end with 1", async () => {
    const fractions = await fractionsOf({ backend });
    expect(fractions.at(-1)).toBe(1);
    expect(fractions).toEqual([...new Set(fractions)].sort((a, b) => a - b));
    expect(fractions[0]).toBeGreaterThanOrEqual(0);
  });

  test("an aborted load rejects with the reason, and the file loads after it", async () => {
    const reason = new Error("enough");
    await expect(load({ backend, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const abort = new AbortController();
    const seen: number[] = [];
    const onProgress = (fraction: number): void => {
      seen.push(fraction);
      abort.abort(reason);
    };
    await expect(load({ backend, signal: abort.signal, onProgress })).rejects.toBe(reason);
    expect(seen).toHaveLength(1);
    await expect(load({ backend, signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
    expect(await load({ backend })).toBe(2048);
  });

  test("an error of onProgress ends the load", async () => {
    const fault = new Error("mine");
    const onProgress = (): void => {
      throw fault;
    };
    await expect(load({ backend, onProgress })).rejects.toBe(fault);
    expect(await load({ backend })).toBe(2048);
  });
});

/** Bytes of this process in memory. */
const memory = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0) * 1024;

test("the native runtime stops in the middle, and keeps nothing", async () => {
  const binding = loadBinding();
  const size = statSync(path).size;
  const cancelled = (): Promise<unknown> =>
    codeOf(binding.loadModel(path, { gpuLayers: 0, onStart: (abort) => abort() }));
  for (let i = 0; i < 3; i++) expect(await cancelled()).toBe("ABORTED");
  const before = memory();
  for (let i = 0; i < 60; i++) expect(await cancelled()).toBe("ABORTED");
  // half of what these loads had, if it were kept
  if (process.platform === "linux") expect(memory() - before).toBeLessThan(30 * size);
  const model = await binding.loadModel(path, { gpuLayers: 0 });
  expect(model.info.vocabSize).toBe(2048);
  model.dispose();
});

test("a cancelled load of a large file leaves nothing in memory", async () => {
  const large = join(folder, "large.gguf");
  const vocabulary = join("build", "llama.cpp", "models", "ggml-vocab-llama-spm.gguf");
  writeRandomModel(large, { vocabulary, columns: 256, layers: 2, type: "f32" });
  const size = statSync(large).size;
  expect(size).toBeGreaterThan(60e6);
  const reason = new Error("enough");
  const cancelled = async (): Promise<void> => {
    const abort = new AbortController();
    const onProgress = (fraction: number): void => {
      if (fraction > 0.2) abort.abort(reason);
    };
    // on a busy machine the report may come when the whole file is read
    await expect(loadModel(large, { backend: "cpu", signal: abort.signal, onProgress })).rejects.toBe(reason);
  };
  await cancelled();
  const before = memory();
  for (let i = 0; i < 12; i++) await cancelled();
  // what twelve loads had read until then is more than twice that
  if (process.platform === "linux") expect(memory() - before).toBeLessThan(size);
  using model = await loadModel(large, { backend: "cpu" });
  expect(model.info.vocabSize).toBe(32_000);
});

test.each([
  [{ onProgress: 1 }, "`onProgress` must be a function, found 1"],
  [{ signal: {} }, "`signal` must be an AbortSignal"],
])("%j is refused", async (options, message) => {
  await expect(load(options as never)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining(message),
  });
});

test("a terminal shows the progress on one line, and nothing else does", () => {
  for (const isTTY of [true, false]) {
    const written: string[] = [];
    const line = progressLine("loading", { isTTY, write: (text: string) => written.push(text) }, {});
    for (const fraction of [0, 0.001, 0.5, 1]) line.report(fraction);
    line.clear();
    line.clear();
    expect(written.join("").split("\r\x1b[K")).toEqual(
      isTTY ? ["", "loading 0 %", "loading 50 %", "loading 100 %", ""] : [""],
    );
  }
});
