/** The sampling keys of a model file, `general.sampling.*`, as common/common.cpp reads them. */
import { MAX_HISTORY } from "@ggsl/compiler/llama/contexts.js";
import { FIELD_NAMES, fieldOf, type FieldName } from "@ggsl/compiler/llama/fields.js";
import { samplerNamed, type ListedName } from "@ggsl/compiler/llama/order.js";
import type { Node, Setting } from "../nodes.js";
import type { Note } from "../notes.js";
import type { ImportOptions, Plan } from "../plan.js";
import { openReader, type Reader } from "../reader.js";
import { NO_FIELDS } from "./fields.js";
import { numberOf } from "../values.js";
import { DEFAULT_SETTINGS, effective, known, LLAMA_TOOL, llamaStages, readValues } from "./llama.js";
import { SAMPLING_KEYS } from "./samplingKeys.js";

const FIELDS: ReadonlyMap<string, FieldName> = new Map(
  FIELD_NAMES.flatMap((field): [string, FieldName][] => {
    const key = fieldOf(field).gguf;
    return key === undefined ? [] : [[SAMPLING_KEYS + key, field]];
  }),
);
const SEQUENCE = `${SAMPLING_KEYS}sequence`;

/** Whether llama.cpp reads the key. */
export const isSamplingKey = (key: string): boolean => key === SEQUENCE || FIELDS.has(key);

/** The settings of a file's metadata; `metadata` holds only the sampling keys. */
export function fromSamplingKeys(metadata: ReadonlyMap<string, Node>, options: ImportOptions): Plan {
  const settings = new Map<string, Setting>();
  const lists: Note[] = [];
  for (const [key, node] of metadata) {
    const field = FIELDS.get(key);
    if (isSamplingKey(key) && node.kind === "array")
      lists.push({ kind: "idle", key, place: node.place, text: "llama.cpp reads no lists of a file's metadata" });
    else if (field) settings.set(field, { key, node: asNumber(node, field) });
    else settings.set(key === SEQUENCE ? "samplers" : key, { key, node: asText(node) });
  }
  const reader = openReader(settings);
  const values = readValues(reader, {
    range: (field) => (field === "repeat_last_n" ? { max: MAX_HISTORY } : (fieldOf(field).range ?? {})),
    convert: (field, value) => (field === "repeat_last_n" ? Math.max(value, 0) : effective(field, value)),
  });
  const stages = llamaStages({ ...DEFAULT_SETTINGS, values, order: orderOf(reader) }, reader, options);
  reader.finish(NO_FIELDS);
  const has = metadata.size > 0 ? "" : ", of which this one has none: these are the defaults";
  return {
    tool: `${LLAMA_TOOL}, the \`${SAMPLING_KEYS}*\` keys of a model's file${has}`,
    stages,
    notes: [...reader.notes, ...lists],
  };
}

function orderOf(reader: Reader): readonly ListedName[] {
  // an empty text counts as absent
  const names = reader.text("samplers") || undefined;
  return names === undefined ? DEFAULT_SETTINGS.order : known(names.split(";"), samplerNamed, reader, "samplers");
}

// ---------------------------------------------------------------- values

/** llama.cpp stores all values as texts, numbers with six decimals, and parses them: an integer field cannot have an exponent. */
function asNumber(node: Node, field: FieldName): Node {
  if (node.kind === "number") return numberNode(node.place, sixDecimals(node.value));
  if (node.kind !== "word") return node;
  const text = node.value.trim();
  const value = numberOf({ ...node, value: text });
  const isNumber = value !== undefined && (fieldOf(field).type === "f32" || !/e/i.test(text));
  return isNumber ? numberNode(node.place, value) : { ...node, kind: "string" };
}

const numberNode = (place: string, value: number): Node => ({ kind: "number", place, value, text: String(value) });

/** Rounds like C's printf: ties to even. */
function sixDecimals(value: number): number {
  const isHalfway = Math.abs(value * 128) % 2 === 1;
  return isHalfway ? (2 * Math.round((value * 1e6) / 2)) / 1e6 : Number(value.toFixed(6));
}

function asText(node: Node): Node {
  const { kind, place } = node;
  if (kind === "number") return { kind: "word", place, value: node.text };
  return kind === "bool" ? { kind: "word", place, value: String(node.value) } : node;
}
