/** The names in a file, with their meanings. */
import type { Meaning, Occurrence } from "@ggsl/compiler/check/tree.js";
import type { Span } from "@ggsl/compiler/source/source.js";

/** Occurrences of the same declaration have the same key; builtins have none. */
export const keyOf = (meaning: Meaning): string | undefined =>
  "span" in meaning ? `${meaning.span.source.name}:${meaning.span.start}` : undefined;

/** Where what a name means is declared, under whatever name an import knows it. */
export const declarationOf = (meaning: Extract<Meaning, { span: Span }>): Span =>
  "binding" in meaning ? meaning.binding.declaration.name.span : meaning.span;

/** The name at or just before an offset. */
export const occurrenceAt = (occurrences: readonly Occurrence[], offset: number): Occurrence | undefined =>
  occurrences.find(({ span }) => span.start <= offset && offset < span.end) ??
  occurrences.find(({ span }) => span.end === offset);
