/** The fields that OpenAI's API does not have: those of this server, and those of other tools. */
import { CONSTRAINT_FIELDS } from "./constraints.js";
import { alone, CHAT, CONVERSATION, neutral, own, type Field } from "./field.js";
import { LONGEST_WINDOW, SAMPLER_FIELDS } from "./samplerFields.js";
import * as schema from "./schemas.js";

type Described = Omit<Field, "on" | "support">;

/** The fields of a table, which are no fields of OpenAI's API. */
const owned = <Name extends string>(table: Readonly<Record<Name, Described>>): Readonly<Record<Name, Field>> =>
  Object.fromEntries(
    Object.entries<Described>(table).map(([name, { schema: of, about, ...options }]) => [
      name,
      own(of, about, options),
    ]),
  ) as Record<Name, Field>;

export const OWN_FIELDS = {
  post_sampling_probs: own(
    schema.flag,
    "llama-server's: log-probabilities are of the distribution that the chain draws from; the likeliest are those that it keeps",
    neutral(false),
  ),
  schema_options: own(
    schema.schemaOptions,
    "of the schemas of `response_format` and `tools`: `ignore`, keywords that need not hold; `whitespace`: `none`, `line`, `usual`, `any`; `order` of properties: `declared`, `any`; `others`, properties that nothing describes: `none`, `any`",
  ),
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
  trace: own(
    schema.flag,
    "what each stage of the chain made of the rows and of the token, in `trace` of a choice or of an event",
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
  continue_final_message: {
    on: CONVERSATION,
    support: "own",
    schema: schema.flag,
    about:
      "vLLM's, SGLang's and llama-server's: the last message is the assistant's, and its text goes on; the answer is what comes after it",
    ...neutral(false),
  },
  add_generation_prompt: {
    on: CONVERSATION,
    support: "own",
    schema: schema.flag,
    about: "the beginning of an answer ends the prompt; default true, and false with `continue_final_message`",
  },
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
  banned_phrases: own(
    schema.phrases,
    "what is not written: texts, `{ text }` or `{ regex }`, with `ignore_case` or without; where the text has one, it goes back to the token in which the phrase begins, and on with another one",
    neutral([]),
  ),
  banned_tokens: own(
    schema.listOf(schema.text, { maxItems: 4096 }),
    "KoboldCpp's: phrases as those of `banned_phrases`, whatever the case of their letters",
    neutral([]),
  ),
  banned_strings: own(
    schema.either(schema.text, schema.listOf(schema.text, { maxItems: 4096 })),
    "tabbyAPI's and KoboldCpp's other name of `banned_tokens`, which counts without it",
    neutral([], ""),
  ),
  heal: alone(
    "completions",
    schema.flag,
    "token healing: the last token of the prompt is taken back, and the text begins with tokens that begin with its letters, so that a prompt may end inside a word",
    neutral(false),
  ),
  speculate: own(
    schema.drafts,
    "[drafts](speculation.md), for the same text in fewer decodes: `false`, `{ lookup }` or `{ draft }`, each true or with its settings; default: what the server was started with",
    neutral(true),
  ),
  ...owned(CONSTRAINT_FIELDS),
  sse_ping_interval: own(
    schema.integer(-1, 3600),
    "llama-server's: after so many seconds without an event a stream says that it goes on; 0 or -1: never; default: what the server was started with",
  ),
  cache_prompt: own(schema.flag, "no effect: what prompts begin with is shared in any case", neutral(true, false)),
  skip_special_tokens: own(schema.only(true), "special tokens are no part of a text", neutral(true)),
  spaces_between_special_tokens: own(schema.flag, "no effect, since these are no part of a text", neutral(true, false)),
  include_stop_str_in_output: own(schema.only(false), "stop texts are no part of a text", neutral(false)),
} as const satisfies Readonly<Record<string, Field>>;
