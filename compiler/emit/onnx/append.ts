/** A graph at the end of an ONNX language model: one model, whose logits need not leave its device. */
import type { Graph } from "../../graph/graph.js";
import { checkNames, type OptionNames } from "../../core/optionNames.js";
import { OptionError } from "../../core/optionError.js";
import { refuseTail } from "../emitError.js";
import { appendedSurfaceOf } from "../surface.js";
import { Builder, TO_END } from "./builder.js";
import { metadataOf } from "./emit.js";
import { emitGraph } from "./graph.js";
import { LOGITS, readLanguageModel, type LanguageModel } from "./model.js";
import { unsuitable } from "./modelError.js";
import { knownOptions, type OnnxOptions } from "./options.js";
import { additionBytes } from "./protobuf.js";

export { readLanguageModel };

export type AppendOptions = Pick<OnnxOptions, "vocab" | "sums">;

const NAMES: OptionNames<AppendOptions> = { vocab: true, sums: true };

/** The largest message that protobuf reads. */
export const MOST_BYTES = 2 ** 31 - 1;

/**
 * The bytes of a model with a verified graph at its end, which picks the token after the last position of `logits`. The model keeps
 * its inputs and outputs; those of the graph are as `emitOnnx` has them, with names that begin with `ggsl.`.
 * @param model an ONNX model with an output `logits` `[batch, position, V]`, with operators of version 15 to 21
 * @param options `vocab` is needed if the model does not declare its vocabulary size
 * @throws EmitError for a host tail, OptionError for options that are wrong or contradict the model, OnnxModelError for a model that
 * cannot be read or has no such output
 */
export function appendOnnx(graph: Graph, model: Uint8Array, options: AppendOptions = {}): Uint8Array {
  checkNames(options, NAMES);
  refuseTail(graph, "ONNX");
  const found = readLanguageModel(model);
  const vocab = vocabOf(found, options.vocab);
  const known = knownOptions({ ...options, vocab, opset: found.opset });
  const surface = appendedSurfaceOf(graph, vocab);
  const b = new Builder(surface, known, found.batch ?? `${surface.uniformsName}.batch`);
  addLastLogits(b, found);
  const { inputs, ...rest } = emitGraph(graph, b);
  // without the logits
  const addition = additionBytes({ graph: { ...rest, inputs: inputs.slice(1) }, metadata: metadataOf(graph, surface) });
  return joined(model, addition);
}

function vocabOf({ vocab }: LanguageModel, given: number | undefined): number {
  if (vocab !== undefined && given !== undefined && vocab !== given)
    throw new OptionError(
      `\`vocab\` is ${given}, and the model's vocabulary has ${vocab} tokens: leave the option out`,
    );
  const known = vocab ?? given;
  if (known === undefined)
    throw unsuitable(
      `expected a model that declares its vocabulary size, found \`${LOGITS}\` with a last dimension that is not fixed: give the size as \`vocab\``,
    );
  return known;
}

/** The logits of the last position, `[batch, V]` in f32, by the name that the graph reads. */
function addLastLogits(b: Builder, { type }: LanguageModel): void {
  const last = b.add("Squeeze", [b.slice(LOGITS, -1, TO_END), b.i64s(1)]);
  const values = type === "f32" ? last : b.cast(last, "f32");
  b.nodes.push({ op: "Identity", inputs: [values], outputs: [b.surface.inputs[0]!.name], attrs: {} });
}

function joined(model: Uint8Array, addition: Uint8Array): Uint8Array {
  const size = model.length + addition.length;
  if (size > MOST_BYTES)
    throw unsuitable(
      `expected a model of at most ${MOST_BYTES - addition.length} bytes, found ${model.length}: export it with its weights in a file of their own`,
    );
  const bytes = new Uint8Array(size);
  bytes.set(model);
  bytes.set(addition, model.length);
  return bytes;
}
