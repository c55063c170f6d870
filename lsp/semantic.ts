/** Semantic tokens of names. The editor's grammar colours keywords, numbers and comments. */
import { SemanticTokensBuilder, type SemanticTokens, type SemanticTokensLegend } from "vscode-languageserver";
import type { Meaning, Occurrence } from "@ggsl/compiler/check/tree.js";
import { rangeOf } from "./positions.js";

const TYPES = ["function", "method", "parameter", "variable", "property"] as const;
const MODIFIERS = ["declaration", "readonly", "static", "defaultLibrary", "modification"] as const;
type Modifier = (typeof MODIFIERS)[number];

export const LEGEND: SemanticTokensLegend = { tokenTypes: [...TYPES], tokenModifiers: [...MODIFIERS] };

export function semanticTokens(occurrences: readonly Occurrence[]): SemanticTokens {
  const builder = new SemanticTokensBuilder();
  for (const { span, meaning, isDeclaration } of occurrences) {
    const { start } = rangeOf(span);
    const [type, ...modifiers] = kindOf(meaning);
    const all: Modifier[] = isDeclaration ? ["declaration", ...modifiers] : modifiers;
    const bits = all.reduce((sum, m) => sum | (1 << MODIFIERS.indexOf(m)), 0);
    builder.push(start.line, start.character, span.end - span.start, TYPES.indexOf(type), bits);
  }
  return builder.build();
}

function kindOf(meaning: Meaning): [(typeof TYPES)[number], ...Modifier[]] {
  switch (meaning.kind) {
    case "fn":
    case "sampler":
      return meaning.span.source.name.startsWith("std/") ? ["function", "defaultLibrary"] : ["function"];
    case "chain":
      return ["method"];
    case "const":
      return ["variable", "readonly"];
    case "input":
      return ["property", "readonly"];
    case "parameter":
      return meaning.param.isStatic ? ["parameter", "readonly", "static"] : ["parameter", "readonly"];
    case "let":
    case "counter":
    case "repeated":
      return ["variable", "readonly"];
    case "state":
    case "measure":
      return ["variable", "modification"];
    case "column":
      return ["property", "defaultLibrary"];
    case "function":
    case "host":
      return ["function", "defaultLibrary"];
    case "text":
    case "tokenClass":
    case "seed":
      return ["variable", "readonly", "defaultLibrary"];
    case "tailParameter":
      return ["parameter", "defaultLibrary"];
  }
}
