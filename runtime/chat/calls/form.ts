/** The form in which a model calls tools: a block of calls between marks. */
import type { Tool } from "../messages.js";

/** The tools that may be called, by name. */
export type Tools = ReadonlyMap<string, Tool>;

/** The beginning of a call in a text, up to its arguments. */
export interface BegunCall {
  readonly name: string;
  /** If the model writes one. */
  readonly id?: string | undefined;
  /** Where it ends. */
  readonly end: number;
}

/** A call in a text. */
export interface ReadCall extends BegunCall {
  /** As JSON. */
  readonly arguments: string;
}

/** What is read at a place: `open` if more text is needed, undefined if it is something else. */
export type Found<T> = T | "open" | undefined;

/** What a call consists of, as the template writes it: texts, and what is different in each call. */
export type Segment = string | { readonly hole: "name" | "id" | "index" | "arguments" };

/** Changes texts of a form. */
type Change = (text: string) => string;

/** How arguments are written. */
export interface ArgumentsForm {
  /** Its texts. */
  readonly literals: readonly string[];
  /** The same with other texts. */
  changed(change: Change): ArgumentsForm;
  read(text: string, at: number, tool: Tool): Found<{ readonly json: string; readonly end: number }>;
  /**
   * Formats of structural tags that come one after the other.
   * @param formatsOf those of a text
   */
  formats(tool: Tool, options: object, formatsOf: (text: string) => readonly object[]): readonly object[];
}

/** One call, without the marks around it. */
export interface CallItem {
  readonly segments: readonly Segment[];
  readonly args: ArgumentsForm;
  /** Whether names are in JSON texts. */
  readonly isJson: boolean;
  read(text: string, at: number, tools: Tools): Found<ReadCall>;
  /** Its beginning, if arguments come after it that are JSON as it is written; `whole`: it must be read with `read`. */
  begin(text: string, at: number, tools: Tools): Found<BegunCall> | "whole";
  /** Where it ends, after the arguments of a call that was begun. */
  finish(text: string, at: number): Found<number>;
  /** The same with other texts. */
  changed(change: Change): CallItem;
}

/** Segments with other texts. */
export const changedSegments = (segments: readonly Segment[], change: Change): readonly Segment[] =>
  segments.map((one) => (typeof one === "string" ? change(one) : one));

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
