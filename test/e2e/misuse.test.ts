/**
 * Arguments of every wrong type, and values outside their ranges, at every public entry point: each is an `InputError` with a code,
 * and the object that refused it works as before.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import {
  chainOf,
  chooseDevice,
  compile,
  compilePipeline,
  createEvaluator,
  demoModel,
  detectAaronson,
  detectSynthId,
  detectWatermark,
  InputError,
  loadModel,
  loadModelFromBytes,
  loadVocabulary,
  loadGrammars,
  loadWasm,
  ModelWorker,
  type Chain,
  type Evaluator,
  type GenerationBatch,
  type Model,
} from "../../runtime/index.js";
import { COUNTS, EMPTY_OPTIONS, KINDS, option, settings, TEXT, type Entry } from "./misuse/entry.js";
import { requests, type Prepared } from "./misuse/requests.js";
import { isBuilt } from "../wasm/llamaTest.js";
import { DEMO_MODEL } from "../model/file.js";

const PROMPT = "In the beginning";
const LOGITS = [1, 2, 3, 4];

let chain: Chain;
let prepared: Prepared;
let model: Model;
let batch: GenerationBatch;
let evaluator: Evaluator;

const TEMPERATURE = `import { temp, dist } from "std"
chain c(t: f32 >= 0 = 0.8) = temp(t) |> dist(1)`;

const GUIDED = `import { greedy } from "std"
input negative: logits
input source: tokens(4)
sampler away() { logit += logit - negative + occurrences(-1, in: source) }
chain guided = away() |> greedy()`;

const BANNING = `import { greedy } from "std"
sampler ban(banned: tokens) { keep token not in banned }
chain banning(banned: tokens(4)) = ban(banned) |> greedy()`;

async function textOf(from: AsyncIterable<{ readonly text: string }>): Promise<string> {
  let text = "";
  for await (const piece of from) text += piece.text;
  return text;
}

beforeAll(async () => {
  chain = compile(TEMPERATURE);
  model = await loadModel(DEMO_MODEL, { contextSize: 256 });
  batch = model.batch({ sequences: 1 });
  evaluator = createEvaluator(chain.rowsGraph, LOGITS.length);
  evaluator.evaluate(LOGITS);
  const generation = model.generate(PROMPT, { chain, maxTokens: 2 });
  await textOf(generation);
  prepared = { guided: compile(GUIDED), banning: compile(BANNING), saved: generation.save().sequence };
});
afterAll(() => {
  evaluator.dispose();
  batch.dispose();
  model.dispose();
});

const evaluate = (options: object): unknown => chain.evaluate(LOGITS, options);
const open = (options: object): unknown => createEvaluator(chain.graph, 4, options);
const generate = (options: object): unknown => model.generate(PROMPT, { chain, ...options });
const add = (options: object): unknown => batch.add(PROMPT, { chain, ...options });
const logitsOf = (options: object): unknown => model.logits(PROMPT, options);
const load = (options: object): unknown => loadModel(DEMO_MODEL, options);
const running = (): ReturnType<Model["generate"]> => model.generate(PROMPT, { chain });

const ENTRIES: readonly (readonly [string, Entry])[] = [
  ["compile: source", { call: compile, takes: TEXT }],
  ["compile: options", { call: (value) => compile(TEMPERATURE, value), takes: EMPTY_OPTIONS }],
  ["compile: chain", { call: option((o) => compile(TEMPERATURE, o), "chain"), takes: TEXT }],
  ["compile: file", { call: option((o) => compile(TEMPERATURE, o), "file"), takes: TEXT }],
  [
    "compile: set",
    { call: option((o) => compile(TEMPERATURE, o), "set"), takes: ["object", "date"], refuses: [{ t: "1" }] },
  ],
  ["compile: importer", { call: option((o) => compile(TEMPERATURE, o), "importer"), takes: ["function"] }],
  ["compile: outputs", { call: option((o) => compile(TEMPERATURE, o), "outputs"), takes: ["list"], refuses: [["x"]] }],
  ["compile: optimize", { call: option((o) => compile(TEMPERATURE, o), "optimize"), takes: ["boolean"] }],
  [
    "compile: disable",
    { call: option((o) => compile(TEMPERATURE, o), "disable"), takes: ["list", "texts"], refuses: [[1]] },
  ],
  ["compilePipeline: stages", { call: compilePipeline, takes: TEXT }],
  ["compilePipeline: options", { call: (value) => compilePipeline("greedy()", value), takes: EMPTY_OPTIONS }],
  ["chainOf: graph", { call: chainOf, refuses: [undefined, { name: "a", nodes: [] }] }],
  ["chainOf: rowsGraph", { call: (value) => chainOf(chain.graph, value) }],
  [
    "evaluate: logits",
    { call: (value) => chain.evaluate(value), refuses: [undefined, [], [NaN], ["1"], [null], [Infinity]] },
  ],
  ["evaluate: options", { call: evaluate, takes: EMPTY_OPTIONS }],
  ...["backend", "device", "strict", "uniforms", "draws", "history", "feed"].flatMap((name): [string, Entry][] => {
    const rest: Entry = {
      call: () => undefined,
      takes: {
        backend: [],
        device: [],
        strict: ["boolean"],
        uniforms: ["object", "date"],
        draws: [],
        history: ["list"],
        feed: EMPTY_OPTIONS,
      }[name] as never,
      refuses:
        { draws: [[2], [NaN], ["0"]], history: [[-1], [1.5], ["1"], [2 ** 31]], uniforms: [{ t: -1 }] }[name] ?? [],
    };
    return [
      [`evaluate: ${name}`, { ...rest, call: option(evaluate, name) }],
      [`createEvaluator: ${name}`, { ...rest, call: option(open, name) }],
    ];
  }),
  ["createEvaluator: graph", { call: (value) => createEvaluator(value, 4), refuses: [undefined] }],
  [
    "createEvaluator: vocabSize",
    { call: (value) => createEvaluator(chain.graph, value), ...COUNTS, refuses: [undefined, 0, 2 ** 25] },
  ],
  [
    "Evaluator.evaluate",
    { call: (value) => evaluator.evaluate(value), refuses: [undefined, [1, 2, 3], [1, 2, 3, NaN], [1, 2, 3, "4"]] },
  ],
  ["Evaluator.accept", { call: (value) => evaluator.accept(value), refuses: [4, 5, 2 ** 31] }],
  [
    "Evaluator.setUniforms",
    {
      call: (value) => evaluator.setUniforms(value),
      takes: ["object", "date"],
      refuses: [undefined, { t: -1 }, { u: 1 }],
    },
  ],
  ["loadModel: path", { call: loadModel, refuses: [undefined, "", "/dev/zero", "."] }],
  ["loadModel: options", { call: (value) => loadModel(DEMO_MODEL, value), takes: EMPTY_OPTIONS }],
  ["loadModel: backend", { call: option(load, "backend") }],
  ["loadModel: onProgress", { call: option(load, "onProgress"), takes: ["function"] }],
  ["loadModel: signal", { call: option(load, "signal") }],
  ["loadModel: device", { call: option(load, "device") }],
  ["loadModel: gpuLayers", { call: option(load, "gpuLayers") }],
  ...settings("loadModel", load),
  ["loadModelFromBytes: bytes", { call: loadModelFromBytes, refuses: [undefined, new Float32Array(4)] }],
  [
    "loadModelFromBytes: options",
    { call: (value) => loadModelFromBytes(new Uint8Array(4), value), takes: isBuilt ? [] : [] },
  ],
  ["loadModelFromBytes: module", { call: option((o) => loadModelFromBytes(new Uint8Array(4), o), "module") }],
  ["loadGrammars", { call: loadGrammars, takes: Object.keys(KINDS) }],
  ["loadWasm: source", { call: loadWasm, refuses: ["/no/such/file", new Uint8Array(4)] }],
  ["demoModel", { call: demoModel, takes: Object.keys(KINDS) }],
  [
    "chooseDevice: request",
    {
      call: chooseDevice,
      refuses: [undefined, {}, { backend: "cpu", device: 99 }, { backend: "cpu", device: -1 }],
    },
  ],
  [
    "generate: prompt",
    {
      call: (value) => model.generate(value, { chain }),
      takes: TEXT,
      refuses: [Int32Array.of(-1), Int32Array.of(2 ** 20), [1, 2], new Float32Array(2)],
    },
  ],
  ["generate: options", { call: (value) => model.generate(PROMPT, value), refuses: [undefined] }],
  ...requests("generate", generate, () => prepared),
  ...settings("generate", generate),
  ["generate: placement", { call: option(generate, "placement") }],
  ["generate: strict", { call: option(generate, "strict"), takes: ["boolean"] }],
  ["generate: checkLogits", { call: option(generate, "checkLogits"), takes: ["boolean"] }],
  [
    "Generation.setUniforms",
    { call: (value) => running().setUniforms(value), takes: ["object", "date"], refuses: [undefined, { t: -1 }] },
  ],
  ["batch: options", { call: (value) => model.batch(value), refuses: [undefined] }],
  [
    "batch: sequences",
    { call: option((o) => model.batch(o).dispose(), "sequences"), ...COUNTS, refuses: [undefined, 0, 257] },
  ],
  [
    "batch.add: prompt",
    { call: (value) => batch.add(value, { chain }), takes: TEXT, refuses: [undefined, Int32Array.of(-1)] },
  ],
  ["batch.add: request", { call: (value) => batch.add(PROMPT, value), refuses: [undefined] }],
  ...requests("batch.add", add, () => prepared),
  [
    "logits: prompt",
    {
      call: (value) => model.logits(value),
      takes: TEXT,
      refuses: [undefined, Int32Array.of(-1), Int32Array.of(2 ** 20)],
    },
  ],
  ["logits: options", { call: (value) => model.logits(PROMPT, value), takes: EMPTY_OPTIONS }],
  ["logits: signal", { call: option(logitsOf, "signal") }],
  ...settings("logits", logitsOf),
  ["loadVocabulary: path", { call: loadVocabulary, refuses: [undefined, "", "/dev/zero", "."] }],
  ...(["detectWatermark", "detectAaronson", "detectSynthId"] as const).flatMap((name): [string, Entry][] => {
    const detect = { detectWatermark, detectAaronson, detectSynthId }[name];
    return [
      [
        `${name}: tokens`,
        { call: (value) => detect(value, { key: 1 }), takes: ["list"], refuses: [[-1], [1.5], ["1"]] },
      ],
      [`${name}: options`, { call: (value) => detect([1, 2], value), refuses: [undefined, {}] }],
      [`${name}: key`, { call: (value) => detect([1, 2], { key: value }), ...COUNTS, refuses: [undefined, 2 ** 32] }],
      [`${name}: from`, { call: (value) => detect([1, 2], { key: 1, from: value }), refuses: [3] }],
    ];
  }),
  ["detectWatermark: gamma", { call: (value) => detectWatermark([1, 2], { key: 1, gamma: value }), refuses: [0, 1] }],
  [
    "detectSynthId: rounds",
    {
      call: (value) => detectSynthId([1, 2], { key: 1, rounds: value }),
      ...COUNTS,
      refuses: [21],
    },
  ],
  ["tokenize", { call: (value) => model.tokenize(value), takes: TEXT, refuses: [undefined] }],
  ["textOf", { call: (value) => model.textOf(value), ...COUNTS, refuses: [undefined, 2 ** 20, 2 ** 31] }],
];

async function thrownBy(call: () => unknown): Promise<unknown> {
  try {
    const result = await call();
    (result as Partial<Disposable> | undefined)?.[Symbol.dispose]?.();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe.each(ENTRIES)("%s", (name, { call, takes = [], refuses = [] }) => {
  test("refuses what it does not take", async () => {
    const values = Object.entries(KINDS)
      .filter(([kind]) => !takes.includes(kind))
      .map(([, value]) => value);
    const made = refuses.map((value) => (typeof value === "function" ? (value as () => unknown)() : value));
    for (const value of [...values, ...made]) {
      const error = await thrownBy(() => call(value as never));
      expect([name, value, error]).toEqual([name, value, expect.any(InputError)]);
      expect((error as InputError).code).toMatch(/^[A-Z]+(_[A-Z]+)+$/);
      expect((error as InputError).message).not.toMatch(
        /undefined is not|Cannot read|is not a function|is not iterable/,
      );
    }
  });
});

test("after all that, everything works as before", async () => {
  expect(evaluator.evaluate(LOGITS)).toEqual(createEvaluator(chain.rowsGraph, 4).evaluate(LOGITS));
  evaluator.accept();
  const alone = await textOf(model.generate(PROMPT, { chain, maxTokens: 10 }));
  expect(alone.length).toBeGreaterThan(0);
  expect(await textOf(batch.add(PROMPT, { chain, maxTokens: 10 }))).toBe(alone);
  expect(await model.logits(PROMPT)).toHaveLength(model.info.vocabSize);
});

test("a disposed object says so", async () => {
  const own = await loadModel(DEMO_MODEL);
  const gone = createEvaluator(chain.graph, 4);
  gone.dispose();
  own.dispose();
  for (const call of [
    () => gone.evaluate(LOGITS),
    () => gone.accept(1),
    () => own.generate(PROMPT, { chain }),
    () => own.logits(PROMPT),
    () => own.tokenize("a"),
    () => own.textOf(1),
  ])
    expect(await thrownBy(call)).toMatchObject({ name: "InputError", code: "DISPOSED" });
});

test("a value that a worker cannot get is an error of the request", async () => {
  const { port1, port2 } = new MessageChannel();
  const worker = new ModelWorker(port1 as never);
  const bad = { chain, uniforms: { t: () => 1 } } as never;
  await expect(worker.generate(PROMPT, bad).end).rejects.toThrow(InputError);
  for (const request of [undefined, null, 5, {}, { chain: null }])
    expect(() => worker.generate(PROMPT, request as never)).toThrow(InputError);
  await expect(worker.load(5 as never, "x")).rejects.toThrow("`bytes` must be a Uint8Array, found 5");
  await expect(worker.load(new Uint8Array(), 5 as never)).rejects.toThrow("`module` must be");
  port1.close();
  port2.close();
});

test("a bad grammar is an error with the same code in both places", async () => {
  const GRAMMAR = 'root ::= "a';
  const sources = [
    `import { greedy } from "std"\nsampler s() { keep allowed("${GRAMMAR.replaceAll('"', '\\"')}") }\nchain c = s() |> greedy()`,
    `import { top_k } from "std"\nchain c = top_k(9) |> host grammar("${GRAMMAR.replaceAll('"', '\\"')}") |> host greedy()`,
  ];
  const errors = await Promise.all(
    sources.map((source) => thrownBy(() => textOf(model.generate(PROMPT, { chain: compile(source) })))),
  );
  for (const error of errors)
    expect(error).toMatchObject({
      name: "InputError",
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("the grammar does not parse") as unknown,
    });
});

test("the file of this table names every function of the public interface", () => {
  const source = readFileSync("runtime/index.ts", "utf8");
  const exported = [...source.matchAll(/^export \{([^}]*)\} from "\.\//gm)]
    .flatMap(([, names]) => names!.split(","))
    .map((name) => name.trim())
    .filter((name) => /^[a-z]/.test(name) && !name.startsWith("type "));
  const tested = new Set(ENTRIES.map(([name]) => name.split(":")[0]));
  expect(exported.filter((name) => !tested.has(name))).toEqual([]);
});
