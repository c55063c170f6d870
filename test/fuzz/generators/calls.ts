/** Misuse of the API: every export, called with values of other types, of odd content or of odd size. */
import * as fc from "fast-check";
import * as api from "../../../runtime/index.js";
import { DEMO_MODEL } from "../../model/file.js";
import { defineGenerator } from "../core/generator.js";
import { shorter } from "../core/shrink.js";

/** Odd values by name, because cases are JSON. */
const ODD: Readonly<Record<string, () => unknown>> = {
  nothing: () => undefined,
  null: () => null,
  true: () => true,
  NaN: () => NaN,
  Infinity: () => Infinity,
  "-1": () => -1,
  "0": () => 0,
  "1.5": () => 1.5,
  "2^31": () => 2 ** 31,
  "2^53": () => 2 ** 53,
  bigint: () => 1n,
  symbol: () => Symbol("x"),
  "empty text": () => "",
  text: () => "x",
  "long text": () => "x".repeat(2_000_000),
  "control characters": () => "\0\x1b[31m",
  "empty list": () => [],
  "list of null": () => [null],
  "list of undefined": () => Array.from({ length: 5 }),
  object: () => ({}),
  "object without prototype": () => Object.create(null) as object,
  "object with getter": () => Object.defineProperty({}, "length", { get: () => -1, enumerable: true }),
  function: () => () => 1,
  map: () => new Map([["x", 1]]),
  "map of numbers": () => new Map([[-1, NaN]]),
  date: () => new Date(NaN),
  "Float32Array of NaN": () => Float32Array.of(NaN, 1),
  "empty Float32Array": () => new Float32Array(),
  Float64Array: () => Float64Array.of(1, 2),
  Uint8Array: () => Uint8Array.of(71, 71, 85, 70),
  "aborted signal": () => AbortSignal.abort(),
};

interface Call {
  readonly target: string;
  /** Odd values in place of arguments, or of their properties: `0` the first argument, `1.draws` a property of the second. */
  readonly odd: readonly (readonly [place: string, value: string])[];
}

const LOGITS = [0, 1, 2, 3];
const chain = () => api.compile('import { temp, dist } from "std"\nchain c(t: f32 = 1) = temp(t) |> dist(1)');

type Action = (...args: never[]) => unknown;

interface Target {
  readonly run: Action;
  readonly args: () => unknown[];
  /** Properties of the options, which may be replaced one at a time. */
  readonly properties?: readonly string[];
}

const EVALUATE = [
  "backend",
  "device",
  "strict",
  "uniforms",
  "draws",
  "history",
  "feed",
  "feed.bias",
  "feed.inputs",
  "uniforms.t",
];

function withEvaluator(use: (e: api.Evaluator) => unknown): unknown {
  using evaluator = api.createEvaluator(chain().rowsGraph, 4, { backend: "reference" });
  evaluator.evaluate(LOGITS);
  return use(evaluator);
}

async function withModel(use: (m: api.Model) => unknown): Promise<unknown> {
  const model = await api.loadModel(DEMO_MODEL, { backend: "cpu", contextSize: 64 });
  try {
    return await use(model);
  } finally {
    model.dispose();
  }
}

