/** What must be known of an ONNX language model to append a chain to it. The file is not trusted. */
import { LIMITS } from "../../limits/format.js";
import { show } from "../../core/show.js";
import { Fields, textOf } from "./fields.js";
import { invalid, unsuitable } from "./modelError.js";
import { LEAST_OPSET, MOST_OPSET } from "./options.js";
import { OWN } from "../surface.js";
import { FIELD, FLOATS, TYPES, type FloatType } from "./schema.js";

export interface LanguageModel {
  readonly opset: number;
  /** The type of its output `logits`, `[batch, position, V]`. */
  readonly type: FloatType;
  /** How its logits declare the batch: a number or a name; undefined if they do not. */
  readonly batch: number | string | undefined;
  /** The vocabulary size; undefined if the file does not say it. */
  readonly vocab: number | undefined;
  /** The files beside it that hold weights. */
  readonly externalFiles: readonly string[];
}

/** The name of the output with the logits. */
export const LOGITS = "logits";

/** The deepest nesting of graphs within nodes. */
const MOST_NESTED = 16;

/** Throws `OnnxModelError`, which says what was found. */
export function readLanguageModel(bytes: Uint8Array): LanguageModel {
  const fields = new Fields();
  const walk: Walk = { fields, externalFiles: new Set(), outputs: [], outputCount: 0, logits: undefined };
  let hasGraph = false;
  for (const graph of fields.messages(bytes, FIELD.model.graph)) {
    hasGraph = true;
    readGraph(graph, walk, 0);
  }
  if (!hasGraph) throw invalid("it has no graph");
  const opset = opsetOf(bytes, fields);
  return { opset, ...logitsOf(walk), externalFiles: [...walk.externalFiles] };
}

function opsetOf(bytes: Uint8Array, fields: Fields): number {
  let opset: number | undefined;
  for (const entry of fields.messages(bytes, FIELD.model.opset))
    if (["", "ai.onnx"].includes(fields.text(entry, FIELD.opset.domain)))
      opset ??= fields.number(entry, FIELD.opset.version) ?? 0;
  if (opset === undefined) throw invalid("it names no version of ONNX's operators");
  if (opset < LEAST_OPSET || opset > MOST_OPSET)
    throw unsuitable(
      `expected a model with ONNX's operators of version ${LEAST_OPSET} to ${MOST_OPSET}, found ${opset}: export it again with another opset, or convert it with onnx.version_converter`,
    );
  return opset;
}

/** What is found on the way through a model. */
interface Walk {
  readonly fields: Fields;
  readonly externalFiles: Set<string>;
  /** The names of the first outputs, and how many there are. */
  readonly outputs: string[];
  outputCount: number;
  /** The declaration of the output with the logits. */
  logits: Uint8Array | undefined;
}

/** Looks through a graph and those within its nodes. */
function readGraph(graph: Uint8Array, walk: Walk, depth: number): void {
  if (depth > MOST_NESTED) throw invalid(`its graphs are nested more than ${MOST_NESTED} deep`);
  for (const { number, value } of walk.fields.of(graph)) {
    if (!(value instanceof Uint8Array)) continue;
    if (number === FIELD.graph.node) readNode(value, walk, depth);
    if (number === FIELD.graph.initializer) readTensor(value, walk);
    if (number === FIELD.graph.input) checkName(walk.fields.text(value, FIELD.value.name));
    if (number === FIELD.graph.output && depth === 0) readOutput(value, walk);
  }
}

function readOutput(output: Uint8Array, walk: Walk): void {
  const name = walk.fields.text(output, FIELD.value.name);
  if (name === LOGITS) walk.logits ??= output;
  if (walk.outputs.length < MOST_SHOWN) walk.outputs.push(name);
  walk.outputCount += 1;
}

function readNode(node: Uint8Array, walk: Walk, depth: number): void {
  for (const { number, value } of walk.fields.of(node)) {
    if (!(value instanceof Uint8Array)) continue;
    if (number === FIELD.node.output) checkName(textOf(value));
    if (number === FIELD.node.attribute) readAttribute(value, walk, depth);
  }
}

