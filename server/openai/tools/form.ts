/** The form in which a model calls tools: a block of calls between marks. */
import type { Tool } from "ggsl/chat/messages.js";

/** The tools that may be called, by name. */
export type Tools = ReadonlyMap<string, Tool>;

/** A call in a text. */
export interface ReadCall {
  readonly name: string;
  /** As JSON. */
  readonly arguments: string;
  /** If the model writes one. */
  readonly id?: string | undefined;
  /** Where it ends. */
  readonly end: number;
}

/** What is read at a place: `open` if more text is needed, undefined if it is something else. */
export type Found<T> = T | "open" | undefined;

/** What a call consists of, as the template writes it: texts, and what is different in each call. */
export type Segment = string | { readonly hole: "name" | "id" | "index" | "arguments" };

/** How arguments are written. */
export interface ArgumentsForm {
  read(text: string, at: number, tool: Tool): Found<{ readonly json: string; readonly end: number }>;
  /** A format of structural tags; undefined if the schema cannot be enforced in this form. */
  format(tool: Tool, options: object): object | undefined;
}

/** One call, without the marks around it. */
export interface CallItem {
  readonly segments: readonly Segment[];
  readonly args: ArgumentsForm;
  /** Whether names are in JSON texts. */
  readonly isJson: boolean;
  read(text: string, at: number, tools: Tools): Found<ReadCall>;
  /** The same with other texts. */
  with(segments: readonly Segment[]): CallItem;
}

export interface CallForm {
  /** Blanks between content and the first call. */
  readonly lead: string;
  /** Where it occurs in a text, a call may begin: the beginning of `head`. */
  readonly mark: string;
  /** Before the first call; may be empty. */
  readonly head: string;
  readonly item: CallItem;
  /** Between two calls; undefined for one call alone. */
  readonly between: string | undefined;
  /** After the last call. */
  readonly close: string;
  /** The characters that stand for control tokens in all of these texts, by token. */
  readonly marks: ReadonlyMap<number, string>;
  /** Control tokens that the model may write beside calls. */
  readonly beside: readonly number[];
}
