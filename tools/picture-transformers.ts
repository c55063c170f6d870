/**
 * `npm run picture:transformers`: draws docs/transformers.svg. The demo model in ONNX continues a prompt by one token, many times, in
 * transformers.js: with its own sampler and `min_p`, and with the chain `min_p(...) |> dist()`. The picture counts the tokens.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AutoModelForCausalLM, env, Tensor } from "@huggingface/transformers";
import { compilePipeline, loadModel } from "ggsl";
import { ChainProcessor } from "ggsl/transformers";
import { writeGenerated } from "./lib/generated.js";
import { DEMO_MODEL, writeOnnxModel } from "./lib/onnxModel.js";

const DRAWS = 1000;
/** Texts at once. */
const BATCH = 100;
const MIN_P = 0.1;
const PROMPT = "And the LORD said unto";
/** Tokens with a bar of their own. */
const SHOWN = 40;

/** What `generate` takes; the types of transformers.js ask for all of its settings. */
type Settings = Readonly<Record<string, unknown>>;
interface Generator {
  generate(settings: Settings): Promise<unknown>;
}

interface Drawn {
  readonly title: string;
  /** The counts by token. */
  readonly counts: ReadonlyMap<number, number>;
}

export async function main(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-transformers-"));
  try {
    await writeModel(folder);
    env.allowRemoteModels = false;
    env.localModelPath = folder;
    const model: Generator = await AutoModelForCausalLM.from_pretrained("demo", { dtype: "fp32", device: "cpu" });
    using demo = await loadModel(DEMO_MODEL);
    const prompt = [...demo.tokenize(PROMPT)];
    const logits = await demo.logits(PROMPT);
    const own = await drawn(model, prompt, () => ({ do_sample: true, top_k: 0, min_p: MIN_P }));
    const chain = compilePipeline(`min_p(${MIN_P}) |> dist()`);
    let seed = 0;
    const chained = await drawn(model, prompt, () => {
      const processor = new ChainProcessor(chain, () => ({ draws: [(seed++ + 0.5) / DRAWS] }));
      return { do_sample: false, logits_processor: [processor] };
    });
    const sides: Drawn[] = [
      { title: `transformers.js ${env.version}: min_p: ${MIN_P}`, counts: own },
      { title: `with ggsl/transformers: min_p(${MIN_P}) |> dist()`, counts: chained },
    ];
    writeGenerated(join("docs", "transformers.svg"), picture(sides, logits));
  } finally {
    rmSync(folder, { recursive: true });
  }
  return 0;
}

/** The demo model as transformers.js reads it. */
async function writeModel(folder: string): Promise<void> {
  const parts = join(folder, "demo", "onnx");
  mkdirSync(parts, { recursive: true });
  await writeOnnxModel(parts);
  const { layers, heads, width } = JSON.parse(readFileSync(join(parts, "model.json"), "utf8")) as Record<
    string,
    number
  >;
  const config = {
    model_type: "llama",
    architectures: ["LlamaForCausalLM"],
    is_encoder_decoder: false,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    num_key_value_heads: heads,
    head_dim: width,
    hidden_size: heads! * width!,
  };
  writeFileSync(join(folder, "demo", "config.json"), JSON.stringify(config));
  writeFileSync(
    join(folder, "demo", "generation_config.json"),
    JSON.stringify({ eos_token_id: null, bos_token_id: 0 }),
  );
}

/** How often each token continues the prompt. `settingsOf` gives the settings of each call. */
async function drawn(
  model: Generator,
  prompt: readonly number[],
  settingsOf: () => Settings,
): Promise<Map<number, number>> {
  const rows = (values: readonly number[]): Tensor =>
    new Tensor("int64", BigInt64Array.from(Array.from({ length: BATCH }, () => values).flat(), BigInt), [
      BATCH,
      values.length,
    ]);
  const given = { inputs: rows(prompt), attention_mask: rows(prompt.map(() => 1)), max_new_tokens: 1 };
  const counts = new Map<number, number>();
  for (let done = 0; done < DRAWS; done += BATCH) {
    const found = (await model.generate({ ...given, ...settingsOf() })) as Tensor;
    for (const row of found.tolist() as bigint[][]) {
      const token = Number(row.at(-1));
      counts.set(token, (counts.get(token) ?? 0) + 1);
    }
  }
  return counts;
}