function readAttribute(attribute: Uint8Array, walk: Walk, depth: number): void {
  for (const { number, value } of walk.fields.of(attribute)) {
    if (!(value instanceof Uint8Array)) continue;
    if (number === FIELD.attribute.tensor || number === FIELD.attribute.tensors) readTensor(value, walk);
    if (number === FIELD.attribute.graph || number === FIELD.attribute.graphs) readGraph(value, walk, depth + 1);
  }
}

function readTensor(tensor: Uint8Array, { fields, externalFiles }: Walk): void {
  checkName(fields.text(tensor, FIELD.tensor.name));
  for (const entry of fields.messages(tensor, FIELD.tensor.externalData))
    if (fields.text(entry, FIELD.entry.key) === "location") externalFiles.add(fields.text(entry, FIELD.entry.value));
}

/** All names of a chain begin so, and no others may. */
function checkName(name: string): void {
  if (name.startsWith(OWN))
    throw unsuitable(
      `expected a model without a sampler, found the name ${show(name)}: a chain has been appended to this model already`,
    );
}

/** The type and dims of the logits, from the outputs that the graph declares. */
function logitsOf({ fields, ...found }: Walk): Pick<LanguageModel, "type" | "batch" | "vocab"> {
  if (found.logits === undefined)
    throw unsuitable(`expected a language model with an output \`${LOGITS}\`, found ${outputsText(found)}`);
  const type = fields.message(fields.message(found.logits, FIELD.value.type) ?? NONE, FIELD.type.tensor);
  if (type === undefined) throw unsuitable(`expected \`${LOGITS}\` to be a tensor, found another kind of value`);
  const element = fields.number(type, FIELD.tensorType.element);
  const float = FLOATS.find((name) => TYPES[name] === element);
  if (float === undefined)
    throw unsuitable(
      `expected \`${LOGITS}\` of type ${FLOATS.join(", ")}, found type ${element} of ONNX's \`DataType\``,
    );
  const shape = fields.message(type, FIELD.tensorType.shape);
  const dims = shape && dimsOf(shape, fields);
  if (dims?.length !== 3)
    throw unsuitable(
      `expected \`${LOGITS}\` of [batch, position, vocabulary], found ${dims === undefined ? "no shape" : shown(dims)}`,
    );
  return { type: float, batch: dims[0], vocab: vocabOf(dims) };
}

const NONE = new Uint8Array();

type KnownDim = number | string | undefined;

/** One more than are shown, at most. */
function dimsOf(shape: Uint8Array, fields: Fields): KnownDim[] {
  const dims: KnownDim[] = [];
  for (const dim of fields.messages(shape, FIELD.shape.dim)) {
    const name = fields.message(dim, FIELD.dim.name);
    dims.push(fields.number(dim, FIELD.dim.size) ?? (name && textOf(name)));
    if (dims.length > MOST_SHOWN) break;
  }
  return dims;
}

function vocabOf(dims: readonly KnownDim[]): number | undefined {
  const vocab = dims[2];
  if (typeof vocab !== "number") return undefined;
  if (vocab < 1 || vocab > LIMITS.dim)
    throw unsuitable(`expected a vocabulary of 1 to ${LIMITS.dim} tokens, found ${shown(dims)}`);
  return vocab;
}

const shown = (dims: readonly KnownDim[]): string =>
  `[${dims
    .slice(0, MOST_SHOWN)
    .map((dim) => (dim === undefined ? "?" : show(dim)))
    .join(", ")}${dims.length > MOST_SHOWN ? ", ..." : ""}]`;

/** Names in a message. */
const MOST_SHOWN = 8;

function outputsText({ outputs, outputCount }: Pick<Walk, "outputs" | "outputCount">): string {
  if (outputCount === 0) return "no outputs";
  const others = outputCount - outputs.length;
  return `the outputs ${outputs.map((name) => show(name)).join(", ")}${others > 0 ? ` and ${others} others` : ""}`;
}
