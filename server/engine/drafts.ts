/** Drafts of texts: what the server has, and what a request asks for. */
import type { Speculate } from "ggsl/decode/speculation/options.js";
import type { Model } from "ggsl/models/model.js";
import type { CommonBody } from "../request/bodies.js";
import { Refusal } from "../refusal.js";

/** What texts are drafted by. */
export interface Drafts {
  /** Prompt lookup. */
  readonly lookup: boolean;
  /** A smaller model with the same vocabulary. */
  readonly model?: Model | undefined;
}

/** How the texts of a request are drafted; undefined: not at all. Throws a `Refusal` for what the server does not have. */
export function draftsFor({ lookup, model }: Drafts, { speculate = true }: CommonBody): Speculate | undefined {
  if (speculate === false) return undefined;
  const isOpen = speculate === true;
  const { lookup: byLookup = false, draft: byModel = false } = isOpen
    ? { lookup, draft: model !== undefined }
    : speculate;
  if (!isOpen && byLookup !== false && byModel !== false)
    throw refuse("invalid_request", "must have `lookup` or `draft`, and has both: give one");
  // of both that the server has, the model
  if (byModel !== false) {
    if (!model)
      throw refuse("unsupported_parameter", "asks for a draft model: start the server with `--draft-model FILE`");
    return { draft: model, ...(byModel !== true && byModel) };
  }
  if (byLookup === false) return undefined;
  if (!lookup) throw refuse("unsupported_parameter", "asks for prompt lookup: start the server with `--lookup`");
  return { ngram: byLookup === true ? {} : byLookup };
}

const refuse = (reason: "invalid_request" | "unsupported_parameter", message: string): Refusal =>
  new Refusal(reason, `\`speculate\` ${message}`, { param: "speculate" });
