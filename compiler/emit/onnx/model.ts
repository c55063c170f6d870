/** What must be known of an ONNX language model to append a chain to it. The file is not trusted. */
import { LIMITS } from "../../limits/format.js";
import { show } from "../../graph/show.js";
import { fieldsOf, messageOf, messagesOf, numberOf, textOf } from "./fields.js";
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
  const graphs = messagesOf(bytes, FIELD.model.graph);
  if (graphs.length === 0) throw invalid("it has no graph");
  const externalFiles = new Set<string>();
  for (const graph of graphs) readGraph(graph, externalFiles, 0);
  const opset = opsetOf(bytes);
  const outputs = graphs.flatMap((graph) => messagesOf(graph, FIELD.graph.output));
  return { opset, ...logitsOf(outputs), externalFiles: [...externalFiles] };
}

function opsetOf(bytes: Uint8Array): number {
  const versions = messagesOf(bytes, FIELD.model.opset).flatMap((entry) => {
    const domain = textOf(messageOf(entry, FIELD.opset.domain));
    return domain === "" || domain === "ai.onnx" ? [numberOf(entry, FIELD.opset.version) ?? 0] : [];
  });
  const [opset] = versions;
  if (opset === undefined) throw invalid("it names no version of ONNX's operators");
  if (opset < LEAST_OPSET || opset > MOST_OPSET)
    throw unsuitable(
      `expected a model with ONNX's operators of version ${LEAST_OPSET} to ${MOST_OPSET}, found ${opset}: export it again with another opset, or convert it with onnx.version_converter`,
    );
  return opset;
}

/** Looks through a graph and those within its nodes: for names, and for the files of weights, which it adds to `files`. */
function readGraph(graph: Uint8Array, files: Set<string>, depth: number): void {
  if (depth > MOST_NESTED) throw invalid(`its graphs are nested more than ${MOST_NESTED} deep`);
  for (const { number, value } of fieldsOf(graph)) {
    if (!(value instanceof Uint8Array)) continue;
    if (number === FIELD.graph.node) readNode(value, files, depth);
    if (number === FIELD.graph.initializer) readTensor(value, files);
    if (number === FIELD.graph.input) checkName(messageOf(value, FIELD.value.name));
  }
}

function readNode(node: Uint8Array, files: Set<string>, depth: number): void {
  for (const { number, value } of fieldsOf(node)) {
    if (!(value instanceof Uint8Array)) continue;
    if (number === FIELD.node.output) checkName(value);
    if (number === FIELD.node.attribute) readAttribute(value, files, depth);
  }
}

function readAttribute(attribute: Uint8Array, files: Set<string>, depth: number): void {
  for (const { number, value } of fieldsOf(attribute)) {
    if (!(value instanceof Uint8Array)) continue;
    if (number === FIELD.attribute.tensor || number === FIELD.attribute.tensors) readTensor(value, files);
    if (number === FIELD.attribute.graph || number === FIELD.attribute.graphs) readGraph(value, files, depth + 1);
  }
}

function readTensor(tensor: Uint8Array, files: Set<string>): void {
  checkName(messageOf(tensor, FIELD.tensor.name));
  for (const entry of messagesOf(tensor, FIELD.tensor.externalData))
    if (textOf(messageOf(entry, FIELD.entry.key)) === "location")
      files.add(textOf(messageOf(entry, FIELD.entry.value)));
}

/** All names of a chain begin so, and no others may. */
function checkName(bytes: Uint8Array | undefined): void {
  const name = textOf(bytes);
  if (name.startsWith(OWN))
    throw unsuitable(
      `expected a model without a sampler, found the name ${show(name)}: a chain has been appended to this model already`,
    );
}

/** The type and dims of the logits, from the outputs that the graph declares. */
function logitsOf(outputs: readonly Uint8Array[]): Pick<LanguageModel, "type" | "batch" | "vocab"> {
  const names = outputs.map((output) => textOf(messageOf(output, FIELD.value.name)));
  const place = names.indexOf(LOGITS);
  if (place < 0)
    throw unsuitable(
      `expected a language model with an output \`${LOGITS}\`, found ${names.length === 0 ? "no outputs" : `the outputs ${listed(names)}`}`,
    );
  const type = messageOf(messageOf(outputs[place]!, FIELD.value.type) ?? NONE, FIELD.type.tensor);
  if (type === undefined) throw unsuitable(`expected \`${LOGITS}\` to be a tensor, found another kind of value`);
  const element = numberOf(type, FIELD.tensorType.element);
  const float = FLOATS.find((name) => TYPES[name] === element);
  if (float === undefined)
    throw unsuitable(
      `expected \`${LOGITS}\` of type ${FLOATS.join(", ")}, found type ${element} of ONNX's \`DataType\``,
    );
  const shape = messageOf(type, FIELD.tensorType.shape);
  const dims = shape === undefined ? undefined : messagesOf(shape, FIELD.shape.dim).map(dimOf);
  if (dims?.length !== 3)
    throw unsuitable(
      `expected \`${LOGITS}\` of [batch, position, vocabulary], found ${dims === undefined ? "no shape" : shown(dims)}`,
    );
  return { type: float, batch: dims[0], vocab: vocabOf(dims) };
}

const NONE = new Uint8Array();

type KnownDim = number | string | undefined;

function dimOf(dim: Uint8Array): KnownDim {
  const name = messageOf(dim, FIELD.dim.name);
  return numberOf(dim, FIELD.dim.size) ?? (name === undefined ? undefined : textOf(name));
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

const listed = (names: readonly string[]): string =>
  names
    .slice(0, MOST_SHOWN)
    .map((name) => show(name))
    .join(", ") + (names.length > MOST_SHOWN ? ` and ${names.length - MOST_SHOWN} others` : "");