const TARGETS: Readonly<Record<string, Target>> = {
  compile: {
    run: api.compile,
    args: () => ['import { greedy } from "std"\nchain c = greedy()', {}],
    properties: ["1.file", "1.chain", "1.set", "1.outputs", "1.optimize", "1.disable", "1.importer", "1.set.t"],
  },
  compilePipeline: {
    run: api.compilePipeline,
    args: () => ["greedy()", {}],
    properties: ["1.outputs", "1.set"],
  },
  evaluate: {
    run: (logits: never, options: never) => chain().evaluate(logits, options),
    args: () => [LOGITS, { backend: "reference" }],
    properties: EVALUATE.map((name) => `1.${name}`),
  },
  createEvaluator: {
    run: (graph: never, size: never, options: never) => {
      using evaluator = api.createEvaluator(graph, size, options);
      return evaluator.evaluate(LOGITS);
    },
    args: () => [chain().graph, 4, { backend: "reference" }],
    properties: [...EVALUATE.map((name) => `2.${name}`), "0.nodes", "0.outputs", "0.params", "0.inputs"],
  },
  "Evaluator.evaluate": { run: (x: never) => withEvaluator((e) => e.evaluate(x)), args: () => [LOGITS] },
  "Evaluator.accept": { run: (x: never) => withEvaluator((e) => e.accept(x)), args: () => [1] },
  "Evaluator.setUniforms": {
    run: (x: never) => withEvaluator((e) => e.setUniforms(x)),
    args: () => [{ t: 1 }],
    properties: ["0.t", "0.u"],
  },
  readSpec: { run: api.readSpec, args: () => [api.writeSpec(chain().graph)] },
  fromSpec: {
    run: api.fromSpec,
    args: () => [api.toSpec(chain().graph)],
    properties: ["0.nodes", "0.ggsl", "0.stages"],
  },
  formatDiagnostics: { run: api.formatDiagnostics, args: () => [[]] },
  chooseDevice: {
    run: api.chooseDevice,
    args: () => [{ backend: "cpu" }],
    properties: ["0.backend", "0.device"],
  },
  loadModel: {
    run: async (path: never, options: never) => (await api.loadModel(path, options)).dispose(),
    args: () => [DEMO_MODEL, { backend: "cpu" }],
    properties: ["backend", "device", "gpuLayers", "contextSize", "threads", "batchSize", "cacheType"].map(
      (name) => `1.${name}`,
    ),
  },
  loadModelFromBytes: {
    run: api.loadModelFromBytes,
    args: () => [Uint8Array.of(1), {}],
    properties: ["1.backend"],
  },
  generate: {
    run: (prompt: never, options: never) =>
      withModel(async (m) => {
        for await (const _ of m.generate(prompt, options)) continue;
      }),
    args: () => ["In", { chain: chain(), maxTokens: 2 }],
    properties: [
      ...[
        "chain",
        "uniforms",
        "feed",
        "maxTokens",
        "alternatives",
        "states",
        "signal",
        "resume",
        "placement",
        "strict",
        "stop",
      ],
    ].map((name) => `1.${name}`),
  },
  tokenize: { run: (x: never) => withModel((m) => m.tokenize(x)), args: () => ["In"] },
  textOf: { run: (x: never) => withModel((m) => m.textOf(x)), args: () => [1] },
  logits: { run: (x: never, o: never) => withModel((m) => m.logits(x, o)), args: () => ["In", {}] },
  batch: {
    run: (x: never) => withModel((m) => m.batch(x)),
    args: () => [{ chain: chain(), maxSequences: 2 }],
    properties: ["0.chain", "0.maxSequences", "0.sequences", "0.contextSize"],
  },
};

const cases: fc.Arbitrary<Call> = fc.constantFrom(...Object.keys(TARGETS)).chain((target) => {
  const { args, properties = [] } = TARGETS[target]!;
  const places = [...args().map((_, i) => String(i)), ...properties];
  const odd = fc.tuple(fc.constantFrom(...places), fc.constantFrom(...Object.keys(ODD)));
  return fc.record({ target: fc.constant(target), odd: fc.array(odd, { minLength: 1, maxLength: 2, size: "max" }) });
});

/** Puts a value at a place such as `1.feed.bias`; objects on the way are made where they are missing. */
function put(args: unknown[], place: string, value: unknown): void {
  const keys = place.split(".");
  let holder = args as unknown as Record<string, unknown>;
  for (const key of keys.slice(0, -1)) {
    const inner = holder[key];
    // a former odd value is there
    if (inner !== undefined && (typeof inner !== "object" || inner === null)) return;
    holder[key] = Array.isArray(inner) ? [...(inner as unknown[])] : { ...inner };
    holder = holder[key] as Record<string, unknown>;
  }
  holder[keys.at(-1)!] = value;
}

export const calls = defineGenerator<Call>({
  name: "calls",
  doc: "the API: every function with values of other types, of odd content or of odd size",
  cases,
  // loads a model
  seconds: 3,
  async run({ target, odd }) {
    const { run, args: make } = TARGETS[target]!;
    const args = make();
    for (const [place, value] of odd) put(args, place, ODD[value]!());
    await run(...(args as never[]));
  },
  *smaller({ target, odd }) {
    for (const less of shorter(odd)) yield { target, odd: less };
  },
});
