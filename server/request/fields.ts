/**
 * The fields of requests: what a body may have, and what is not done and why. Fastify checks bodies by these schemas, and the tables
 * of docs/server.md are written from them.
 */
import { isDeepStrictEqual } from "node:util";
import { ALIASES, type AliasName } from "./aliases.js";
import { EFFORTS } from "ggsl/chat/reasoning/efforts.js";
import { faultOf } from "./fit.js";
import { LONGEST_WINDOW, SAMPLER_FIELDS } from "./samplerFields.js";
import { CONSTRAINT_FIELDS } from "./constraints.js";
import * as schema from "./schemas.js";
import type { FieldSchema } from "./schemas.js";

/** What writes texts. */
export type TextEndpoint = "chat" | "completions";
export type Endpoint = TextEndpoint | "logits" | "template" | "tokenize" | "detokenize";

/** What a path does with a field. */
export interface Rule {
  /** `own`: not a field of OpenAI's API. `partly`: only the values of the schema; `about` says what of the others. `no`: refused. */
  readonly support: "yes" | "partly" | "no" | "own";
  readonly schema: FieldSchema;
  /** What it does, or why it is refused. */
  readonly about: string;
  readonly isRequired?: true;
  /**
   * Values that ask for nothing, as clients send them with every request: they are in no conflict with a chain. One that the schema
   * does not have counts as absent.
   */
  readonly neutral?: readonly unknown[];
  /** Whether another value asks for nothing, too. */
  readonly asksNothing?: (value: unknown) => boolean;
  /** The field without which it asks for nothing. */
  readonly beside?: string;
  /** Of a field that is done in part: whether a value of the schema is done, where it depends on other fields. */
  readonly isDone?: (value: unknown, body: Body) => boolean;
}

export interface Field extends Rule {
  readonly on: readonly Endpoint[];
}

export type Body = Readonly<Record<string, unknown>>;

const BOTH: readonly Endpoint[] = ["chat", "completions"];
const OF_MODEL: readonly Endpoint[] = [...BOTH, "logits"];
const ALL: readonly Endpoint[] = [...OF_MODEL, "template", "tokenize", "detokenize"];
const CHAT: readonly Endpoint[] = ["chat"];
/** Of conversations, also those that are not answered. */
const CONVERSATION: readonly Endpoint[] = ["chat", "template"];
const COMPLETIONS: readonly Endpoint[] = ["completions"];

type Options = Omit<Field, "on" | "about" | "schema" | "support">;
const yes = (on: readonly Endpoint[], of: FieldSchema, about: string, options: Options = {}): Field => ({
  on,
  support: "yes",
  schema: of,
  about,
  ...options,
});
const partly = (on: readonly Endpoint[], of: FieldSchema, about: string, options: Options = {}): Field => ({
  on,
  support: "partly",
  schema: of,
  about,
  ...options,
});
const no = (on: readonly Endpoint[], about: string, options: Options = {}): Field => ({
  on,
  support: "no",
  schema: {},
  about,
  ...options,
});
const own = (of: FieldSchema, about: string, options: Options = {}): Field => ({
  on: BOTH,
  support: "own",
  schema: of,
  about,
  ...options,
});
/** A field of one path alone. */
const alone = (on: Endpoint, of: FieldSchema, about: string, options: Options = {}): Field => ({
  ...own(of, about, options),
  on: [on],
});
const neutral = (...values: readonly unknown[]): Options => ({ neutral: values });

/** By which llama.cpp's programs mean a random one. */
export const RANDOM_SEED = 2 ** 32 - 1;

type Described = Omit<Field, "on" | "support">;

/** The fields of a table, which are no fields of OpenAI's API. */
const owned = <Name extends string>(table: Readonly<Record<Name, Described>>): Readonly<Record<Name, Field>> =>
  Object.fromEntries(
    Object.entries<Described>(table).map(([name, { schema: of, about, ...options }]) => [
      name,
      own(of, about, options),
    ]),
  ) as Record<Name, Field>;

/** The number of likely tokens of each place, for chats, too. */
const PROBS: Field = own(schema.integer(0, 20), "", neutral(0));

