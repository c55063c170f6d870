/** Bodies that fit their schemas. */
import type { ChatMessage, Tool } from "ggsl/chat/messages.js";
import type { Effort } from "ggsl/chat/reasoning/efforts.js";
import type { SchemaOptions } from "ggsl/chat/calls/grammar.js";
import type { GrammarSource } from "ggsl/grammars/types.js";
import type { ConstraintName } from "./constraints.js";
import type { TextEndpoint } from "./fields.js";
import type { NumericFieldName } from "./samplerFields.js";

/** As `tidyBody` and `readChat` leave it: nothing in it is null. */
export interface CommonBody
  extends Readonly<Partial<Record<NumericFieldName, number>>>, Readonly<Partial<Record<ConstraintName, unknown>>> {
  readonly model?: string;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly frequency_penalty?: number;
  readonly presence_penalty?: number;
  readonly logit_bias?: Readonly<Record<string, number>>;
  readonly seed?: number;
  readonly stop?: string | readonly string[];
  readonly n?: number;
  readonly max_tokens?: number;
  readonly logprobs?: boolean | number;
  readonly post_sampling_probs?: boolean;
  readonly stream?: boolean;
  readonly sse_ping_interval?: number;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly user?: string;
  readonly safety_identifier?: string;
  readonly sampler?: string | object;
  readonly sampler_chain?: string;
  readonly sampler_params?: Readonly<Record<string, number | boolean | (string | number)[] | GrammarSource>>;
  readonly sampler_inputs?: Readonly<Record<string, readonly number[] | Readonly<Record<string, number>>>>;
  readonly measures?: boolean;
  readonly trace?: boolean;
  readonly id_slot?: number;
  readonly top_k?: number;
  readonly min_p?: number;
  readonly repeat_penalty?: number;
  readonly repetition_penalty?: number;
  readonly repeat_last_n?: number;
  readonly min_tokens?: number;
  readonly ignore_eos?: boolean;
  readonly samplers?: string | readonly string[];
  readonly dry_sequence_breakers?: readonly string[];
  readonly bad_words?: readonly string[];
  readonly allowed_token_ids?: readonly number[];
  readonly speculate?: GivenDrafts;
  readonly stop_token_ids?: readonly number[];
  readonly banned_phrases?: readonly GivenPhrase[];
  readonly banned_tokens?: readonly string[];
  readonly banned_strings?: string | readonly string[];
  readonly response_format?: ResponseFormat;
  readonly schema_options?: SchemaOptions;
}

export interface ChatBody extends CommonBody {
  readonly messages: readonly ChatMessage[];
  readonly max_completion_tokens?: number;
  readonly top_logprobs?: number;
  readonly tools?: readonly Tool[];
  readonly tool_choice?: ToolChoice;
  readonly parallel_tool_calls?: boolean;
  readonly chat_template_kwargs?: Readonly<Record<string, unknown>>;
  readonly reasoning_effort?: Effort;
  readonly reasoning_format?: "auto" | "deepseek" | "none";
  readonly enable_thinking?: boolean;
  readonly reasoning_budget?: number;
  readonly thinking_budget_tokens?: number;
  readonly continue_final_message?: boolean;
  readonly add_generation_prompt?: boolean;
}

interface CompletionBody extends CommonBody {
  readonly heal?: boolean;
  readonly prompt: string | readonly string[] | readonly number[] | readonly (readonly number[])[];
}

type ResponseFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object"; readonly schema?: object }
  | { readonly type: "json_schema"; readonly json_schema: { readonly name: string; readonly schema: object } };

type ToolChoice =
  "none" | "auto" | "required" | { readonly type: "function"; readonly function: { readonly name: string } };

/** A conversation that is not answered. */
export type TemplateBody = Pick<
  ChatBody,
  | "model"
  | "messages"
  | "tools"
  | "tool_choice"
  | "chat_template_kwargs"
  | "reasoning_effort"
  | "enable_thinking"
  | "continue_final_message"
  | "add_generation_prompt"
>;

export interface TokenizeBody {
  readonly model?: string;
  readonly content: string;
  readonly add_special?: boolean;
  readonly parse_special?: boolean;
  readonly with_pieces?: boolean;
}

export interface DetokenizeBody {
  readonly model?: string;
  readonly tokens: readonly number[];
}

export type LogitsBody = Pick<CompletionBody, "model" | "prompt" | "user">;

/** A body that asks for texts. */
export type GivenBody =
  | { readonly endpoint: Extract<TextEndpoint, "chat">; readonly body: ChatBody }
  | { readonly endpoint: Extract<TextEndpoint, "completions">; readonly body: CompletionBody };

/** A phrase that the text must not have. */
export type GivenPhrase = string | { readonly text?: string; readonly regex?: string; readonly ignore_case?: boolean };

/** A request's field: what the server has, nothing, or one of both with its settings. */
type GivenDrafts =
  | boolean
  | {
      readonly lookup?: boolean | { readonly min?: number; readonly max?: number; readonly tokens?: number };
      readonly draft?: boolean | { readonly tokens?: number };
    };
