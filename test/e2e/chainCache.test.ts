/** Chains that requests bring are forgotten again. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "@jest/globals";
import { encodeWire } from "../../compiler/graph/wire.js";
import { compile, compilePipeline } from "../../runtime/chain/chain.js";
import type { NativeGraph } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { Chains } from "../../runtime/decode/scheduler/chains.js";

const WORDS = encodeWire(compilePipeline("greedy()").graph);
const TEMPERATURE = (t: number): Int32Array =>
  encodeWire(compile(`import { temp, dist } from "std"\nchain c = temp(${t}) |> dist(1)`).graph);
const column = (value: number): Float32Array => new Float32Array(1 << 16).fill(value);
const { Graph } = loadBinding();

test("equal chains with equal columns are one", () => {
  const chains = new Chains(Graph, () => false);
  const first = chains.of(WORDS, [column(1)]);
  expect(chains.of(WORDS.slice(), [column(1)])).toBe(first);
  expect(chains.of(WORDS, [column(2)])).not.toBe(first);
  expect(chains.of(TEMPERATURE(0.5), [])).not.toBe(first);
  expect(chains.count).toBe(3);
});

test("those that a place has stay; of the others, the latest", () => {
  const used = new Set<NativeGraph>();
  const chains = new Chains(Graph, (chain) => used.has(chain));
  const first = chains.of(WORDS, [column(0)]);
  used.add(first);
  const second = chains.of(WORDS, [column(1)]);
  for (let i = 2; i < 100; i++) chains.of(WORDS, [column(i)]);
  expect(chains.count).toBeLessThan(40);
  expect(chains.of(WORDS, [column(0)])).toBe(first);
  expect(chains.of(WORDS, [column(99)])).toBe(chains.of(WORDS, [column(99)]));
  expect(chains.of(WORDS, [column(1)])).not.toBe(second);
});

test("a thousand chains need no more memory than some", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const chains = new Chains(Graph, () => false);
  const settled = async (): Promise<number> => {
    for (let i = 0; i < 3; i++) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { rss } = process.memoryUsage();
    return rss / 2 ** 20;
  };
  let made = 0;
  const make = async (count: number): Promise<void> => {
    for (const end = made + count; made < end; made++) {
      chains.of(WORDS, [column(made)]);
      // lets finalizers run
      if (made % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await make(200);
  const before = await settled();
  // 500 MB, if all were kept
  await make(1000);
  // what is freed goes back to the system in parts, and in its own time
  let grown = Infinity;
  for (let i = 0; i < 20 && grown >= 150; i++) grown = (await settled()) - before;
  expect(grown).toBeLessThan(150);
  expect(chains.count).toBeLessThan(40);
});