const OWN_FIELDS = {
  model: yes(
    ALL,
    schema.someText,
    "a name that `/v1/models` lists; may be absent. `NAME:SAMPLER` chooses one of the server's samplers",
    neutral(""),
  ),
  messages: yes(
    CONVERSATION,
    schema.messages,
    "parts of a content are texts; `developer` is `system`; arguments of a call that are absent or empty are `{}`",
    { isRequired: true },
  ),
  prompt: yes(
    ["completions", "logits"],
    schema.prompt,
    "a text, token ids, or a list of either; each has `n` choices, and logits are those of one. Special tokens in a text are letters",
    { isRequired: true },
  ),
  temperature: yes(BOTH, schema.number(0, 2), "default 1; 0 picks the likeliest token", neutral(1)),
  top_p: yes(BOTH, schema.number(0, 1), "default 1", neutral(1)),
  frequency_penalty: yes(BOTH, schema.number(-2, 2), "over the last `repeat_last_n` tokens", neutral(0)),
  presence_penalty: yes(BOTH, schema.number(-2, 2), "over the last `repeat_last_n` tokens", neutral(0)),
  logit_bias: yes(BOTH, schema.biases, "token ids to numbers from -100 to 100; -100 bans", neutral({}, [])),
  seed: yes(
    BOTH,
    schema.seed,
    "the choices of a request have the seeds `seed`, `seed + 1`, ...; -1 and 4294967295: random",
    neutral(-1, RANDOM_SEED),
  ),
  stop: yes(
    BOTH,
    schema.stop,
    "a text or up to 16; not part of the answer. Those that are empty stop nothing",
    neutral("", [], [""]),
  ),
  n: yes(BOTH, schema.integer(1, 64), "choices; each takes a place", neutral(1)),
  max_tokens: yes(
    BOTH,
    schema.integer(-1),
    "default: 16 for completions, the rest of the context for chats; -1: the rest of the context",
  ),
  max_completion_tokens: yes(CHAT, schema.integer(-1), "as `max_tokens`", neutral(-1)),
  logprobs: {
    on: BOTH,
    support: "yes",
    schema: schema.logprobs,
    about:
      "the model's own, before the chain, unless `post_sampling_probs` says otherwise; for chats a boolean, for completions a number up to 20",
    ...neutral(false),
  },
  post_sampling_probs: own(
    schema.flag,
    "llama-server's: log-probabilities are of the distribution that the chain draws from; the likeliest are those that it keeps",
    neutral(false),
  ),
  top_logprobs: yes(CHAT, schema.integer(0, 20), "needs `logprobs`", neutral(0)),
  stream: yes(BOTH, schema.flag, "server-sent events", neutral(false)),
  stream_options: partly(
    BOTH,
    schema.object({
      include_usage: schema.flag,
      include_obfuscation: schema.only(false),
      continuous_usage_stats: schema.only(false),
    }),
    "`include_usage`; events are not obfuscated, and the last one alone has the usage",
    neutral({}),
  ),
  response_format: yes(
    CHAT,
    schema.responseFormat,
    "`text`, `json_object`, `json_schema`: enforced while tokens are picked, strict or not",
    neutral({ type: "text" }, {}),
  ),
  schema_options: {
    on: CHAT,
    support: "own",
    schema: schema.schemaOptions,
    about:
      "of the schemas of `response_format` and `tools`: `ignore`, keywords that need not hold; `whitespace`: `none`, `line`, `usual`, `any`; `order` of properties: `declared`, `any`; `others`, properties that nothing describes: `none`, `any`",
  },
  tools: yes(
    CONVERSATION,
    schema.tools,
    "functions, shown to the model by its template; calls are read in the template's form",
    neutral([]),
  ),
  tool_choice: partly(
    CONVERSATION,
    schema.toolChoice,
    "`none`, `auto`, `required`, a function; the last two are enforced, and with `auto` what begins as a call. `allowed_tools` and custom tools are refused",
    neutral("auto"),
  ),
  parallel_tool_calls: yes(CHAT, schema.flag, "false: the answer ends after the first call", neutral(true)),
  best_of: partly(
    COMPLETIONS,
    schema.integer(1, 64),
    "it must be `n`, or 1: texts that are not returned are not written",
    { ...neutral(1), isDone: (most, { n }) => most === 1 || most === (n ?? 1) },
  ),
  echo: partly(COMPLETIONS, schema.only(false), "the prompt is not repeated", neutral(false)),
  suffix: no(
    COMPLETIONS,
    "the text between two others needs a form that depends on the model: write it in the prompt",
    neutral(""),
  ),
  user: yes(OF_MODEL, schema.someText, "written in the log; no effect on the answer", neutral("")),
  safety_identifier: yes(CHAT, schema.someText, "as `user`", neutral("")),
  prompt_cache_key: yes(CHAT, schema.text, "no effect: what prompts begin with is shared in any case", neutral("")),
  prompt_cache_retention: yes(CHAT, schema.text, "no effect, as `prompt_cache_key`"),
  prompt_cache_options: yes(CHAT, schema.someObject, "no effect, as `prompt_cache_key`"),
  service_tier: partly(CHAT, schema.only("auto", "default"), "there is one tier", neutral("auto", "default", "")),
  store: partly(CHAT, schema.only(false), "answers are not stored", neutral(false)),
  metadata: no(CHAT, "answers are not stored", neutral({})),
  modalities: partly(
    CHAT,
    schema.listOf(schema.only("text")),
    "the model reads and writes text",
    neutral(["text"], []),
  ),
  moderation: no(CHAT, "the server judges no texts"),
  audio: no(CHAT, "the model writes text"),
  prediction: no(CHAT, "drafts from the request are not supported"),
  reasoning_effort: yes(
    CONVERSATION,
    schema.only(...EFFORTS),
    "becomes the variables that the model's template reads; `none`: without a thought. Refused where the template has no such thing; `medium` is what nobody asked for there",
    neutral("medium", ""),
  ),
  verbosity: no(CHAT, "ask for it in a message", neutral("medium")),
  web_search_options: no(CHAT, "the server reads no pages"),
  functions: no(CHAT, "outdated: give `tools`", neutral([])),
  function_call: no(CHAT, "outdated: give `tool_choice`", neutral("none", "auto")),
  sampler: own(
    schema.sampler,
    "GGSL source, a pipeline such as `top_k(40) |> dist()`, a graph spec, the name of one of the server's, or an id of `/v1/samplers`",
    neutral(""),
  ),
  sampler_chain: own(schema.someText, "the chain, if the source declares several", neutral("")),
  sampler_params: own(
    schema.values,
    "uniforms of the chain by name; static parameters are part of the source",
    neutral({}),
  ),
  sampler_inputs: own(
    schema.inputs,
    "what the chain declares with `input`, by name: a number for each token, pairs, or token ids",
    neutral({}),
  ),
  measures: own(
    schema.flag,
    "the measures of the chain for each token, in `measures` of a choice or of an event",
    neutral(false),
  ),
  id_slot: own(
    schema.integer(-1, 255),
    "the place that writes the text, which may have a sampler of its own; -1: any",
    neutral(-1),
  ),
  top_k: own(schema.integer(-1), "the most candidates; 0 or -1: all", neutral(0, -1)),
  min_p: own(schema.number(0, 1), "the least probability, relative to that of the likeliest token", neutral(0)),
  repeat_penalty: own(
    schema.number(0.01, 100),
    "divides or multiplies the logits of tokens in the text; 1: off",
    neutral(1),
  ),
  repetition_penalty: own(schema.number(0.01, 100), "another name of `repeat_penalty`", neutral(1)),
  repeat_last_n: own(
    schema.integer(-1, LONGEST_WINDOW),
    "the window of all penalties, prompt included; default 64; -1: the whole text",
    neutral(64, 0, -1),
  ),
  min_tokens: own(schema.integer(0), "the text does not end before, unless a grammar ends it", neutral(0)),
  ignore_eos: own(schema.flag, "the text ends by `max_tokens`, a stop text, the context or a grammar", neutral(false)),
  chat_template_kwargs: {
    on: CONVERSATION,
    support: "own",
    schema: schema.someObject,
    about: "variables of the chat template, as in `{ enable_thinking: false }`",
    ...neutral({}),
  },
  reasoning_format: {
    on: CHAT,
    support: "own",
    schema: schema.only("auto", "deepseek", "none"),
    about:
      "`auto` and `deepseek`: thoughts are in `reasoning_content`; `none`: in the content, as the model writes them",
    ...neutral("auto", "deepseek", ""),
  },
  enable_thinking: {
    on: CONVERSATION,
    support: "own",
    schema: schema.flag,
    about: "whether the model thinks, by the variable that its template reads; refused where it reads none",
  },
  reasoning_budget: {
    on: CHAT,
    support: "own",
    schema: schema.integer(-1),
    about: "the most tokens of a thought: then its end is written, and the answer begins; -1: no limit",
    ...neutral(-1),
  },
  thinking_budget_tokens: {
    on: CHAT,
    support: "own",
    schema: schema.integer(-1),
    about: "another name of `reasoning_budget`",
    ...neutral(-1),
  },
  add_generation_prompt: alone("template", schema.flag, "the beginning of the answer ends the prompt; default true"),
  content: alone("tokenize", schema.text, "the text", {
    isRequired: true,
  }),
  add_special: alone("tokenize", schema.flag, "with the tokens that the model adds around a text; default false"),
  parse_special: alone(
    "tokenize",
    schema.flag,
    "special tokens that the text names are read as these, else they are letters; default true",
  ),
  with_pieces: alone(
    "tokenize",
    schema.flag,
    "each token is `{ id, piece }`: its text, or a list of its bytes, if they are no text; default false",
  ),
  tokens: alone("detokenize", schema.listOf(schema.integer(0)), "the ids", { isRequired: true }),
  ...owned(SAMPLER_FIELDS),
  stop_token_ids: own(
    schema.listOf(schema.integer(0), { maxItems: 4096 }),
    "tokens that end the text and are no part of it, but not before `min_tokens`",
    neutral([]),
  ),
  speculate: own(
    schema.drafts,
    "[drafts](speculation.md), for the same text in fewer decodes: `false`, `{ lookup }` or `{ draft }`, each true or with its settings; default: what the server was started with",
    neutral(true),
  ),
  ...owned(CONSTRAINT_FIELDS),
  cache_prompt: own(schema.flag, "no effect: what prompts begin with is shared in any case", neutral(true, false)),
  skip_special_tokens: own(schema.only(true), "special tokens are no part of a text", neutral(true)),
  spaces_between_special_tokens: own(schema.flag, "no effect, since these are no part of a text", neutral(true, false)),
  include_stop_str_in_output: own(schema.only(false), "stop texts are no part of a text", neutral(false)),
} as const satisfies Readonly<Record<string, Field>>;

