/**
 * Small ops in one node (native/graph/bundles) give the bits that they give as nodes of their own: every standard sampler, graphs of every
 * op, with ties, -inf, several rows, on several threads.
 */
import { describe, expect, test } from "@jest/globals";
import type { Graph } from "../../compiler/graph/graph.js";
import { STD_SAMPLERS } from "../../compiler/std/samplers.js";
import { compile, compilePipeline } from "../../runtime/chain/chain.js";
import { featureInputs, startSequence, uniformsOf } from "../../runtime/sequence/sequence.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { nativeGraph, TRUNCATED } from "./graphs.js";

const SIZES = [60, 2049];

const noise = (seed: number, i: number): number => Math.abs((Math.sin(i * 12.9898 + seed) * 43758.5453) % 1);

/** With ties, peaked, flat, almost all -inf, one row above all others, all equal. */
const logitsOf = (size: number, rows: number): Float32Array =>
  Float32Array.from({ length: rows * size }, (_, at) => {
    const i = at % size;
    const x = noise(1, at);
    return [
      Math.round(x * 40) / 4,
      -12 * Math.log(1 - 0.999 * x) - 20,
      x / 10,
      i % 21 === 7 ? x : -Infinity,
      i === size - 3 ? 200 : x,
      -0.5,
    ][Math.floor(at / size) % 6]!;
  });

function repeated<T extends Float32Array | Int32Array>(row: T, rows: number, change = 0): T {
  const all = (
    row instanceof Float32Array ? new Float32Array(rows * row.length) : new Int32Array(rows * row.length)
  ) as T;
  for (let i = 0; i < all.length; ++i) all[i] = row[i % row.length]! * (1 - (change * i) / all.length);
  return all;
}

function results(graph: Graph, size: number, rows: number, bundle: boolean, threads = 1, fuse = true) {
  const native = new (loadBinding().Evaluator)(nativeGraph(graph), {
    vocabSize: size,
    rows,
    threads,
    fuse,
    bundles: bundle,
  });
  const sequence = startSequence(graph, size, { draws: [0.3, 0.7] });
  const values = {
    logits: logitsOf(size, rows),
    uniforms: repeated(uniformsOf(sequence), rows, 0.1),
    inputs: featureInputs(sequence).map((row) => repeated(row, rows)),
  };
  native.evaluate(values);
  const found = native.evaluate(values);
  const { nodes, rewritten } = native;
  native.dispose();
  return { found, nodes, bundled: rewritten.filter(({ name }) => name === "one bundle").length };
}

const bitsOf = ({ buffer, byteOffset, byteLength }: Float32Array | Int32Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

function compare(graph: Graph, size: number): number {
  let most = 0;
  for (const [rows, threads, fuse] of [
    [1, 1, true],
    [1, 2, false],
    [3, 2, true],
    [19, 1, true],
    [64, 3, true],
  ] as const) {
    const alone = results(graph, size, rows, false, 1, fuse);
    expect(alone.bundled).toBe(0);
    const bundled = results(graph, size, rows, true, threads, fuse);
    expect(Object.keys(bundled.found)).toEqual(Object.keys(alone.found));
    for (const key of ["sampled", "candidates", "logits", "probs", "states"] as const) {
      const wanted = alone.found[key];
      expect([key, rows, wanted && bitsOf(bundled.found[key]!).equals(bitsOf(wanted))]).toEqual([
        key,
        rows,
        wanted && true,
      ]);
    }
    most = Math.max(most, bundled.bundled);
  }
  return most;
}

describe("chains", () => {
  const chains = STD_SAMPLERS.flatMap(({ example }) => [
    /greedy|dist\(|mirostat|adaptive/.test(example) ? example : `${example} |> dist(7)`,
    `top_k(20) |> ${/greedy|dist\(|mirostat|adaptive/.test(example) ? example : `${example} |> dist(7)`}`,
  ]).filter((text) => !/tokens\(|contrastive|cfg|constrain/.test(text));
  test.each(chains)("%s", (text) => {
    const { graph } = compilePipeline(text);
    for (const size of SIZES) compare(graph, size);
  });

  test("the default chain is two nodes", () => {
    const { graph } = compilePipeline("top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(7)");
    expect(results(graph, 2049, 1, true).nodes).toBe(2);
    expect(compare(graph, 2049)).toBeGreaterThan(15);
  });
});
