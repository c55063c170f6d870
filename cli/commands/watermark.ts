/** `ggsl watermark`: keys of watermarks, and whether texts have one. */
import { Argument, Option, type Command } from "commander";
import { detectAaronson, detectSynthId, detectWatermark, type WatermarkScore } from "ggsl/chain/watermark.js";
import { formatTable } from "ggsl/core/table.js";
import { demoModel } from "ggsl/models/demo.js";
import { loadModel } from "ggsl/models/model.js";
import { MAX_BYTES, readText } from "../files.js";
import { jsonOption, UsageError } from "../usage.js";
import { newKey, readKey, seedOf } from "../watermarkKey.js";
import { withValues } from "../values.js";

/** By the standard sampler that marks the text. */
const DETECTORS: Readonly<Record<string, (tokens: Int32Array, key: number) => WatermarkScore>> = {
  synthid: (tokens, key) => detectSynthId(tokens, { key }),
  watermark: (tokens, key) => detectWatermark(tokens, { key }),
  aaronson: (tokens, key) => detectAaronson(tokens, { key }),
};

interface Options {
  readonly keyFile?: string;
  readonly label: string;
  readonly sampler: string;
  readonly model: string;
  readonly json?: true;
}

export const addWatermark = (command: Command): Command =>
  command
    .addArgument(
      new Argument(
        "<action>",
        "print a new secret, print the seed for a sampler, or look for the mark in texts",
      ).choices(["key", "seed", "detect"]),
    )
    .argument("[files...]", "texts; - is standard input")
    .option("--key-file <file>", "the secret: 64 hexadecimal digits")
    .option("--label <text>", "another label gives another seed of the same secret", "")
    .addOption(
      new Option("--sampler <name>", "the standard sampler that marks the text")
        .choices(Object.keys(DETECTORS))
        .default("synthid"),
    )
    .addOption(
      withValues(
        new Option("--model <gguf>", "the model whose tokens the texts have").default(demoModel(), "the demo model"),
        {
          files: ["gguf"],
        },
      ),
    )
    .addOption(jsonOption())
    .action(run);

async function run(action: string, files: readonly string[], options: Options): Promise<void> {
  if (action !== "detect" && files.length > 0) throw new UsageError(`\`ggsl watermark ${action}\` reads no texts`);
  if (action === "key") return void process.stdout.write(`${newKey()}\n`);
  if (options.keyFile === undefined) throw new UsageError(`\`ggsl watermark ${action}\` needs --key-file FILE`);
  const seed = seedOf(readKey(options.keyFile), options.label);
  if (action === "seed") return void process.stdout.write(`${seed}\n`);
  if (files.length === 0) throw new UsageError("`ggsl watermark detect` needs files of texts, or - for standard input");
  const texts = files.map((file) => readText(file, MAX_BYTES.source));
  using model = await loadModel(options.model, { backend: "cpu", contextSize: 256 });
  const scores = texts.map((text) => DETECTORS[options.sampler]!(model.tokenize(text), seed));
  process.stdout.write(options.json ? jsonOf(files, scores) : tableOf(files, scores));
}

const jsonOf = (files: readonly string[], scores: readonly WatermarkScore[]): string =>
  `${JSON.stringify(files.map((file, i) => ({ file, ...scores[i]! })))}\n`;

const tableOf = (files: readonly string[], scores: readonly WatermarkScore[]): string =>
  formatTable(
    ["file", "tokens", "z", "p"],
    files.map((file, i) => {
      const { tokens, z, p } = scores[i]!;
      return [file, `${tokens}`, z.toFixed(2), p.toExponential(2)];
    }),
  );
