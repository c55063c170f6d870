/** examples/onnx: the demo model in ONNX, and the page whose logits stay on the GPU. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowser } from "../../bench/runtimes/browser.js";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { loadModel } from "../../runtime/index.js";
import { writeOnnxModel } from "../../tools/lib/onnxModel.js";
import { DEMO_MODEL } from "../model/file.js";
import { inBrowser, openFolder, patient, SCREENSHOTS, type Site } from "../playground/site.js";
import { openModel, PlainTensor } from "./ort.js";

const FOLDER = join("build", "onnx-model");
const PAGE = join("build", "onnx-page");
/** What the page begins with. */
const STAGES = "min_p(0.05) |> temp(0.8) |> dist(42)";
const TOKENS = 8;
/** llama.cpp rounds activations to 8 bits for weights in Q8_0. */
const MOST_DIFFERENCE = 0.5;

interface Info {
  readonly pieces: readonly (readonly number[])[];
  readonly prompts: readonly { readonly text: string; readonly tokens: readonly number[] }[];
  readonly layers: number;
  readonly heads: number;
  readonly width: number;
}

let info: Info;
beforeAll(async () => {
  await writeOnnxModel(FOLDER);
  info = JSON.parse(readFileSync(join(FOLDER, "model.json"), "utf8")) as Info;
});

/** The logits after each text, of the model in onnxruntime-node; the whole text is read each time. */
function openLogits(): Disposable & { readonly after: (tokens: readonly number[]) => Float32Array } {
  const session = openModel(readFileSync(join(FOLDER, "model.onnx")));
  const { layers, heads, width, pieces } = info;
  const empty = new PlainTensor("float32", new Float32Array(), [1, heads, 0, width]);
  const caches = Array.from({ length: layers }, (_, layer) =>
    ["key", "value"].map((kind) => [`past_key_values.${layer}.${kind}`, empty] as const),
  ).flat();
  return {
    after(tokens) {
      const ids = new PlainTensor("int64", BigInt64Array.from(tokens, BigInt), [1, tokens.length]);
      const { logits } = session.run({ input_ids: ids, ...Object.fromEntries(caches) }, ["logits"]);
      return (logits!.data as Float32Array).slice(-pieces.length);
    },
    [Symbol.dispose]: () => session[Symbol.dispose](),
  };
}

test("the model's logits are llama.cpp's", async () => {
  using model = await loadModel(DEMO_MODEL);
  using logits = openLogits();
  for (const { text, tokens } of info.prompts) {
    const wanted = await model.logits(text);
    const found = logits.after(tokens);
    expect(Math.max(...found.map((x, i) => Math.abs(x - wanted[i]!)))).toBeLessThan(MOST_DIFFERENCE);
    expect(Math.max(...wanted) - Math.min(...wanted)).toBeGreaterThan(10 * MOST_DIFFERENCE);
  }
});

/** The text that the reference picks. */
function expectedText(): string {
  const [prompt] = info.prompts;
  using logits = openLogits();
  const { graph } = compilePipeline(STAGES);
  using evaluator = createEvaluator(graph, info.pieces.length, { backend: "reference", history: prompt!.tokens });
  const tokens = [...prompt!.tokens];
  for (let i = 0; i < TOKENS; i++) {
    tokens.push(evaluator.evaluate(logits.after(tokens)).token!);
    evaluator.accept();
  }
  const bytes = tokens.slice(prompt!.tokens.length).flatMap((token) => info.pieces[token]!);
  return prompt!.text + Buffer.from(bytes).toString("utf8");
}

inBrowser("the page", () => {
  let site: Site;
  beforeAll(async () => {
    const vite = join("node_modules", "vite", "bin", "vite.js");
    const args = [vite, "build", "-c", "examples/onnx/vite.config.ts", "--logLevel", "error"];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    site = await openFolder(PAGE, openBrowser);
  });
  afterAll(async () => {
    await site.close();
  });

  test("writes the reference's text, and reads back the token alone", async () => {
    const page = patient(await site.browser.newPage({ viewport: { width: 1000, height: 800 } }));
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    await page.goto(site.url);
    const text = (id: string): Promise<string | null> => page.textContent(`#${id}`);
    // it stops at an error as well
    const isFar = `Number(document.querySelector("#tokens").textContent) >= ${TOKENS} || document.querySelector("#fault").textContent !== ""`;
    await page.waitForFunction(isFar);
    expect([await text("fault"), faults]).toEqual(["", []]);
    expect(await text("text")).toContain(expectedText());
    const [found, logits] = [Number(await text("bytes")), Number(await text("logits"))];
    expect(logits).toBe(4 * info.pieces.length);
    expect(found).toBeGreaterThan(0);
    expect(found).toBeLessThanOrEqual(16);
    mkdirSync(SCREENSHOTS, { recursive: true });
    await page.screenshot({ path: join(SCREENSHOTS, "onnx.png") });
    await page.close();
  });
});
