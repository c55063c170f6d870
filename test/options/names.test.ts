/**
 * Names of options that nothing reads: every public function that takes options refuses them, with the name that was meant. Which
 * functions there are is read from the declarations, so that a new one without a case fails here.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as ort from "onnxruntime-node";
import { moduleChains } from "../../codegen/chains.js";
import { genCommand } from "../../codegen/command.js";
import * as compiler from "../../compiler/index.js";
import { IN_CHAIN } from "../../compiler/core/optionNames.js";
import { compareChains, drawFigure } from "../../runtime/compare.js";
import { explain } from "../../runtime/chain/explain.js";
import * as ggsl from "../../runtime/index.js";
import * as onnx from "../../runtime/onnx.js";
import { runTests } from "../../runtime/chain/testing.js";
import { ChainProcessor } from "../../runtime/transformers.js";
import vite from "../../runtime/vite.js";
import * as server from "../../server/index.js";
import * as settings from "../../settings/index.js";
import { DEMO_MODEL } from "../model/file.js";
import { functionsWithOptions } from "./surface.js";

const STAGES = "temp(0.8) |> dist()";
const SOURCE = 'import { temp, dist } from "std"\nchain c(t: f32 >= 0 = 0.8) = temp(t) |> dist()';
const FILE = { name: "c.ggsl", text: SOURCE };
const TEST = {
  name: "t.ggsl",
  text: 'import { greedy } from "std"\ntest "t" {\n  probs [0.1, 0.9]\n  run greedy()\n  picks 1\n}',
};
const LOGITS = [0, 1, 2];
const MESSAGES = [{ role: "user", content: "Hello" }];
const chain = ggsl.compile(SOURCE);
const spec = ggsl.writeSpec(chain.graph);
const bytes = { size: 2, read: () => new TextEncoder().encode("{}") };
const fault = compiler.compileProgram("chain").diagnostics[0]!;

let model: ggsl.Model;
let batch: ggsl.GenerationBatch;
beforeAll(async () => {
  model = await ggsl.loadModel(DEMO_MODEL, { backend: "cpu", contextSize: 64 });
  batch = model.batch({ sequences: 2 });
});
afterAll(() => {
  batch.dispose();
  model.dispose();
});
const worker = new ggsl.ModelWorker({ postMessage: () => undefined, onmessage: null });

/** Errors of a generation may come when it is read. */
async function read(generation: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of generation) return;
}

type Call = (options: never) => unknown;
const evaluating = (options: never) => ggsl.createEvaluator(chain.graph, LOGITS.length, options).dispose();

