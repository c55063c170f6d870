/** What writes texts and gives logits for the page. */
import type { Token } from "ggsl/models/thread/messages.js";
import type { ParamValues, PickPoint, ProgramRef, SpecReply } from "../engine/messages.js";

/** A text to write. */
export interface TextTask extends SpecReply {
  readonly request: ProgramRef;
  readonly uniforms: ParamValues;
  readonly prompt: string;
  readonly maxTokens: number;
  /** What is not written. */
  readonly bannedPhrases: readonly string[];
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
  /** The name of the stop that ended it. */
  readonly stoppedBy?: string;
  readonly generatedTokens: number;
  readonly tokensPerSecond: number;
  /** How often it was taken back because of phrases; absent where that is not known. */
  readonly rewinds?: number;
}

export interface Writer {
  readonly name: string;
  write(task: TextTask): WrittenText;
}

/** A text up to a place. */
export interface TextSoFar {
  readonly prompt: string;
  readonly tokens: readonly Pick<Token, "token" | "text">[];
  /** The prompts of the chain's guides, by name. */
  readonly guides: Readonly<Record<string, string>>;
}

/** What the model gives a chain at a place of a text. */
export interface Seen {
  readonly place: PickPoint;
  /** The text of each token. Of tokens with the same text, such as parts of characters, only the first one has it. */
  readonly texts: readonly string[];
  /** Texts of tokens, by their ids. */
  textsOf(tokens: Int32Array): ReadonlyMap<number, string>;
}

export interface Models {
  /** The name of its logits among the sources. */
  readonly nextTitle: string;
  /** What the colours of tokens show. */
  readonly probabilities: string;
  readonly takesGuides: boolean;
  /** What a place does not have of its text; absent: it has all. */
  readonly missing?: string;
  /** Whether texts cost nothing but this machine's time, so that each change of the program writes one; else only the first does. */
  readonly isOwn: boolean;
  /** Whether it can be asked: a server may want a key first. */
  isReady(): boolean;
  /** Absent if nothing is read. @param onProgress called with the part of the model that is there, from 0 to 1 */
  watch?(onProgress: (part: number) => void): void;
  /** The first pictures are there: until then, what it loads would only delay them. */
  begin?(): void;
  open(): Promise<Writer>;
  at(text: TextSoFar, signal: AbortSignal): Promise<Seen>;
  /** Replaces the model by a file and tells of it; absent if it cannot be replaced. */
  openFile?(file: File): Promise<string>;
}
