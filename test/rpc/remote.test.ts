/** Models on workers: texts, traffic, and which chains are sent. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { openLink, type Link } from "../../bench/rpc/link.js";
import { encodeWire } from "../../compiler/graph/wire.js";
import { STD_NAMES } from "../../compiler/std/library.js";
import { compilePipeline, type Chain } from "../../runtime/chain/chain.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import type { LoadModelOptions } from "../../runtime/models/options.js";
import type { DeviceFamily } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { PROTOCOL } from "../../runtime/backends/remote/handshake.js";
import { REMOTE_KINDS, type RemoteKind } from "../../runtime/backends/devices/servers.js";
import { endAll } from "../cli/run.js";
import { DEMO_MODEL } from "../model/file.js";
import { startWorker, type Worker } from "./workers.js";

const PROMPT = "In the beginning";
const SETTINGS = { contextSize: 256, threads: 1, cacheTypeK: "f32", cacheTypeV: "f32" } as const;
const CHAIN = compilePipeline("top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(seed: 42)");

let workers: readonly Worker[];
beforeAll(async () => {
  workers = [await startWorker(), await startWorker()];
});
afterAll(endAll);

const addresses = (): string[] => workers.map(({ port }) => `127.0.0.1:${port}=cpu`);
const load = (options: LoadModelOptions): Promise<Model> => loadModel(DEMO_MODEL, { ...SETTINGS, ...options });

async function textOf(model: Model, chain: Chain = CHAIN, maxTokens = 24): Promise<string> {
  let text = "";
  for await (const piece of model.generate(PROMPT, { chain, maxTokens })) text += piece.text;
  return text;
}

test("texts are those of one process, with the layers on one worker or on two", async () => {
  using here = await load({ backend: "cpu" });
  const expected = await textOf(here);
  expect(expected.length).toBeGreaterThan(40);
  for (const servers of [addresses().slice(0, 1), addresses()]) {
    using model = await load({ servers });
    expect(model.backend).toBe("rpc");
    expect(model.info.parameters).toBe(here.info.parameters);
    expect(await textOf(model)).toBe(expected);
  }
});

test("grammars, host tails, guides, shared prompts and drafts work as with a model of this process", async () => {
  using here = await load({ backend: "cpu" });
  using model = await load({ servers: addresses(), split: [1, 2] });
  const long = "And it came to pass in those days, that there went out a decree from Caesar. ".repeat(2);
  const facts = async (of: Model) => {
    const tail = await textOf(
      of,
      compilePipeline("top_k(50) |> host xtc(p: 0.5, t: 0.1, seed: 1) |> host dist(seed: 3)"),
      12,
    );
    using batch = of.batch({ sequences: 3, contextSize: 256 });
    const texts = await Promise.all(
      [1, 2, 3].map(async (seed) => {
        const chain = compilePipeline(`top_k(20) |> dist(seed: ${seed})`);
        const generation = batch.add(long, { chain, maxTokens: 6, speculate: { ngram: {} } });
        let text = "";
        for await (const piece of generation) text += piece.text;
        return { text, computed: generation.stats().computedPromptTokens };
      }),
    );
    return { tail, texts, raw: (await of.logits(PROMPT)).length };
  };
  expect(await facts(model)).toEqual(await facts(here));
});

describe("traffic of a token", () => {
  let link: Link;
  beforeAll(async () => {
    link = await openLink({ port: workers[0]!.port });
  });
  afterAll(() => link.close());

  test("in the graph it is one turn, with at most 4200 bytes to the worker and 16 back; on the host the logits come back", async () => {
    using model = await load({ servers: [`127.0.0.1:${link.port}=cpu`] });
    const measure = async (placement: "graph" | "host") => {
      using batch = model.batch({ sequences: 1, contextSize: 256, placement });
      let [count, begin] = [0, { ...link.traffic }];
      for await (const _ of batch.add(PROMPT, { chain: CHAIN, maxTokens: 30 }))
        if (++count === 10) begin = { ...link.traffic };
      const per = (key: keyof typeof begin): number => (link.traffic[key] - begin[key]) / (count - 10);
      return { up: per("up"), down: per("down"), turns: per("turns") };
    };
    const graph = await measure("graph");
    expect(graph.up).toBeLessThanOrEqual(4200);
    expect(graph.down).toBeLessThanOrEqual(16);
    expect(graph.turns).toBe(1);
    const host = await measure("host");
    expect(host.down).toBeGreaterThanOrEqual(4 * model.info.vocabSize);
  });
});

/** Of the standard samplers with their defaults, over a large vocabulary. */
const MISSING: Readonly<Record<RemoteKind, readonly string[]>> = {
  cpu: [],
  vulkan: [],
  cuda: [],
  other: ["ARANGE", "ARGSORT", "ROLL", "TOP_K"],
  unknown: ["ARANGE", "ARGMAX", "ARGSORT", "FLOOR", "LOG", "ROLL", "TOP_K"],
};

