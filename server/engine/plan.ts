/** What a request asks for: its texts, before they begin. */
import type { ChatMessage } from "ggsl/chat/messages.js";
import type { ChatOptions } from "ggsl/chat/render.js";
import type { Piece } from "ggsl/generation/pieces.js";
import type { SequenceRequest } from "ggsl/generation/request.js";
import type { ThoughtLimit } from "ggsl/generation/thought.js";
import type { TokenizeLaterOptions } from "ggsl/models/options.js";
import type { ChatBody, CommonBody, GivenBody, LogitsBody, TemplateBody } from "../request/bodies.js";
import { checkContinued } from "../request/continued.js";
import { refusalFor } from "../faults.js";
import { Refusal } from "../refusal.js";
import type { Engine } from "./engine.js";
import type { Waiter } from "../lanes/lane.js";
import { draftsFor } from "./drafts.js";
import { phrasesFor } from "./phrases.js";
import { seededBy, type Prepared } from "./parameters.js";
import { variablesOf } from "./thinking.js";

/** A text to write. */
export interface PlannedText {
  readonly prompt: Int32Array;
  readonly request: SequenceRequest;
  /** Tokens that end it, and are no part of it. */
  readonly ends?: ReadonlySet<number> | undefined;
  /** So many likely tokens have the log-probabilities that the chain gives them, and the picked one. */
  readonly afterChain?: number | undefined;
}

/** The tokens of each prompt of a request. Throws a `Refusal` for one that leaves no room, and for ids that are no tokens'. */
export async function promptsOf(engine: Engine, given: GivenBody, client: Waiter): Promise<Int32Array[]> {
  for (const field of ["stop_token_ids", "allowed_token_ids"] as const)
    checkTokens(engine, given.body[field] ?? [], field);
  return given.endpoint === "chat"
    ? checkRoom(engine, [await inField("messages", chatTokens(engine, given.body, client))], "messages")
    : checkRoom(engine, await completionTokens(engine, given.body, client), "prompt");
}

/** The tokens of the one prompt of a request for logits. Throws a `Refusal`. */
export async function promptOf(engine: Engine, body: LogitsBody, client: Waiter): Promise<Int32Array> {
  const [prompt, ...more] = checkRoom(engine, await completionTokens(engine, body, client), "prompt");
  if (more.length === 0) return prompt!;
  throw new Refusal("invalid_request", `\`prompt\` must be one, found ${more.length + 1}: send a request for each`, {
    param: "prompt",
  });
}

function checkRoom({ contextSize }: Engine, prompts: Int32Array[], field: "messages" | "prompt"): Int32Array[] {
  for (const [i, { length }] of prompts.entries()) {
    const param = prompts.length > 1 ? `${field}[${i}]` : field;
    if (length >= contextSize)
      throw new Refusal(
        "context_length_exceeded",
        `the prompt has ${length} tokens, and the context, for prompt and answer, is ${contextSize}: shorten it`,
        { param },
      );
    if (length === 0)
      throw new Refusal(
        "invalid_request",
        "the prompt is empty, and the model has no token that begins a text: send a text or tokens",
        { param },
      );
  }
  return prompts;
}

const chatTokens = async (engine: Engine, body: ChatBody, client: Waiter): Promise<Int32Array> =>
  engine.model.tokenizeChat(messagesOf(body), {
    ...(await renderingOf(engine, body)),
    mostTokens: mostOfPrompt(engine),
    ...client,
  });

/** How many tokens a conversation has. Throws a `Refusal` for one with far more than the context. */
export const countPrompt = async (engine: Engine, body: ChatBody, client: Waiter): Promise<number> =>
  (await inField("messages", chatTokens(engine, body, client))).length;

/** The prompt of a conversation. Throws a `Refusal`. */
export const promptTextOf = (engine: Engine, body: TemplateBody, client: Waiter): Promise<string> =>
  inField(
    "messages",
    renderingOf(engine, body).then((given) => engine.model.renderChat(messagesOf(body), { ...given, ...client })),
  );

const messagesOf = ({ messages }: TemplateBody): readonly ChatMessage[] =>
  messages.map((message) => (message.role === "developer" ? { ...message, role: "system" } : message));

async function renderingOf(engine: Engine, body: TemplateBody): Promise<ChatOptions> {
  checkContinued(body);
  const { tools, tool_choice: choice, add_generation_prompt: begins, continue_final_message: goesOn } = body;
  const variables = await variablesOf(engine, body);
  return {
    ...(tools?.length && choice !== "none" && { tools }),
    ...(variables && { variables }),
    ...(begins !== undefined && { addGenerationPrompt: begins }),
    ...(goesOn && { continueFinalMessage: true }),
    template: engine.template,
  };
}

/** What is made of a field. Throws a `Refusal` that names it. */
export const inField = <T>(field: string, made: Promise<T>): Promise<T> =>
  made.catch((error: unknown) => {
    throw refusalFor(error, field, "tokenizer_busy");
  });

/** Throws a `Refusal` for an id that is no token's. */
export function checkTokens({ model }: Engine, tokens: readonly number[], param: string): void {
  const { vocabSize } = model.info;
  const bad = tokens.findIndex((token) => token >= vocabSize);
  if (bad < 0) return;
  throw new Refusal(
    "invalid_request",
    `\`${param}[${bad}]\` must be the id of a token, from 0 to ${vocabSize - 1}: ${tokens[bad]!} is not a token`,
    { param: `${param}[${bad}]` },
  );
}

/** Up to here it is told how many tokens a prompt has; what has more, or too many bytes for so many, is refused before it is counted. */
const mostOfPrompt = ({ contextSize }: Engine): number => 2 * contextSize;

