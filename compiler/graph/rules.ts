/** The rules of grammars that a program asks about. */
import type { GrammarRef, GrammarRule, Graph, UniformExpr } from "./graph.js";
import { leavesOf } from "./uniform.js";
import { LIMITS } from "../limits/format.js";
import { show } from "../core/show.js";

/** What follows the opening quote of a string of JSON, up to its closing quote: a rule of every JSON schema. */
export const RULE_IN_STRINGS = "characters";

export const rulesOf = ({ rules }: Pick<Graph, "rules">): readonly GrammarRule[] => rules ?? [];

export const isSameGrammar = (a: GrammarRef, b: GrammarRef): boolean =>
  typeof a === "object" && typeof b === "object" ? a.param === b.param : a === b;

/** The names that are asked about in a grammar, in the order of their marks. */
export const namesIn = (graph: Pick<Graph, "rules">, grammar: GrammarRef): string[] =>
  rulesOf(graph).flatMap((rule) => (isSameGrammar(rule.grammar, grammar) ? [rule.name] : []));

/** The feature that follows the grammar of a rule; -1: none does. */
export const followerOf = ({ features }: Pick<Graph, "features">, { grammar }: Pick<GrammarRule, "grammar">): number =>
  features.findIndex(({ from }) => from.kind === "allowed" && isSameGrammar(from.grammar, grammar));

/** The numbers of the rules that an expression asks about. */
export const rulesAsked = (expr: UniformExpr): number[] =>
  leavesOf(expr).flatMap((leaf) => (typeof leaf === "object" && "in_rule" in leaf ? [leaf.in_rule] : []));

/** The faults of a graph's rules. */
export const ruleFaults = (graph: Graph): string[] =>
  rulesOf(graph).flatMap((rule, i) => {
    const isTwice = rulesOf(graph).findIndex(
      ({ grammar, name }) => name === rule.name && isSameGrammar(grammar, rule.grammar),
    );
    return [
      ...(isTwice < i ? [`rules[${i}]: ${show(rule.name)} is there twice`] : []),
      ...(followerOf(graph, rule) < 0 ? [`rules[${i}]: no feature follows its grammar`] : []),
    ];
  });

/** Whether `x` can be the name of a rule. */
export const isRuleName = (x: unknown): x is string => typeof x === "string" && x !== "" && x.length <= LIMITS.ruleName;