/** With the schemas and neutral values of what they are names of. */
const ALIAS_FIELDS = Object.fromEntries(
  Object.entries(ALIASES).map(([name, { of }]): [string, Field] => {
    const field: Field = name === "n_probs" ? PROBS : OWN_FIELDS[of as keyof typeof OWN_FIELDS];
    return [name, { ...field, on: BOTH, support: "own", about: `another name of \`${of}\`` }];
  }),
) as Readonly<Record<AliasName, Field>>;

export const FIELDS = { ...OWN_FIELDS, ...ALIAS_FIELDS } as const;

export type FieldName = keyof typeof FIELDS;

export const fieldOf = (name: string): Field | undefined =>
  Object.hasOwn(FIELDS, name) ? FIELDS[name as FieldName] : undefined;

/** The fields of an endpoint. */
export const fieldsOn = (endpoint: Endpoint): (readonly [string, Field])[] =>
  Object.entries(FIELDS).filter(([, { on }]) => on.includes(endpoint));

/** Whether a value of a field asks for nothing. */
export function isNeutral(name: string, value: unknown, rule: Rule | undefined = fieldOf(name)): boolean {
  const { neutral: values = [], asksNothing } = rule ?? {};
  if (asksNothing?.(value)) return true;
  // biases of 0 change nothing, either
  if (name === "logit_bias" && typeof value === "object" && value !== null && !Array.isArray(value))
    return Object.values(value).every((bias) => bias === 0);
  return values.some((one) => isDeepStrictEqual(one, value));
}

