/** Evaluators of graphs on the logits of a request. */
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { InputError } from "ggsl/errors.js";
import { createEvaluator, type Evaluator } from "ggsl/evaluate.js";
import type { Backend } from "./backend.js";
import type { ChainRequest, ParamValues } from "./messages.js";

/** Throws `InputError` for a chain that needs what the page does not have. */
export function openEvaluator(
  graph: Graph,
  { logits, history, uniforms, vocabulary }: ChainRequest,
  backend: Backend["backend"],
): Evaluator {
  const guides = guidesOf(graph).map(({ name }) => name);
  if (guides.length > 0)
    throw new InputError(
      `the chain reads the logits of other sequences (${guides.join(", ")}), which only the panel with the model's text has`,
      { code: "MISSING_INPUT" },
    );
  return createEvaluator(graph, logits.length, {
    ...{ backend, history, uniforms: valuesFor(graph, uniforms) },
    feed: vocabulary ? { vocabulary } : {},
  });
}

/** The values of the parameters of a graph. */
export const valuesFor = ({ params, sets = [], grammars = [] }: Graph, uniforms: ParamValues): ParamValues =>
  Object.fromEntries(
    Object.entries(uniforms).filter(([name]) => [...params, ...sets, ...grammars].some((p) => p.name === name)),
  );