describe("the kind of a worker decides what is sent", () => {
  const V = 32_000;
  const binding = loadBinding();
  const chains = STD_NAMES.flatMap((name) => {
    try {
      return [[name, compilePipeline(`${name}() |> dist(seed: 1)`)] as const];
    } catch {
      return []; // it needs arguments
    }
  });
  const missing = (chain: Chain, kind?: RemoteKind): string[] =>
    binding.unsupported(new binding.Graph(encodeWire(chain.graph)), "CPU", V, true, kind).map(({ op }) => op);

  const ours = new Set(binding.rewrites().flatMap(({ name, families }) => (families[0] === "cpu" ? [name] : [])));
  const built = (family: DeviceFamily): string[] =>
    chains.flatMap(([, chain]) => {
      const evaluator = new binding.Evaluator(new binding.Graph(encodeWire(chain.graph)), {
        vocabSize: V,
        rewriteFor: family,
      });
      const names = evaluator.rewritten.map(({ name }) => name);
      evaluator.dispose();
      return names;
    });

  test("a chain is built without our own kernels for every kind, and with them on the CPU of this process", () => {
    expect(chains.length).toBeGreaterThan(10);
    expect(ours.size).toBeGreaterThan(10);
    expect(built("cpu").filter((name) => ours.has(name)).length).toBeGreaterThan(10);
    // that of a worker's CPU is `other`
    for (const family of ["other", "vulkan", "cuda", "unknown"] as const)
      expect(built(family).filter((name) => ours.has(name))).toEqual([]);
  });

  test.each([...REMOTE_KINDS, "unknown"] as const)("what a device of kind %s cannot run", (kind) => {
    const found = [...new Set(chains.flatMap(([, chain]) => missing(chain, kind)))].sort();
    expect(found).toEqual(MISSING[kind]);
  });

  test("an unknown kind is not asked to sort a vocabulary, nor for an op that some backend lacks", async () => {
    expect(new Set(missing(CHAIN, "unknown"))).toEqual(
      new Set(["TOP_K", "ARGMAX"].filter((op) => missing(CHAIN, "unknown").includes(op))),
    );
    expect(missing(CHAIN, "unknown")).toContain("TOP_K");
    using here = await load({ backend: "cpu" });
    using model = await load({ servers: [`127.0.0.1:${workers[0]!.port}`] });
    const generation = model.generate(PROMPT, { chain: CHAIN, maxTokens: 24 });
    let text = "";
    for await (const piece of generation) text += piece.text;
    expect(text).toBe(await textOf(here));
    expect(generation.stats().split?.ops).toContain("TOP_K");
  });
});

test("the handshake speaks the version of the protocol that ggml's source has", () => {
  const header = readFileSync("build/llama.cpp/ggml/include/ggml-rpc.h", "utf8");
  const of = (name: string): number => Number(new RegExp(`RPC_PROTO_${name}_VERSION\\s+(\\d+)`).exec(header)![1]);
  expect(PROTOCOL).toEqual({ major: of("MAJOR"), minor: of("MINOR") });
});
