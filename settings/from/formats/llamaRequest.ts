/** A request to llama-server, as tools/server/server-schema.cpp reads it. */
import { fieldOf } from "@ggsl/compiler/llama/fields.js";
import { samplerNamed, samplerOfLetter, type ListedName } from "@ggsl/compiler/llama/order.js";
import { DEFAULT_BREAKERS } from "@ggsl/compiler/llama/samplers.js";
import { settingsOf, type Node, type ObjectNode } from "../nodes.js";
import { ImportError } from "../notes.js";
import * as pieces from "../pieces.js";
import type { Bias, ImportedGrammar, ImportOptions, Plan, Stage } from "../plan.js";
import { openReader, type Reader } from "../reader.js";
import { responseFormat, schemaOf } from "./jsonFormat.js";
import { describe, numberOf, textOf, tokenOf } from "../values.js";
import { FIELDS } from "./fields.js";
import {
  DEFAULT_SETTINGS,
  DEFAULT_TAGS,
  isRandomSeed,
  known,
  LLAMA_TOOL,
  llamaStages,
  readValues,
  type LlamaSettings,
} from "./llama.js";

export function fromLlamaRequest(root: ObjectNode, options: ImportOptions): Plan {
  const reader = openReader(settingsOf(root));
  const stages = llamaStages(readLlama(reader), reader, options);
  reader.finish(FIELDS["llama.cpp"]);
  return { tool: `${LLAMA_TOOL}, a request to its server`, stages, notes: reader.notes };
}

/** The settings of a request. */
export function readLlama(reader: Reader): LlamaSettings {
  const values = readValues(reader, {
    range: (name) => {
      const { clamp, range, requestRange } = fieldOf(name);
      return clamp ? {} : { ...range, ...requestRange };
    },
    convert: (name, value) => {
      const [min, max] = fieldOf(name).clamp ?? [-Infinity, Infinity];
      if (name === "adaptive_target") return Math.min(value, 1);
      return name === "dry_base" && value < 1 ? fieldOf(name).default : Math.min(Math.max(value, min), max);
    },
  });
  const grammar = grammarOf(reader);
  noteGrammars(reader);
  const breakers = reader.texts("dry_sequence_breakers");
  if (breakers?.length === 0) reader.refuse("dry_sequence_breakers", "a list of at least one text");
  return {
    ...DEFAULT_SETTINGS,
    values,
    order: orderOf(reader),
    // llama.cpp ignores empty texts
    breakers: breakers?.filter((text) => text !== "") ?? DEFAULT_BREAKERS,
    biases: biasesOf(reader, "logit_bias"),
    grammar,
    seed: reader.seed("seed", isRandomSeed) ?? "random",
    ignoreEos: reader.flag("ignore_eos") ?? false,
    thinking: thinkingOf(reader),
  };
}

/** A grammar, else a schema, else the format of the response. */
function grammarOf(reader: Reader): ImportedGrammar | undefined {
  const text = reader.text("grammar");
  const schema = reader.node("json_schema");
  if (text) {
    for (const key of ["json_schema", "response_format"]) reader.note("idle", key, "a grammar is also given");
    return { key: "grammar", text };
  }
  if (schema === undefined) return responseFormat(reader);
  reader.note("idle", "response_format", "a JSON schema is also given");
  return schemaOf(reader, "json_schema");
}

function noteGrammars(reader: Reader): void {
  const lost = (keys: readonly string[], why: string): void => {
    for (const key of keys) {
      const node = reader.node(key);
      if (node && !(node.kind === "bool" && !node.value)) reader.note("lost", key, why);
    }
  };
  lost(
    ["grammar_lazy", "grammar_triggers", "preserved_tokens", "grammar_type"],
    "a grammar holds from the first token on here",
  );
  lost(["reasoning_control"], "the calling program sets the parameter `reasoning_budget_tokens` instead");
}

/** -1 is no limit. llama.cpp reads the tags of the model's chat template if the request has none. */
function thinkingOf(reader: Reader): Stage[] {
  const key = "reasoning_budget_tokens";
  const budget = reader.whole(key, { min: -1 });
  const [start, end] = [reader.text("reasoning_budget_start_tag"), reader.text("reasoning_budget_end_tag")];
  const ends = reader.texts("reasoning_budget_end_tags") ?? (end === undefined ? [] : [end]);
  const message = reader.text("reasoning_budget_message");
  if (budget === undefined || budget < 0) return [];
  const [close = "", ...more] = ends.filter((tag) => tag !== "");
  reader.note("differs", key, start && close !== "" ? "the end tag must be one token" : DEFAULT_TAGS);
  if (more.length > 0) reader.note("differs", "reasoning_budget_end_tags", "only the first one ends the thought");
  return pieces.thinkingBudget(key, budget, start || "<think>", close || "</think>", message);
}

function orderOf(reader: Reader): readonly ListedName[] {
  const node = reader.node("samplers");
  if (node?.kind === "string") return known(Array.from(node.value), samplerOfLetter, reader, "samplers");
  const names = reader.texts("samplers");
  return names === undefined ? DEFAULT_SETTINGS.order : known(names, samplerNamed, reader, "samplers");
}

// ---------------------------------------------------------------- logit bias

/** `{"15043": 1}`, `[[15043, 1.5], [2, false], ["Hello", -0.5]]`. */
export function biasesOf(reader: Reader, key: string): Bias[] {
  const node = reader.node(key);
  if (node === undefined) return [];
  if (node.kind !== "array" && node.kind !== "object")
    return reader.refuse(key, "an object of token ids and biases, or a list of pairs");
  const pairs = node.kind === "object" ? pairsOf(node) : node.items.map(pairOf);
  return pairs.map(([token, bias]) => ({ token, bias }));
}

type Pair = readonly [token: number | string, bias: number];

const pairsOf = ({ members }: ObjectNode): Pair[] =>
  [...members].map(([key, value]) => [
    /^\d{1,10}$/.test(key) && Number(key) < 2 ** 31 ? Number(key) : key,
    biasOf(value),
  ]);

function pairOf(node: Node): Pair {
  const [first, second] = node.kind === "array" ? node.items : [];
  const token = first && (tokenOf(first) ?? textOf(first));
  if (token === undefined || second === undefined)
    throw new ImportError(`${node.place}: expected a pair of a token id and a bias, found ${describe(node)}`);
  return [token, biasOf(second)];
}

function biasOf(node: Node): number {
  const bias = node.kind === "bool" && !node.value ? -Infinity : numberOf(node);
  if (bias === undefined)
    throw new ImportError(`${node.place}: expected a bias, a number or false for a ban, found ${describe(node)}`);
  return bias;
}
