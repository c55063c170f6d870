/** What writes texts and gives logits for the page. */
import type { Token } from "ggsl/wasm/llama/messages.js";
import type { ParamValues, SpecReply, SpecRequest } from "../engine/messages.js";
import type { NextToken } from "./next.js";

/** A text to write. */
export interface TextTask extends SpecReply {
  readonly request: SpecRequest;
  readonly uniforms: ParamValues;
  readonly prompt: string;
  readonly maxTokens: number;
  /** The prompt of a guide of the chain. */
  readonly guidePrompt: (name: string) => string;
}

/** A text that is being written. */
export interface WrittenText extends AsyncIterable<Token> {
  cancel(): void;
  /** Absent if they are those that the text began with. */
  setUniforms?(values: ParamValues): Promise<void>;
  readonly end: Promise<TextEnd>;
}

export interface TextEnd {
  readonly finish: string;
  readonly generatedTokens: number;
  readonly tokensPerSecond: number;
}

export interface Writer {
  readonly name: string;
  write(task: TextTask): WrittenText;
}

export interface Models {
  /** The name of its logits among the sources. */
  readonly nextTitle: string;
  /** What the colours of tokens show. */
  readonly probabilities: string;
  readonly takesGuides: boolean;
  open(): Promise<Writer>;
  /** The logits of the token after a prompt. */
  next(prompt: string, signal: AbortSignal): Promise<NextToken>;
  /** Replaces the model by a file and tells of it; absent if it cannot be replaced. */
  openFile?(file: File): Promise<string>;
}
