/** The sampling keys of a model's file, `general.sampling.*`, as common/common.cpp reads them. */
import { readMetadata, type ByteSource } from "../ggufFile.js";
import type { Node, Setting } from "../nodes.js";
import type { ImportOptions, Plan } from "../plan.js";
import { openReader, type Reader } from "../reader.js";
import { DEFAULT_SETTINGS, LLAMA_TOOL, llamaStages, readValues } from "./llama.js";
import { known } from "./llamaArgs.js";
import { FIELD_NAMES, fieldOf, samplerNamed, type SamplerName } from "./llamaFields.js";

const PREFIX = "general.sampling.";

export function importGguf(file: ByteSource, name: string, options: ImportOptions): Plan {
  const names = new Map<string, string>([
    ["sequence", "samplers"],
    ...FIELD_NAMES.flatMap((field): [string, string][] => {
      const key = fieldOf(field).gguf;
      return key === undefined ? [] : [[key, field]];
    }),
  ]);
  const settings = new Map<string, Setting>();
  for (const [key, node] of readMetadata(file, name, PREFIX)) {
    const own = names.get(key.slice(PREFIX.length));
    settings.set(own ?? key, { key, node: own === undefined || own === "samplers" ? node : asText(node) });
  }
  const reader = openReader(settings);
  const values = readValues(reader, {
    range: (field) => (field === "repeat_last_n" ? { max: 2 ** 24 } : (fieldOf(field).range ?? {})),
    convert: (field, value) => (field === "repeat_last_n" || field === "temperature" ? Math.max(value, 0) : value),
  });
  const stages = llamaStages({ ...DEFAULT_SETTINGS, values, order: orderOf(reader) }, reader, options);
  reader.finish(new Set());
  const has = settings.size > 0 ? "" : ", of which this one has none: these are the defaults";
  return { tool: `${LLAMA_TOOL}, the \`${PREFIX}*\` keys of a model's file${has}`, stages, notes: reader.notes };
}

/** llama.cpp turns every number into a text of six decimals before it reads it. */
function asText(node: Node): Node {
  if (node.kind !== "number") return node;
  const value = Number(node.value.toFixed(6));
  return { ...node, value, text: String(value) };
}

function orderOf(reader: Reader): readonly SamplerName[] {
  const names = reader.text("samplers");
  return names === undefined ? DEFAULT_SETTINGS.order : known(names.split(";"), samplerNamed, reader, "samplers");
}
