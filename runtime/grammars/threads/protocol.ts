/** What threads of grammars are asked, and what they answer. */
import type { Routed } from "../sources.js";
import type { EngineReply, EngineRequest } from "../xgrammar/engine.js";

/** Reads a source, and tries it with a vocabulary that the engine has. It fails with the `InputError` of the source. */
export interface PrepareRequest {
  readonly type: "prepare";
  readonly vocabulary: number;
  /** As JSON. */
  readonly source: string;
}

export type ThreadRequest = EngineRequest | PrepareRequest;

export type ThreadReply =
  EngineReply | { readonly type: "prepared"; readonly routed: Routed; readonly milliseconds: number };
