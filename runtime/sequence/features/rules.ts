/** The rules of grammars that a chain asks about, at the present token. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { followerOf, namesIn, rulesOf } from "@ggsl/compiler/graph/rules.js";
import { InputError } from "../../core/errors.js";
import { grammarOf, type OpenFeature } from "./feed.js";

/** The feature that follows the grammar of a rule, and the number of the rule's mark in it. */
interface RulePlace {
  readonly feature: number;
  readonly mark: number;
}

const known = new WeakMap<object, readonly RulePlace[]>();

function placesOf(graph: Graph): readonly RulePlace[] {
  const rules = rulesOf(graph);
  const places =
    known.get(rules) ??
    rules.map((rule) => ({
      feature: followerOf(graph, rule),
      mark: namesIn(graph, rule.grammar).indexOf(rule.name),
    }));
  known.set(rules, places);
  return places;
}

/** Whether the next byte may be one of a rule. Throws where the grammar is not ready. */
export function isInRule(
  { graph, features }: { readonly graph: Graph; readonly features: readonly OpenFeature[] },
  rule: number,
): boolean {
  const { feature, mark } = placesOf(graph)[rule]!;
  const grammar = grammarOf(features[feature]!);
  if (grammar && !grammar.state.rules)
    throw new InputError("the grammar of `openGrammar` does not know its rules, which the chain asks about", {
      code: "UNSUPPORTED",
    });
  return grammar !== undefined && ((grammar.state.rules!() >>> mark) & 1) === 1;
}