/** What each function needs beside the name that is not known. */
const CALLS: Readonly<Record<string, { readonly needed?: object; readonly call: Call }>> = {
  "ggsl compile": { call: (o) => ggsl.compile(SOURCE, o) },
  "ggsl compilePipeline": { call: (o) => ggsl.compilePipeline(STAGES, o) },
  "ggsl createEvaluator": { call: evaluating },
  "ggsl Chain.evaluate": { call: (o) => chain.evaluate(LOGITS, o) },
  "ggsl chooseDevice": { needed: { backend: "cpu" }, call: (o) => ggsl.chooseDevice(o) },
  "ggsl readSpec": { call: (o) => ggsl.readSpec(spec, o) },
  "ggsl fromSpec": { call: (o) => ggsl.fromSpec(JSON.parse(spec), o) },
  "ggsl formatDiagnostic": { call: (o) => ggsl.formatDiagnostic(fault, o) },
  "ggsl formatDiagnostics": { call: (o) => ggsl.formatDiagnostics([fault], o) },
  "ggsl loadModel": { call: async (o) => (await ggsl.loadModel(DEMO_MODEL, o)).dispose() },
  "ggsl loadModelFromBytes": { call: (o) => ggsl.loadModelFromBytes(Uint8Array.of(1), o) },
  "ggsl Model.generate": { needed: { chain, maxTokens: 1 }, call: (o) => read(model.generate("In", o)) },
  "ggsl Model.chat": { needed: { chain, maxTokens: 1 }, call: (o) => read(model.chat(MESSAGES, o)) },
  "ggsl Model.batch": { needed: { sequences: 1 }, call: (o) => model.batch(o).dispose() },
  "ggsl Model.logits": { call: (o) => model.logits("In", o) },
  "ggsl Model.tokenize": { call: (o) => model.tokenize("In", o) },
  "ggsl Model.prepareGrammar": { call: (o) => model.prepareGrammar({ choices: ["a"] }, o) },
  "ggsl Model.tokenizeLater": { call: (o) => model.tokenizeLater("In", o) },
  "ggsl Model.renderChat": { call: (o) => model.renderChat(MESSAGES, o) },
  "ggsl Model.tokenizeChat": { call: (o) => model.tokenizeChat(MESSAGES, o) },
  "ggsl GenerationBatch.add": { needed: { chain, maxTokens: 1 }, call: (o) => read(batch.add("In", o)) },
  "ggsl GenerationBatch.chat": { needed: { chain, maxTokens: 1 }, call: (o) => read(batch.chat(MESSAGES, o)) },
  "ggsl ModelWorker.generate": { needed: { chain }, call: (o) => void worker.generate("In", o) },
  "ggsl ModelWorker.chat": { needed: { chain }, call: (o) => void worker.chat(MESSAGES, o) },
  "ggsl ModelWorker.logits": { call: (o) => soon(worker.logits("In", o)) },
  "ggsl ModelWorker.tokenize": { call: (o) => soon(worker.tokenize("In", o)) },
  "ggsl detectSynthId": { needed: { key: 1 }, call: (o) => ggsl.detectSynthId([1, 2], o) },
  "ggsl detectWatermark": { needed: { key: 1 }, call: (o) => ggsl.detectWatermark([1, 2], o) },
  "ggsl detectAaronson": { needed: { key: 1 }, call: (o) => ggsl.detectAaronson([1, 2], o) },
  "ggsl/compare compareChains": {
    needed: { chains: [{ name: "c", chain }], texts: 1, tokens: 1 },
    call: (o) => compareChains(model, "In", o),
  },
  "ggsl/compare drawFigure": {
    call: (o) => drawFigure({ prompt: "", seed: 1, tokens: 1, chains: [] }, o),
  },
  "ggsl/onnx emitOnnx": { call: (o) => onnx.emitOnnx(chain.graph, o) },
  "ggsl/onnx appendOnnx": { call: (o) => onnx.appendOnnx(chain.graph, Uint8Array.of(1), o) },
  "ggsl/onnx createOnnxEvaluator": {
    needed: { ort },
    call: async (o) => (await onnx.createOnnxEvaluator(chain.graph, LOGITS.length, o)).dispose(),
  },
  "ggsl/onnx createAppendedSampler": {
    needed: { ort },
    call: (o) => onnx.createAppendedSampler(chain.graph, LOGITS.length, o).dispose(),
  },
  "new ggsl/transformers ChainProcessor": { call: (o) => new ChainProcessor(chain, o).dispose() },
  "ggsl/vite": { call: (o) => vite(o) },
  "@ggsl/compiler compileProgram": { call: (o) => compiler.compileProgram(SOURCE, o) },
  "@ggsl/compiler compileStages": { call: (o) => compiler.compileStages(STAGES, o) },
  "@ggsl/compiler checkProgram": { call: (o) => compiler.checkProgram(FILE, o) },
  "@ggsl/compiler readSpec": { call: (o) => compiler.readSpec(spec, o) },
  "@ggsl/compiler fromSpec": { call: (o) => compiler.fromSpec(JSON.parse(spec), o) },
  "@ggsl/compiler formatDiagnostic": { call: (o) => compiler.formatDiagnostic(fault, o) },
  "@ggsl/compiler formatDiagnostics": { call: (o) => compiler.formatDiagnostics([fault], o) },
  "@ggsl/settings importFile": { call: (o) => settings.importFile(bytes, "s.json", "ollama", o) },
  "@ggsl/settings importWords": { call: (o) => settings.importWords(["--temp", "0.5"], o) },
  "@ggsl/settings exportLlama": { call: (o) => settings.exportLlama(FILE, o) },
  "@ggsl/codegen moduleChains": { call: (o) => moduleChains(FILE, o) },
  "@ggsl/codegen genCommand": { needed: { file: "c.ggsl" }, call: (o) => genCommand(o) },
  "@ggsl/server openServer": { needed: NOWHERE(), call: (o) => server.openServer(o) },
  "@ggsl/server checkServer": { needed: NOWHERE(), call: (o) => server.checkServer(o) },
  "@ggsl/server serve": { needed: NOWHERE(), call: (o) => server.serve(o, () => undefined) },
  "@ggsl/server openModelsServer": { needed: MODELS(), call: async (o) => (await server.openModelsServer(o)).close(0) },
  "@ggsl/server checkModels": { needed: MODELS(), call: (o) => server.checkModels(o) },
  "@ggsl/server serveModels": { needed: MODELS(), call: (o) => server.serveModels(o, () => undefined) },
  "@ggsl/server isOpenToAll": { needed: NOWHERE(), call: (o) => server.isOpenToAll(o) },
  // imported by their paths
  "ggsl/chain/explain.js explain": { call: (o) => explain(chain.graph, 32, o) },
  "ggsl/chain/testing.js runTests": { call: (o) => runTests(TEST, ["reference"], undefined, o) },
};

