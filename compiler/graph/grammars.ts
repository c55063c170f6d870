/** The parameters of a graph that are grammars. */
import type { Graph, GrammarParam } from "./graph.js";
import { LIMITS } from "../limits/format.js";
import { show } from "../core/show.js";

export const grammarsOf = ({ grammars }: Pick<Graph, "grammars">): readonly GrammarParam[] => grammars ?? [];

/** The faults of a graph's grammars. Their number is limited as that of all parameters. */
export function grammarFaults(graph: Graph): string[] {
  const grammars = grammarsOf(graph);
  if (grammars.length > LIMITS.params)
    return [`grammars: at most ${LIMITS.params} are allowed, found ${grammars.length}`];
  const names = new Set(grammars.map(({ name }) => name));
  const others = [...graph.params, ...(graph.sets ?? [])].map(({ name }) => name);
  const isTwice = names.size < grammars.length || others.some((name) => name !== undefined && names.has(name));
  return [
    ...(isTwice ? ["grammars: two parameters have the same name"] : []),
    ...graph.features.flatMap(({ from }, i) =>
      from.kind === "allowed" && typeof from.grammar === "object" && !names.has(from.grammar.param)
        ? [`features[${i}]: there is no grammar ${show(from.grammar.param)}`]
        : [],
    ),
  ];
}
