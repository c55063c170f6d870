/** What the class `Sequence` computes of each kind of feature, in Python; the caller gives all others. */
import type { FeatureKind, SourceOf } from "../../graph/features.js";
import type { FeatureSource, Graph, TextSource } from "../../graph/graph.js";
import { expressionText, idsOf } from "./expression.js";

/** Expressions: a dictionary from token to number, and a column for each token, of a kind that can be dense. */
interface ComputedText {
  readonly pairs: string;
  readonly dense?: string;
}

/** Undefined if the class does not compute it. */
type ComputedTexts = {
  readonly [Kind in FeatureKind]: (from: SourceOf<Kind>, graph: Pick<Graph, "sets">) => ComputedText | undefined;
};

const TEXTS: Readonly<Record<"all" | Extract<TextSource, string>, string>> = {
  all: "self.tokens",
  prompt: "self.tokens[: self.prompt_length]",
  generated: "self.tokens[self.prompt_length :]",
};

const given = (): undefined => undefined;

const COMPUTED: ComputedTexts = {
  occurrences: ({ in: text, last }) =>
    typeof text === "object"
      ? undefined
      : { pairs: `_occurrences(${TEXTS[text ?? "all"]}, int(${expressionText(last)}))` },
  repeat_len: given,
  completes: given,
  bias: () => ({ pairs: "self.bias" }),
  allowed: given,
  guide: given,
  set: ({ set, not }, { sets }) =>
    idsOf(sets?.[set]?.of ?? ["?"]) && {
      pairs: `dict.fromkeys(self.sets[${set}], ${not ? "0.0" : "1.0"})`,
      dense: `_flags(self.sets[${set}], ${not ? "True" : "False"}, vocab)`,
    },
  input: given,
};

/** What the class computes of a feature; undefined for one that the caller gives. */
export const computedText = (from: FeatureSource, graph: Pick<Graph, "sets">): ComputedText | undefined =>
  (COMPUTED[from.kind] as (from: FeatureSource, graph: Pick<Graph, "sets">) => ComputedText | undefined)(from, graph);
