/** What a path does with a field of a body: the rules that tables of fields are made of. */
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

export const BOTH: readonly Endpoint[] = ["chat", "completions"];
export const OF_MODEL: readonly Endpoint[] = [...BOTH, "logits"];
export const ALL: readonly Endpoint[] = [...OF_MODEL, "template", "tokenize", "detokenize"];
export const CHAT: readonly Endpoint[] = ["chat"];
/** Of conversations, also those that are not answered. */
export const CONVERSATION: readonly Endpoint[] = ["chat", "template"];
export const COMPLETIONS: readonly Endpoint[] = ["completions"];

type Options = Omit<Field, "on" | "about" | "schema" | "support">;
export const yes = (on: readonly Endpoint[], of: FieldSchema, about: string, options: Options = {}): Field => ({
  on,
  support: "yes",
  schema: of,
  about,
  ...options,
});
export const partly = (on: readonly Endpoint[], of: FieldSchema, about: string, options: Options = {}): Field => ({
  on,
  support: "partly",
  schema: of,
  about,
  ...options,
});
export const no = (on: readonly Endpoint[], about: string, options: Options = {}): Field => ({
  on,
  support: "no",
  schema: {},
  about,
  ...options,
});
export const own = (of: FieldSchema, about: string, options: Options = {}): Field => ({
  on: BOTH,
  support: "own",
  schema: of,
  about,
  ...options,
});
/** A field of one path alone. */
export const alone = (on: Endpoint, of: FieldSchema, about: string, options: Options = {}): Field => ({
  ...own(of, about, options),
  on: [on],
});
export const neutral = (...values: readonly unknown[]): Options => ({ neutral: values });