async function completionTokens(
  engine: Engine,
  { prompt }: LogitsBody,
  { lane, signal }: Waiter,
): Promise<Int32Array[]> {
  const { model } = engine;
  const letters: TokenizeLaterOptions = { special: false, mostTokens: mostOfPrompt(engine), lane, signal };
  const tokensOf = async (one: string | readonly number[], param: string): Promise<Int32Array> => {
    if (typeof one === "string") return inField(param, model.tokenizeLater(one, letters));
    checkTokens(engine, one, param);
    return Int32Array.from(one);
  };
  if (typeof prompt === "string" || typeof prompt[0] === "number")
    return [await tokensOf(prompt as string | number[], "prompt")];
  // one after the other: texts of other requests come between
  const all: Int32Array[] = [];
  for (const [i, one] of (prompt as readonly (string | readonly number[])[]).entries())
    all.push(await tokensOf(one, `prompt[${i}]`));
  return all;
}

/** For completions, as OpenAI's. */
const COMPLETION_TOKENS = 16;

/** The texts of a request: `n` of each prompt, in this order. */
export function textsOf(
  { drafts }: Engine,
  given: GivenBody,
  prompts: readonly Int32Array[],
  prepared: Prepared,
  { signal, lane, thought }: Waiter & { readonly thought?: ThoughtLimit | undefined },
): PlannedText[] {
  const { body } = given;
  const { n = 1, min_tokens: minTokens, ignore_eos: ignoreEnd, stop = [] } = body;
  const maxTokens = mostOf(given);
  const logprobs = logprobsOf(given);
  if (maxTokens !== undefined && (minTokens ?? 0) > maxTokens)
    throw new Refusal(
      "invalid_request",
      `\`min_tokens\` must be at most \`max_tokens\`, ${maxTokens}, found ${minTokens!}`,
      {
        param: "min_tokens",
      },
    );
  const { stop_token_ids: ending = [], post_sampling_probs: isAfter = false } = body;
  const ends = ending.length > 0 ? new Set(ending) : undefined;
  const seeded = seededBy(prepared);
  const speculate = draftsFor(drafts, body);
  const bannedPhrases = phrasesFor(body);
  const common = {
    signal,
    lane,
    inEveryDecode: prepared.isOwn,
    stop: [stop].flat().filter((text) => text !== ""),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(minTokens !== undefined && { minTokens }),
    ...(ignoreEnd && { ignoreEnd }),
    ...(speculate && { speculate }),
    ...(bannedPhrases.length > 0 && { bannedPhrases }),
    ...(given.endpoint === "completions" && given.body.heal && { heal: true }),
    ...(thought && { thought }),
    ...(body.trace && { trace: true }),
    // without any, the picked token would have none, either
    ...(logprobs !== undefined && (isAfter ? { alternatives: Math.max(1, logprobs) } : { logprobs })),
  };
  return prompts.flatMap((prompt, at) =>
    Array.from({ length: n }, (_, i) => ({
      prompt,
      request: { ...common, ...seeded(at * n + i) },
      ends,
      ...(isAfter && { afterChain: logprobs }),
    })),
  );
}

/** The most tokens that a text can have, with its prompt. */
export const mostTokens = (
  { contextSize }: Engine,
  { prompt, request: { maxTokens = Infinity } }: PlannedText,
): number => Math.min(contextSize, prompt.length + maxTokens);

/** -1 is no limit but the context. */
const limitOf = (most: number | undefined): number | undefined => (most === -1 ? undefined : most);

function mostOf(given: GivenBody): number | undefined {
  if (given.endpoint === "completions") return limitOf(given.body.max_tokens ?? COMPLETION_TOKENS);
  const [old, most] = [limitOf(given.body.max_tokens), limitOf(given.body.max_completion_tokens)];
  if (old !== undefined && most !== undefined && old !== most)
    throw new Refusal("invalid_request", "`max_tokens` and `max_completion_tokens` differ: give one of them", {
      param: "max_tokens",
    });
  return most ?? old;
}

/** How many likely tokens each token has beside it; undefined for none, and no probability of its own. */
function logprobsOf({ endpoint, body }: GivenBody): number | undefined {
  const { logprobs } = body;
  const wrong = (expected: string): Refusal =>
    new Refusal("invalid_request", `\`logprobs\` must be ${expected}, found ${JSON.stringify(logprobs)}`, {
      param: "logprobs",
    });
  if (endpoint === "completions") {
    if (logprobs === true) throw wrong("an integer from 0 to 20");
    return logprobs === false ? undefined : logprobs;
  }
  if (typeof logprobs === "number") throw wrong("true or false");
  if (body.top_logprobs && !logprobs)
    throw new Refusal("invalid_request", "`top_logprobs` needs `logprobs: true`", { param: "top_logprobs" });
  return logprobs ? (body.top_logprobs ?? 0) : undefined;
}

/** A piece whose log-probabilities are those of the distribution that the chain draws from. */
export const afterChain = ({ probability = 0, alternatives = [], ...piece }: Piece, likeliest: number): Piece => ({
  ...piece,
  logprob: Math.log(probability),
  logprobs: alternatives.slice(0, likeliest).map(({ token, probability: one }) => ({ token, logprob: Math.log(one) })),
});

/** The place that a request must have. */
export function placeOf({ sequences }: Engine, { id_slot: slot, n = 1 }: CommonBody): number | undefined {
  if (slot === undefined || slot < 0) return undefined;
  if (slot >= sequences)
    throw new Refusal(
      "invalid_request",
      `\`id_slot\` must be at most ${sequences - 1}, the last place, found ${slot}`,
      {
        param: "id_slot",
      },
    );
  if (n > 1)
    throw new Refusal("invalid_request", "`id_slot` is one place: it cannot have `n` texts", { param: "id_slot" });
  return slot;
}
