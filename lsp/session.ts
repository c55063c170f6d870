/** What the answers to requests share: the open documents, and the places that requests point to. */
import { ErrorCodes, ResponseError, type Connection, type Position, type Range } from "vscode-languageserver";
import type { Occurrence } from "@ggsl/compiler/check/tree.js";
import type { SourceFile } from "@ggsl/compiler/source/source.js";
import type { Analysis } from "./analysis.js";
import type { Files } from "./files.js";
import { occurrenceAt } from "./names.js";
import { offsetOf } from "./positions.js";
import type { State } from "./state.js";

/** A place that a request points to. */
interface Pointer {
  readonly textDocument: { readonly uri: string };
  readonly position: Position;
}

export interface Session {
  readonly connection: Connection;
  readonly files: Files;
  readonly state: State;
  readonly uriOf: (source: SourceFile) => string;
  /** The open document. Throws `ResponseError`. */
  readonly open: (uri: unknown) => Analysis;
  /** Throws `ResponseError`. */
  readonly at: (pointer: Pointer) => { readonly analysis: Analysis; readonly offset: number };
  /** The name there. Throws `ResponseError`. */
  readonly nameAt: (pointer: Pointer) => Occurrence | undefined;
}

export function newSession(connection: Connection, files: Files, state: State): Session {
  function open(uri: unknown): Analysis {
    const analysis = typeof uri === "string" ? state.analysisOf(uri) : undefined;
    if (!analysis) throw new ResponseError(ErrorCodes.InvalidParams, `the document ${JSON.stringify(uri)} is not open`);
    return analysis;
  }

  function at(pointer: Pointer): { analysis: Analysis; offset: number } {
    const analysis = open(pointer.textDocument?.uri);
    const { line, character } = pointer.position ?? {};
    if (!Number.isInteger(line) || !Number.isInteger(character))
      throw new ResponseError(
        ErrorCodes.InvalidParams,
        `a position has a line and a character, found ${JSON.stringify(pointer.position)}`,
      );
    return { analysis, offset: offsetOf(analysis.source, pointer.position) };
  }

  function nameAt(pointer: Pointer): Occurrence | undefined {
    const { analysis, offset } = at(pointer);
    return occurrenceAt(state.occurrencesIn(analysis), offset);
  }

  return { connection, files, state, uriOf: (source) => files.uriOf(source), open, at, nameAt };
}

/** A range as offsets; without one, the whole text. */
export const spanOf = (source: SourceFile, range: Range | undefined): { start: number; end: number } =>
  range?.start && range.end
    ? { start: offsetOf(source, range.start), end: offsetOf(source, range.end) }
    : { start: 0, end: source.text.length };