/** At an address that no machine has: models are not loaded before a request asks for them. */
function MODELS(): object {
  return { models: [{ name: "none", file: "/nowhere/none.gguf" }], host: "192.0.2.1", log: "off" };
}

function NOWHERE(): object {
  return { model: "/nowhere/none.gguf", log: "off" };
}

/** An answer that never comes is no refusal. */
const soon = (work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work, new Promise((resolve) => setTimeout(resolve, 20))]);

/** What a call fails with. */
async function failure(call: Call, options: object): Promise<{ readonly code?: string; readonly message: string }> {
  try {
    await call(options as never);
  } catch (error) {
    return error as { code?: string; message: string };
  }
  return { message: "" };
}

const REFUSED = /^(INVALID_ARGUMENT|INVALID_OPTION)$/;

/** What errors are made with. */
const NOT_CALLED = ["new ggsl ModelError"];

test("each function with options of the entry points has a case", () => {
  const cases = Object.keys(CALLS).filter((name) => !name.includes(".js "));
  expect(cases.sort()).toEqual(functionsWithOptions().filter((name) => !NOT_CALLED.includes(name)));
});

describe.each(Object.entries(CALLS))("%s", (_, { needed = {}, call }) => {
  test("refuses a name that nothing reads", async () => {
    const { code, message } = await failure(call, { ...needed, notAnOption: 1 });
    expect(message).toMatch(/^unknown option `notAnOption`: expected `\w+`/);
    expect(code).toMatch(REFUSED);
  });

  test("takes such a name without a value", async () => {
    const { message } = await failure(call, { ...needed, notAnOption: undefined });
    expect(message).not.toContain("notAnOption");
  });

  test.each([["a text"], [null], [[1]]])("refuses %j in place of options", async (value) => {
    const { code, message } = await failure(call, value as never);
    expect(message).toMatch(/must be an object, found/);
    expect(code).toMatch(REFUSED);
  });
});