// ---------------------------------------------------------------- the picture

const LEFT = 48;
const BAR = 13;
const HEIGHT = 130;
const PANEL = 210;
const TOP = 78;

const STYLE = `
  svg { font: 12px system-ui, sans-serif; fill: #1f2328; background: #ffffff }
  .title { font-size: 14px; font-weight: 600 } .soft { fill: #59636e } .end { text-anchor: end } .middle { text-anchor: middle }
  .axis { stroke: #59636e } .kept { fill: #0969da } .dropped { fill: #bc4c00 }
  @media (prefers-color-scheme: dark) {
    svg { fill: #f0f6fc; background: #0d1117 } .soft { fill: #9198a1 } .axis { stroke: #9198a1 }
    .kept { fill: #4493f8 } .dropped { fill: #db6d28 }
  }`;

const text = (x: number, y: number, words: string, name = ""): string =>
  `<text x="${x}" y="${y}" class="${name}">${words.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</text>`;

/** A panel for each side: the share of the draws by token, the most probable first. */
function picture(sides: readonly Drawn[], logits: Float32Array): string {
  const order = [...logits.keys()].sort((a, b) => logits[b]! - logits[a]!);
  const bound = logits[order[0]!]! + Math.log(MIN_P);
  const shown = order.slice(0, SHOWN);
  const most = Math.max(...sides.flatMap(({ counts }) => [...counts.values()]));
  const width = LEFT + (SHOWN + 3) * BAR + 24;
  const panels = sides.map(({ title, counts }, i) => {
    const y = TOP + i * PANEL;
    const dropped = [...counts].reduce((sum, [token, count]) => sum + (logits[token]! < bound ? count : 0), 0);
    const bars = [
      ...shown.map((token, place) => ({ place, count: counts.get(token) ?? 0, isKept: logits[token]! >= bound })),
      { place: SHOWN + 1, count: othersOf(counts, shown), isKept: false },
    ];
    const top = Math.max(most, ...bars.map(({ count }) => count));
    return [
      text(16, y - 22, title, "title"),
      text(16, y - 6, `${dropped} of ${DRAWS} draws are tokens that min_p drops`, "soft"),
      text(LEFT - 6, y + 12, `${Math.round((100 * top) / DRAWS)} %`, "soft end"),
      text(LEFT - 6, y + HEIGHT, "0", "soft end"),
      ...bars.map(({ place, count, isKept }) => {
        const height = (count / top) * (HEIGHT - 8);
        return `<rect class="${isKept ? "kept" : "dropped"}" x="${LEFT + place * BAR}" y="${(y + HEIGHT - height).toFixed(1)}" width="${BAR - 3}" height="${height.toFixed(1)}"/>`;
      }),
      `<line class="axis" x1="${LEFT - 4}" x2="${width - 16}" y1="${y + HEIGHT}" y2="${y + HEIGHT}"/>`,
      text(LEFT + (SHOWN / 2) * BAR, y + HEIGHT + 16, `the ${SHOWN} most probable tokens`, "soft middle"),
      text(LEFT + (SHOWN + 1.5) * BAR, y + HEIGHT + 16, "others", "soft middle"),
    ].join("\n");
  });
  const height = TOP + sides.length * PANEL - 30;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>The next token after "${PROMPT}", drawn ${DRAWS} times</title><style>${STYLE}</style>`,
    text(16, 26, `The next token after “${PROMPT}”, drawn ${DRAWS} times`, "title"),
    `<rect class="kept" x="${width - 250}" y="44" width="10" height="10"/>`,
    text(width - 234, 53, "kept by min_p"),
    `<rect class="dropped" x="${width - 130}" y="44" width="10" height="10"/>`,
    text(width - 114, 53, "dropped by it"),
    ...panels,
    "</svg>\n",
  ].join("\n");
}

function othersOf(counts: ReadonlyMap<number, number>, shown: readonly number[]): number {
  const own = new Set(shown);
  return [...counts].reduce((sum, [token, count]) => sum + (own.has(token) ? 0 : count), 0);
}
