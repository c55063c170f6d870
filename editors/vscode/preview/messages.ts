/** Messages between the extension, the thread that evaluates, and the page that draws. */
import type { StagesReply } from "../../../playground/engine/messages.js";
import type { Shape } from "../../../playground/state/source.js";

/** What is evaluated: the chain at an offset of a program. */
export interface Request {
  readonly id: number;
  /** The path of the file, or the address of a document that is in none. */
  readonly name: string;
  readonly text: string;
  /** In UTF-16 code units. */
  readonly offset: number;
  /** The folder that imports stay below. */
  readonly root: string;
  readonly logits: { readonly shape: Shape; readonly size: number };
}

export type Answer = { readonly id: number } & (
  { readonly chain: string; readonly reply: StagesReply } | { readonly fault: string }
);

/** From the page: the logits that were chosen; also sent once when the page is ready. */
export type Chosen = Request["logits"];
