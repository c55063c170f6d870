/**
 * The sampler fields of a request that any client sends: llama-server's by its own reader, and beside them what vLLM and KoboldCpp
 * have and llama-server has not. `top_a` and `tfs` follow `top_k`, and `smoothing_factor` the temperature, as in KoboldCpp.
 */
import type { ListedName } from "@ggsl/compiler/llama/order.js";
import { nodeOf, settingsOf, type ObjectNode } from "../nodes.js";
import type { Note } from "../notes.js";
import * as pieces from "../pieces.js";
import type { Stage } from "../plan.js";
import { openReader, type Reader } from "../reader.js";
import { shared, type SharedChain } from "../share.js";
import * as stages from "../stages.js";
import { tailFree } from "./kobold.js";
import { DEFAULT_SETTINGS, llamaStages } from "./llama.js";
import { readLlama } from "./llamaRequest.js";
import { allowedTokens, badWords } from "./vllm.js";

interface RequestChain extends SharedChain {
  /** What has no effect, and what is not carried over. */
  readonly notes: readonly Note[];
}

/** What the calling program gives the chain beside the fields. */
interface Given {
  /** The chain begins with a stage that reads biases. */
  readonly readsBiases: boolean;
}

/** Of the chain, as the server's log has it. */
const NAME = "request";
const UNIT = { min: 0, max: 1 };

/** The chain of the fields. Throws an `ImportError` for values that are not right. */
export function chainOfRequest(fields: Readonly<Record<string, unknown>>, { readsBiases }: Given): RequestChain {
  // seeds are parameters, whatever they are
  const root = nodeOf({ ...fields, seed: 0 }, "the request") as ObjectNode;
  const reader = openReader(settingsOf(root));
  const settings = readLlama(reader);
  const { temperature } = settings.values;
  const after: Partial<Record<ListedName, Stage[]>> = {
    top_k: [...stages.topA("top_a", reader.number("top_a", UNIT) ?? 0), ...tailFree(reader.number("tfs", UNIT) ?? 1)],
    temperature: temperature > 0 ? smoothing(reader) : [],
  };
  const order = orderOf(reader, settings.order, settings.values.adaptive_target);
  noteLeftOut(reader, settings.values.mirostat !== 0 ? [] : order);
  const made = [
    ...allowedTokens(reader),
    ...badWords(reader),
    ...earlyStops(reader),
    ...(readsBiases ? [{ name: "logit_bias", args: {} }] : []),
    ...llamaStages({ ...settings, order, after }, reader, {}),
  ];
  return { ...shared(made, NAME), notes: reader.notes };
}

/** llama-server has `adaptive_p` only where the order names it; who gives a target alone, as to KoboldCpp, means it. */
function orderOf(reader: Reader, order: readonly ListedName[], target: number): readonly ListedName[] {
  const isOpen = order === DEFAULT_SETTINGS.order;
  return isOpen && reader.given.has("adaptive_target") && target >= 0 ? [...order, "adaptive_p"] : order;
}

function smoothing(reader: Reader): Stage[] {
  const factor = reader.number("smoothing_factor") ?? 0;
  const curve = reader.number("smoothing_curve") ?? 1;
  if (factor <= 0) reader.note("idle", "smoothing_curve", "smoothing_factor is 0");
  return stages.quadratic(factor, curve);
}

/** Tokens that end a text come after the fewest tokens, as those of the model. */
function earlyStops(reader: Reader): Stage[] {
  const least = reader.whole("min_tokens", { min: 0 }) ?? 0;
  const tokens = [...new Set(reader.tokens("stop_token_ids"))];
  return tokens.length === 0 ? [] : pieces.noEndBefore("min_tokens", least, [{ tokens }]);
}

/** Stages that follow one which is not there. */
function noteLeftOut(reader: Reader, order: readonly ListedName[]): void {
  const lost = (keys: readonly string[], name: ListedName): void => {
    if (!order.includes(name)) for (const key of keys) reader.note("idle", key, `it follows \`${name}\``);
  };
  lost(["top_a", "tfs"], "top_k");
  lost(["smoothing_factor", "smoothing_curve"], "temperature");
}