/** Whether a body asks for something by a field: it is given, not neutral, and what it is beside is there. */
export function isWish(name: string, body: Body): boolean {
  const { beside } = fieldOf(name) ?? {};
  return body[name] !== undefined && !isNeutral(name, body[name]) && (beside === undefined || isWish(beside, body));
}

/** Whether a value counts as absent: it asks for nothing, in a form that the field does not have. */
export function isAbsent(name: string, value: unknown, rule: Rule = fieldOf(name)!): boolean {
  if (rule.support === "no") return isNeutral(name, value, rule) || isEmpty(value);
  return isNeutral(name, value, rule) && faultOf(rule.schema, value) !== undefined;
}

/** What asks for nothing, whatever the field. */
export const isEmpty = (value: unknown): boolean =>
  value === false || value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** The schema of a body of some fields. Others are found by `checkFields`, which can allow them. */
export const schemaOf = (fields: Iterable<readonly [string, Rule]>): FieldSchema => ({
  type: "object",
  properties: Object.fromEntries(Array.from(fields, ([name, { schema: of }]) => [name, of])),
  required: Array.from(fields).flatMap(([name, { isRequired }]) => (isRequired ? [name] : [])),
});

export const bodySchema = (endpoint: Endpoint): FieldSchema => schemaOf(fieldsOn(endpoint));
