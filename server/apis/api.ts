/** What an API is: how its requests become bodies in the server's own form, and how its answers and errors are written. */
import type { Part } from "ggsl/chat/answer.js";
import type { GenerationStats, Piece } from "ggsl/generation/pieces.js";
import type { Model } from "ggsl/models/model.js";
import type { Usage } from "../engine/texts.js";
import type { StreamEvent, StreamForm } from "../http/events.js";
import type { Refusal } from "../refusal.js";
import type { GivenBody } from "../request/bodies.js";
import type { Body, TextEndpoint } from "../request/fields.js";
import type { Form } from "../request/forms.js";

/** The form of an API's errors. */
export type ErrorForm = (refusal: Refusal, request?: string) => object;

/** A path of an API whose bodies ask for texts, or are as if they did. */
export interface BodyApi {
  readonly form: Form;
  /** Gives a body of the form, without members that are null, the server's own form; absent where it has that. Throws a `Refusal`. */
  readonly translate?: (body: Body, reading: Reading) => Translated;
  /** The form of a body that is not translated. */
  readonly endpoint?: TextEndpoint;
  readonly errors: ErrorForm;
}

/** A path that writes texts. */
export interface TextApi extends BodyApi {
  readonly stream: StreamForm;
  /** Begins the answer to a request. */
  readonly open: (context: AnswerContext) => AnswerWriter;
}

/** How a body is read. */
export interface Reading {
  /** A part of the body that has no effect: a strict server refuses it, a lenient one names it in a header. */
  readonly drop: (path: string, why: string) => void;
  /** What has no effect, as clients send with every request: it is named in a header. */
  readonly note: (path: string) => void;
}

/** A body in the server's own form. */
export interface Translated {
  readonly endpoint: TextEndpoint;
  /** Not checked yet. */
  readonly body: Body;
  /** Where the client has written what has another place in the body: the client's paths by those of the body. */
  readonly origins: Origins;
  /** The answer, where no text is asked for. The body is not checked then. */
  readonly instant?: object;
}

export type Origins = ReadonlyMap<string, string>;

/** A request that was read. */
export interface Asked {
  readonly given: GivenBody;
  /** The body as the client has sent it, without what was ignored. */
  readonly body: Body;
  readonly origins: Origins;
  /** The answer, where no text is asked for. */
  readonly instant?: object | undefined;
}

/** What an answer is made for. */
export interface AnswerContext {
  readonly asked: Asked;
  readonly model: Model;
  /** The model's name in the answer. */
  readonly name: string;
  /** How many are written. */
  readonly texts: number;
  readonly promptTokens: number;
  readonly isStream: boolean;
  /** When the request came, as of `performance.now`. */
  readonly started: number;
}

/** The end of a text. */
export interface TextEnd {
  readonly stats: GenerationStats;
  /** What was held back. */
  readonly parts: readonly Part[];
  /** Whether it is within a call. */
  readonly isCut?: boolean;
  /** Tokens of thoughts; undefined for a model that does not think. */
  readonly reasoningTokens?: number;
}

/** Writes one answer: of a stream its events, and after the last text the whole. */
export interface AnswerWriter {
  /** Of the answer, for the log. */
  readonly id: string;
  /** What a stream begins with, before the first piece. */
  begin(): readonly StreamEvent[];
  /** @param parts what the piece adds to the answer; for completions none */
  piece(index: number, piece: Piece, parts: readonly Part[]): readonly StreamEvent[];
  end(index: number, end: TextEnd): readonly StreamEvent[];
  /** What a stream ends with. */
  finish(usage: Usage): readonly StreamEvent[];
  /** What a stream ends with that has begun, and fails. */
  fail(refusal: Refusal, request: string): readonly StreamEvent[];
  whole(usage: Usage): object;
}
