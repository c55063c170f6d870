/**
 * Chains of requests whose fields ask for more than the default chain has: the readers of `ggsl import` make stages of them. Their
 * numbers are uniforms, so that requests with other numbers share one chain.
 */
import { ImportError } from "@ggsl/settings/from/import.js";
import { chainOfRequest } from "@ggsl/settings/from/formats/request.js";
import type { Note } from "@ggsl/settings/from/import.js";
import type { CommonBody } from "../request/bodies.js";
import { isWish, type Body } from "../request/fields.js";
import { LONGEST_WINDOW, SAMPLER_FIELD_NAMES } from "../request/samplerFields.js";
import { Refusal } from "../refusal.js";

/** A chain that is made of the fields of a request. */
export interface MadeChain {
  /** The program; the same for all requests with the same stages. */
  readonly text: string;
  readonly values: Readonly<Record<string, number>>;
  /** Fields that have no effect beside the others. */
  readonly idle: readonly string[];
}

/** Fields of the default chain, with the values that they have in requests without them. */
const STANDARD = { temperature: 1, top_p: 1, top_k: 0, min_p: 0 } as const;
const PENALTIES = ["frequency_penalty", "presence_penalty", "repeat_penalty", "repeat_last_n"] as const;
const ENDS = ["min_tokens", "stop_token_ids"] as const;
const WINDOWS: ReadonlySet<string> = new Set(["repeat_last_n", "dry_penalty_last_n"]);

/** The fields that ask for stages which the default chain does not have. */
function shapingFields(body: CommonBody): string[] {
  const given = body as Body;
  const wishes = SAMPLER_FIELD_NAMES.filter((name) => isWish(name, given));
  return bansEarlyEnds(body) ? [...wishes, "stop_token_ids"] : wishes;
}

/** Tokens that end the text are banned where it may not end yet. */
const bansEarlyEnds = ({ min_tokens: least = 0, stop_token_ids: tokens = [] }: CommonBody): boolean =>
  least > 0 && tokens.length > 0;

/** The chain that a request's fields ask for; undefined if the default chain has all of it. Throws a `Refusal`. */
export function madeChain(body: CommonBody): MadeChain | undefined {
  if (shapingFields(body).length === 0) return undefined;
  const fields = fieldsOf(body);
  try {
    const readsBiases = isWish("logit_bias", body as Body);
    const { text, values, notes } = chainOfRequest(fields, { readsBiases });
    checkCarried(notes);
    const idle = new Set(notes.filter(({ kind }) => kind === "idle").map(({ key }) => key));
    return { text, values, idle: [...idle].filter((name) => isWish(name, body as Body)) };
  } catch (error) {
    if (error instanceof ImportError) throw new Refusal("invalid_request", error.message);
    throw error;
  }
}

/** The fields by the names of the readers. What asks for nothing is left out, but for what llama.cpp's programs turn on by default. */
function fieldsOf(body: CommonBody): Record<string, unknown> {
  const given = body as Body;
  const fields: Record<string, unknown> = { ...STANDARD };
  for (const name of [...Object.keys(STANDARD), ...PENALTIES, ...SAMPLER_FIELD_NAMES])
    if (isWish(name, given)) fields[name] = meaningOf(name, given[name]);
  if (bansEarlyEnds(body)) for (const name of ENDS) fields[name] = body[name];
  const { repetition_penalty: other } = body;
  if (other !== undefined && isWish("repetition_penalty", given)) {
    if (isWish("repeat_penalty", given) && body.repeat_penalty !== other)
      throw new Refusal(
        "invalid_request",
        "`repetition_penalty` is another name of `repeat_penalty`, and they differ",
        {
          param: "repetition_penalty",
        },
      );
    fields["repeat_penalty"] = other;
  }
  return fields;
}

const meaningOf = (name: string, value: unknown): unknown =>
  value === -1 && WINDOWS.has(name) ? LONGEST_WINDOW : value === -1 && name === "top_k" ? 0 : value;

/** Throws a `Refusal` for what the readers cannot carry over. */
function checkCarried(notes: readonly Note[]): void {
  const lost = notes.find(({ kind }) => kind === "lost" || kind === "unknown");
  if (lost) throw new Refusal("unsupported_parameter", `\`${lost.key}\`: ${lost.text}`, { param: lost.key });
}
