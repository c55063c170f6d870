/** Chains at the end of ONNX language models: texts are those of the chain beside the model, and of the reference. */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { appendOnnx, type AppendOptions } from "../../compiler/emit/onnx/append.js";
import { emitOnnx } from "../../compiler/emit/onnx/emit.js";
import { MOST_FIELDS } from "../../compiler/emit/onnx/fields.js";
import { OnnxModelError } from "../../compiler/emit/onnx/modelError.js";
import { modelBytes, type OnnxGraph } from "../../compiler/emit/onnx/protobuf.js";
import { FIELD } from "../../compiler/emit/onnx/schema.js";
import { appendedSurfaceOf } from "../../compiler/emit/surface.js";
import type { Graph } from "../../compiler/graph/graph.js";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { createAppendedSampler } from "../../runtime/onnx/appended.js";
import { feedsBesideLogits, outputNames, outputsOf, type Feeds } from "../../runtime/onnx/values.js";
import { openSteps } from "../../runtime/chain/openSteps.js";
import { smallModel, type ModelOptions } from "./languageModel.js";
import { openModel, openOnnx, ORT, PlainTensor, type OpenModel } from "./ort.js";

const V = 500;
const WIDTH = 32;
const PROMPT = [5, 4, 3, 2, 1];
const TOKENS = 20;

const CHAINS: readonly Graph[] = [
  "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
  "penalties(8, 1.2) |> top_n_sigma(1) |> xtc(0.5, 0.1, seed: 2) |> dist(7)",
  "mirostat_v2(seed: 3)",
  "greedy()",
].map((stages) => compilePipeline(stages).graph);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-append-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const PAST = ["past_key_values.0.key", "past_key_values.0.value"];
const PRESENT = ["present.0.key", "present.0.value"];

const ids = (rows: readonly (readonly number[])[]): PlainTensor =>
  new PlainTensor("int64", BigInt64Array.from(rows.flat(), BigInt), [rows.length, rows[0]!.length]);

/** Runs a model on texts, step by step, as a decode loop does. */
function openLoop(model: OpenModel, hasCache: boolean): (texts: readonly (readonly number[])[], more: Loop) => Feeds {
  let cache: Feeds | undefined;
  return (texts, { feeds, outputs }) => {
    const [{ length }] = texts as [readonly number[]];
    if (!hasCache) return model.run({ input_ids: ids(texts), ...feeds }, outputs);
    const empty = new PlainTensor("float32", new Float32Array(), [texts.length, 1, 0, WIDTH]);
    const results = model.run(
      {
        ...feeds,
        input_ids: ids(cache ? texts.map((text) => text.slice(-1)) : texts),
        attention_mask: ids(texts.map(() => Array.from({ length }, () => 1))),
        ...Object.fromEntries(PAST.map((name, i) => [name, cache?.[PRESENT[i]!] ?? empty])),
      },
      [...outputs, ...PRESENT],
    );
    cache = results;
    return results;
  };
}

interface Loop {
  readonly feeds: Feeds;
  readonly outputs: readonly string[];
}

/** The text that a model with the chain writes; the logits are not fetched. */
function appendedText(graph: Graph, model: Uint8Array | string, hasCache: boolean): number[] {
  using open = openModel(model);
  const run = openLoop(open, hasCache);
  using sampler = createAppendedSampler(graph, V, { ort: ORT, history: PROMPT });
  const text = [...PROMPT];
  for (let i = 0; i < TOKENS; i++) {
    const results = run([text], { feeds: sampler.feeds(), outputs: sampler.outputs });
    expect(Object.keys(results)).not.toContain("logits");
    text.push(sampler.read(results).token!);
    sampler.accept();
  }
  return text;
}

/** The text of the model alone, with what picks a token of its logits. */
function textOf(model: Uint8Array, hasCache: boolean, pick: (logits: Float32Array) => number): number[] {
  using open = openModel(model);
  const run = openLoop(open, hasCache);
  const text = [...PROMPT];
  for (let i = 0; i < TOKENS; i++) text.push(pick(lastLogits(run([text], { feeds: {}, outputs: ["logits"] }), 1)[0]!));
  return text;
}

