/** The forms that `ggsl compile` writes, and the options of each. */
import { dirname, resolve } from "node:path";
import { Option } from "commander";
import { MOST_OPSET, LEAST_OPSET, SUMS, type OnnxOptions } from "@ggsl/compiler/emit/onnx/options.js";
import type { PythonLibrary } from "@ggsl/compiler/emit/python/emit.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { printDot } from "@ggsl/compiler/graph/dot.js";
import { writeSpec } from "@ggsl/compiler/graph/json.js";
import { show } from "@ggsl/compiler/core/show.js";
import { printGraph } from "@ggsl/compiler/graph/text.js";
import { visible } from "@ggsl/compiler/source/visible.js";
import type { Chain } from "ggsl/chain/chain.js";
import { invalid } from "ggsl/core/errors.js";
import { readBytes } from "./files.js";
import { atMost, positive, UsageError } from "./usage.js";

/** The options that some forms have; all of them are of the command. */
export interface FormOptions extends OnnxOptions {
  readonly rows?: true;
  readonly into?: string;
}

/** Each option of `FormOptions`; one that a form does not have is an error with it. */
const OPTIONS: Readonly<Record<keyof FormOptions, () => Option>> = {
  into: () =>
    new Option(
      "--into <model>",
      "with --emit onnx: write that ONNX language model with the chain at its end (docs/runtimes.md)",
    ),
  vocab: () => new Option("--vocab <n>", "the vocabulary size, with --emit onnx (default: any)").argParser(positive),
  sums: () =>
    new Option("--sums <type>", "what sums are added in, with --emit onnx; WebGPU needs f32 (default: f64)").choices(
      SUMS,
    ),
  rows: () => new Option("--rows", "give the rows that are left as well, with --emit onnx, numpy or torch"),
  opset: () =>
    new Option(
      "--opset <n>",
      `the version of ONNX's operators, from ${LEAST_OPSET} to ${MOST_OPSET}, with --emit onnx (default: 17)`,
    ).argParser(atMost(MOST_OPSET)),
};

export const formOptions = (): Option[] => Object.values(OPTIONS).map((option) => option());

interface Form {
  readonly options: readonly (keyof FormOptions)[];
  /** Bytes are no text for a terminal. `output` is the file that they will be written to. */
  readonly write: (chain: Chain, options: FormOptions, output?: string) => string | Promise<string | Uint8Array>;
}

const python = (library: PythonLibrary): Form => ({
  options: ["rows"],
  async write(chain, { rows }) {
    const { emitPython } = await import("@ggsl/compiler/emit/python/emit.js");
    return emitPython(rows ? chain.rowsGraph : chain.graph, library);
  },
});

/** A model with the graph at its end. Weights in files of their own are looked for beside the model. */
async function appended(
  graph: Graph,
  into: string,
  { opset, ...options }: FormOptions,
  output: string | undefined,
): Promise<Uint8Array> {
  if (opset !== undefined) throw new UsageError("--opset is no option with --into: the model has its own");
  const { appendOnnx, readLanguageModel, MOST_BYTES } = await import("@ggsl/compiler/emit/onnx/append.js");
  const model = readBytes(into, MOST_BYTES);
  const [file] = readLanguageModel(model).externalFiles;
  if (file !== undefined && dirname(resolve(output ?? "-")) !== dirname(resolve(into)))
    throw invalid(
      `the weights of "${into}" are in ${show(file)} beside it: write the new model into the same folder, with -o`,
    );
  return appendOnnx(graph, model, options);
}

export const FORMS = {
  json: { options: [], write: ({ graph }) => writeSpec(graph) },
  text: { options: [], write: ({ graph }) => visible(printGraph(graph)) },
  dot: { options: [], write: ({ graph }) => visible(printDot(graph)) },
  onnx: {
    options: ["into", "vocab", "sums", "rows", "opset"],
    async write(chain, { rows, into, ...options }, output) {
      const graph = rows ? chain.rowsGraph : chain.graph;
      if (into !== undefined) return appended(graph, into, options, output);
      const { emitOnnx } = await import("@ggsl/compiler/emit/onnx/emit.js");
      return emitOnnx(graph, options);
    },
  },
  numpy: python("numpy"),
  torch: python("torch"),
} satisfies Readonly<Record<string, Form>>;

export type FormName = keyof typeof FORMS;

/** Throws `UsageError` for an option that the form does not have. */
export function checkFormOptions(name: FormName, given: FormOptions): void {
  const { options }: Form = FORMS[name];
  const stray = (Object.keys(OPTIONS) as (keyof FormOptions)[]).find(
    (option) => given[option] !== undefined && !options.includes(option),
  );
  if (stray !== undefined) throw new UsageError(`--${stray} is no option of --emit ${name}`);
}

/** The options of a form alone. */
export const optionsOf = (given: FormOptions): FormOptions =>
  Object.fromEntries(Object.keys(OPTIONS).map((name) => [name, given[name as keyof FormOptions]]));
