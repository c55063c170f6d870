/** Syntax trees as text: reading one takes a tenth of the time of parsing its source. */
import type { Declaration } from "./ast.js";
import type { SourceFile, Span } from "../source/source.js";

/** JSON has no infinities, so they are strings; these are unambiguous, since texts are in other nodes. */
const INFINITY = "inf";

/** Spans are pairs of offsets, without their source. */
export const writeTree = (declarations: readonly Declaration[]): string =>
  JSON.stringify(declarations, (_, value: unknown) => {
    if (value === Infinity) return INFINITY;
    return isSpan(value) ? [value.start, value.end] : value;
  });

/** Reads the output of `writeTree` for the same source. */
export function readTree(text: string, source: SourceFile): Declaration[] {
  return JSON.parse(text, function (this: { kind?: string }, key, value: unknown) {
    if (key === "value" && this.kind === "number" && value === INFINITY) return Infinity;
    if (key !== "span" && key !== "fromSpan" && key !== "typeSpan") return value;
    const [start, end] = value as [number, number];
    return { source, start, end };
  }) as Declaration[];
}

const isSpan = (value: unknown): value is Span => typeof value === "object" && value !== null && "source" in value;