/** The logits of the last position of each text. */
function lastLogits({ logits }: Feeds, rows: number): Float32Array[] {
  const { data, dims } = logits as { data: Float32Array | Uint16Array; dims: readonly number[] };
  // the addon's arrays are of another realm than those of a test
  const isHalf = data.BYTES_PER_ELEMENT === 2;
  const all = isHalf ? Float32Array.from(new Uint16Array(data.buffer), halfValue) : (data as Float32Array);
  const size = dims[1]! * dims[2]!;
  return Array.from({ length: rows }, (_, row) => all.slice((row + 1) * size - dims[2]!, (row + 1) * size));
}

/** The value of 16 bits, IEEE 754; without infinities. */
function halfValue(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function referenceText(graph: Graph, model: Uint8Array, hasCache: boolean): number[] {
  using evaluator = createEvaluator(graph, V, { backend: "reference", history: PROMPT });
  return textOf(model, hasCache, (logits) => {
    const { token } = evaluator.evaluate(logits);
    evaluator.accept();
    return token!;
  });
}

function separateText(graph: Graph, model: Uint8Array, hasCache: boolean): number[] {
  using chain = openOnnx(graph, V);
  const steps = openSteps(graph, V, { history: PROMPT });
  return textOf(model, hasCache, (logits) => {
    const { token } = steps.end(chain.run([steps.begin(logits)])[0]!);
    steps.accept();
    return token!;
  });
}

const MODELS: readonly Required<Pick<ModelOptions, "opset" | "type" | "hasCache">>[] = [15, 17, 21].flatMap((opset) =>
  (["f32", "f16"] as const).flatMap((type) => [true, false].map((hasCache) => ({ opset, type, hasCache }))),
);

describe.each(MODELS)("a model of opset $opset with logits in $type, cache: $hasCache", (options) => {
  const { bytes } = smallModel({ ...options, vocab: V });
  const { hasCache } = options;

  test("writes the text of the separate chain, and of the reference", () => {
    for (const graph of CHAINS) {
      const text = appendedText(graph, appendOnnx(graph, bytes), hasCache);
      expect(text).toEqual(separateText(graph, bytes, hasCache));
      expect(text).toEqual(referenceText(graph, bytes, hasCache));
      expect(new Set(text).size).toBeGreaterThan(PROMPT.length + 1);
    }
  });

  test("picks for each sequence of a batch, with all outputs of the chain", () => {
    const { rowsGraph } = compilePipeline("top_k(40) |> mirostat_v2(seed: 3)");
    const texts = [PROMPT, [9, 8, 7, 6, 5], [1, 1, 2, 2, 3]];
    const steps = texts.map((text, i) => openSteps(rowsGraph, V, { history: text, draws: [0.2 + 0.3 * i] }));
    using open = openModel(appendOnnx(rowsGraph, bytes));
    const surface = appendedSurfaceOf(rowsGraph, V);
    const feeds = feedsBesideLogits(
      ORT,
      surface,
      steps.map((s) => s.beginWithoutLogits()),
    );
    const names = outputNames(surface);
    const results = openLoop(open, hasCache)(texts, { feeds, outputs: [...names, "logits"] });
    const logits = lastLogits(results, texts.length);
    steps.forEach((step, row) => {
      const found = step.end(outputsOf(surface, results, row, texts.length));
      using evaluator = createEvaluator(rowsGraph, V, {
        backend: "reference",
        history: texts[row]!,
        draws: [0.2 + 0.3 * row],
      });
      const wanted = evaluator.evaluate(logits[row]!);
      expect(found.token).toBe(wanted.token);
      expect(found.candidates.map(({ token }) => token)).toEqual(wanted.candidates.map(({ token }) => token));
      step.accept();
      evaluator.accept();
      expect(step.states["mu"]).toBeCloseTo(evaluator.states["mu"]!, 4);
    });
  });
});

test("the model's logits are those that are calculated here", () => {
  const { bytes, logitsAfter } = smallModel({ vocab: V });
  using open = openModel(bytes);
  const [found] = lastLogits(openLoop(open, true)([PROMPT], { feeds: {}, outputs: ["logits"] }), 1);
  const wanted = logitsAfter(PROMPT);
  expect(Math.max(...found!.map((x, i) => Math.abs(x - wanted[i]!)))).toBeLessThan(1e-5);
});

test("a vocabulary that the model does not declare is given", () => {
  const { bytes } = smallModel({ vocab: V, declared: "vocab_size" });
  const [graph] = CHAINS;
  const text = appendedText(graph!, appendOnnx(graph!, bytes, { vocab: V, sums: "f32" }), true);
  expect(text).toEqual(referenceText(graph!, bytes, true));
});

describe("a model whose weights are in a file of their own", () => {
  const { bytes, external } = smallModel({ vocab: V, externalFile: "model.onnx_data" });
  const stages = "top_k(40) |> temp(0.8) |> dist(42)";
  const compile = (...args: readonly string[]): { status: number | null; stderr: string } => {
    const all = ["runtime/dist/cli/main.js", "compile", "-e", stages, "--emit", "onnx", ...args];
    return spawnSync(process.execPath, all, { encoding: "utf8" });
  };
  beforeAll(() => {
    writeFileSync(join(folder, "model.onnx"), bytes);
    writeFileSync(join(folder, "model.onnx_data"), external);
    mkdirSync(join(folder, "elsewhere"));
  });

  test("is appended to beside them", () => {
    const [into, merged] = [join(folder, "model.onnx"), join(folder, "merged.onnx")];
    expect(compile("--into", into, "-o", merged)).toMatchObject({ status: 0, stderr: "" });
    const { graph } = compilePipeline(stages, { file: "-e" });
    expect(appendedText(graph, merged, true)).toEqual(referenceText(graph, smallModel({ vocab: V }).bytes, true));
  });

  test("is an error elsewhere, as are options that the model decides", () => {
    const into = join(folder, "model.onnx");
    const far = compile("--into", into, "-o", join(folder, "elsewhere", "merged.onnx"));
    expect(far.status).toBe(1);
    expect(far.stderr).toContain('are in "model.onnx_data" beside it: write the new model into the same folder');
    const opset = compile("--into", into, "--opset", "17", "-o", join(folder, "x.onnx"));
    expect(opset).toMatchObject({ status: 2 });
    expect(opset.stderr).toContain("--opset is no option with --into");
    const missing = compile("--into", join(folder, "none.onnx"), "-o", join(folder, "x.onnx"));
    expect(missing).toMatchObject({ status: 1 });
    expect(missing.stderr).toContain("none.onnx");
  });
});

/** A model with other inputs and outputs. */
const modelWith = (graph: Partial<OnnxGraph>, opset = 17): Uint8Array =>
  modelBytes({ name: "lm", opset, metadata: {}, graph: { ...smallModel({ vocab: V }).graph, ...graph } });

const output = (name: string, dims: readonly (number | string)[], type: "f32" | "i64" = "f32"): Partial<OnnxGraph> => ({
  outputs: [{ name, type, dims }],
});

describe("a model that a chain cannot be appended to", () => {
  const [graph] = CHAINS;
  test.each<[string, string, Uint8Array, RegExp]>([
    ["no ONNX", "INVALID_ONNX", Buffer.from("GGUF and more"), /^expected an ONNX model, found a file that is none/],
    ["empty", "INVALID_ONNX", new Uint8Array(), /it has no graph/],
    ["no logits", "UNSUITABLE_ONNX", modelWith(output("scores", ["B", 10])), /found the outputs "scores"/],
    ["no outputs", "UNSUITABLE_ONNX", modelWith({ outputs: [] }), /`logits`, found no outputs/],
    ["a classifier", "UNSUITABLE_ONNX", modelWith(output("logits", ["B", 2])), /vocabulary\], found \["B", 2\]/],
    ["integers", "UNSUITABLE_ONNX", modelWith(output("logits", ["B", "S", V], "i64")), /f32, f16, .* found type 7/],
    [
      "a dynamic vocabulary",
      "UNSUITABLE_ONNX",
      smallModel({ vocab: V, declared: "V" }).bytes,
      /give the size as `vocab`/,
    ],
    [
      "an empty vocabulary",
      "UNSUITABLE_ONNX",
      smallModel({ vocab: V, declared: 0 }).bytes,
      /1 to 16777216 tokens, found \["batch/,
    ],
    ["an old opset", "UNSUITABLE_ONNX", modelWith({}, 14), /version 15 to 21, found 14: export it again/],
    ["a new opset", "UNSUITABLE_ONNX", modelWith({}, 99), /version 15 to 21, found 99/],
    [
      "a second chain",
      "UNSUITABLE_ONNX",
      appendOnnx(graph!, smallModel({ vocab: V }).bytes),
      /appended to this model already/,
    ],
    ["a chain alone", "UNSUITABLE_ONNX", emitOnnx(graph!), /appended to this model already/],
  ])("%s", (_, code, bytes, message) => {
    expect(() => appendOnnx(graph!, bytes)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });

  test.each<[AppendOptions, string]>([
    [{ vocab: 499 }, "`vocab` is 499, and the model's vocabulary has 500 tokens"],
    [{ sums: "f16" as "f32" }, '`sums` must be one of f64, f32, found "f16"'],
  ])("%j", (options, message) => {
    expect(() => appendOnnx(graph!, smallModel({ vocab: V }).bytes, options)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", message: expect.stringContaining(message) }),
    );
  });
});

describe("a damaged model is an error with a code, or a model whose damage is elsewhere", () => {
  const { bytes: model } = smallModel({ vocab: 8, width: 2 });
  const [graph] = CHAINS;
  const codeOf = (damaged: Uint8Array): string => {
    try {
      const { length } = appendOnnx(graph!, damaged);
      return length > damaged.length ? "appended" : "lost";
    } catch (error) {
      return error instanceof OnnxModelError ? error.code : String(error);
    }
  };

  test("cut off anywhere", () => {
    const codes = Array.from(model, (_, end) => codeOf(model.subarray(0, end)));
    expect([...new Set(codes)].sort()).toEqual(["INVALID_ONNX"]);
  });

  test("with graphs in graphs without end", () => {
    const message = (field: number, body: Uint8Array): Uint8Array =>
      new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(body).finish();
    const { node, attribute } = { node: FIELD.graph.node, attribute: FIELD.node.attribute };
    let inner: Uint8Array = new Uint8Array();
    for (let i = 0; i < 1000; i++) inner = message(node, message(attribute, message(FIELD.attribute.graph, inner)));
    expect(() => appendOnnx(graph!, message(FIELD.model.graph, inner))).toThrow("nested more than 16 deep");
  });

  test("with more fields than a model has", () => {
    // empty graphs, and empty nodes of one
    const many = (field: number): Uint8Array => Buffer.alloc(2 * MOST_FIELDS + 2, Buffer.of(8 * field + 2, 0));
    const nodes = new BinaryWriter().tag(FIELD.model.graph, WireType.LengthDelimited).bytes(many(FIELD.graph.node));
    for (const bytes of [many(FIELD.model.graph), nodes.finish()])
      expect(() => appendOnnx(graph!, bytes)).toThrow("it has more than 1048576 fields");
  });

  test("with any byte changed", () => {
    const changes = [0x80, 0x07];
    const codes = changes.flatMap((mask) =>
      Array.from(model, (_, at) => codeOf(model.map((byte, i) => (i === at ? byte ^ mask : byte)))),
    );
    expect([...new Set(codes)].sort()).toEqual(["INVALID_ONNX", "UNSUITABLE_ONNX", "appended"]);
  });
});