describe("objects in options", () => {
  test.each([
    ["ggsl Model.generate", { feed: { biass: new Map() } }, "`feed.biass`: did you mean `bias`?"],
    ["ggsl Model.generate", { guides: { g: { prompt: "a", text: "b" } } }, "the logits of no other sequence"],
    ["ggsl Model.generate", { speculate: { ngrams: {} } }, "`speculate.ngrams`: did you mean `ngram`?"],
    ["ggsl Model.generate", { speculate: { ngram: { maxx: 3 } } }, "`speculate.ngram.maxx`: did you mean `max`?"],
    ["ggsl Model.generate", { speculate: { ngram: {}, tokens: 3 } }, "`speculate.tokens`: expected `ngram`"],
    ["ggsl Model.generate", { uniforms: { tt: 1 } }, "no uniform `tt`: did you mean `t`?"],
    ["ggsl GenerationBatch.add", { uniforms: { temperature: 1 } }, "no uniform `temperature`: its uniforms are `t`"],
    ["ggsl createEvaluator", { feed: { vocab: [] } }, "`feed.vocab`"],
    ["ggsl compile", { limits: { node: 3 } }, 'no limit "node"'],
    ["ggsl/compare compareChains", { chains: [{ name: "c", chain, uniform: {} }] }, "did you mean `uniforms`?"],
    [
      "@ggsl/server openServer",
      { samplers: [{ name: "a", path: "b" }] },
      "`samplers[0].path`: expected `name`, `file`",
    ],
    ["@ggsl/server openServer", { slots: [{ slot: 0, names: "b" }] }, "`slots[0].names`: did you mean `name`?"],
  ])("%s: %j", async (name, options, expected) => {
    const { needed = {}, call } = CALLS[name]!;
    const { code, message } = await failure(call, { ...needed, ...options });
    expect(message).toContain(expected);
    expect(code).toMatch(REFUSED);
  });

  test.each([
    [{ json_schema: {} }, "`json_schema`: did you mean `jsonSchema`?"],
    [{ jsonSchema: {}, ignores: [] }, "`ignores`: did you mean `ignore`?"],
    [{ gbnf: 'root ::= "a"', root: "start" }, "`root`"],
  ])("a grammar: %j", async (grammar, expected) => {
    const constrained = ggsl.compile(SOURCE, { constrained: true });
    const { call } = CALLS["ggsl Model.generate"]!;
    const { code, message } = await failure(call, { chain: constrained, uniforms: { grammar } });
    expect(message).toContain(`unknown option ${expected}`);
    expect(code).toMatch(REFUSED);
  });
});

describe("names from elsewhere", () => {
  test.each([
    ["ggsl loadModel", "nCtx", "did you mean `contextSize`?"],
    ["ggsl loadModel", "n_ctx", "did you mean `contextSize`?"],
    ["ggsl loadModel", "num_ctx", "did you mean `contextSize`?"],
    ["ggsl loadModel", "n_gpu_layers", "did you mean `gpuLayers`?"],
    ["ggsl loadModel", "nThreads", "did you mean `threads`?"],
    ["ggsl loadModel", "flash_attn", "did you mean `flashAttention`?"],
    ["ggsl loadModel", "contxtSize", "did you mean `contextSize`?"],
    ["ggsl loadModel", "temperature", "samplers are stages of the chain, say it there: `temp(0.3)`"],
    ["ggsl Model.generate", "max_tokens", "did you mean `maxTokens`?"],
    ["ggsl Model.generate", "max_new_tokens", "did you mean `maxTokens`?"],
    ["ggsl Model.generate", "n_predict", "did you mean `maxTokens`?"],
    ["ggsl Model.generate", "num_predict", "did you mean `maxTokens`?"],
    ["ggsl Model.generate", "stop_sequences", "did you mean `stop`?"],
    ["ggsl Model.generate", "temperature", "say it there: `temp(0.3)`"],
    ["ggsl Model.generate", "topP", "say it there: `top_p(0.3)`"],
    ["ggsl Model.generate", "repeat_penalty", "say it there: `penalties(repeat: 0.3)`"],
    ["ggsl Model.generate", "response_format", "a grammar is a uniform"],
    ["ggsl Model.generate", "logit_bias", "`feed: { bias }`"],
    ["ggsl Model.chat", "chat_template", "did you mean `template`?"],
    ["ggsl Model.batch", "n_parallel", "did you mean `sequences`?"],
    ["ggsl Model.logits", "n_ctx", "did you mean `contextSize`?"],
    ["ggsl compile", "uniforms", "did you mean `set`?"],
    ["@ggsl/server openServer", "api_key", "did you mean `apiKeys`?"],
  ])("%s: %s", async (name, option, expected) => {
    const { needed = {}, call } = CALLS[name]!;
    const { message } = await failure(call, { ...needed, [option]: 0.3 });
    expect(message).toContain(`unknown option \`${option}\``);
    expect(message).toContain(expected);
  });

  test.each(Object.entries(IN_CHAIN))("the stage for %s is one", (_, { stage, typical }) => {
    expect(ggsl.compilePipeline(`${stage(typical)} |> dist()`).graph.name).toBe("chain");
  });

  test("a long name with odd letters is cut", async () => {
    const { message } = await failure(CALLS["ggsl loadModel"]!.call, { [`\u001b[31m${"x".repeat(5000)}`]: 1 });
    expect(message.length).toBeLessThan(600);
    expect(message).not.toContain("\u001b");
  });
});
