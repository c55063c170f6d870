/** Evaluators of graphs at a place in a text. */
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { InputError } from "ggsl/core/errors.js";
import { createEvaluator, type Evaluator } from "ggsl/chain/evaluate.js";
import type { Backend } from "./backend.js";
import type { ChainRequest, ParamValues } from "./messages.js";

/**
 * An evaluator after the tokens that were picked before the place, with their draws, states and history.
 * Throws `InputError` for a chain that needs what the page does not have.
 */
export function openEvaluator(
  graph: Graph,
  { place, uniforms, vocabulary }: ChainRequest,
  backend: Backend["backend"],
): Evaluator {
  const { logits, history, picked, earlier, guides = {} } = place;
  const missing = guidesOf(graph).filter(({ name }) => !Object.hasOwn(guides, name));
  if (missing.length > 0)
    throw new InputError(
      `the chain reads the logits of other sequences (${missing.map(({ name }) => name).join(", ")}), which only the model's text has: choose the text as the source of the logits`,
      { code: "MISSING_INPUT" },
    );
  const size = logits.length;
  const evaluator = createEvaluator(graph, size, {
    backend,
    history,
    uniforms: valuesFor(graph, uniforms),
    feed: { inputs: guides, ...(vocabulary && { vocabulary }) },
  });
  try {
    for (const [i, token] of picked.entries()) {
      evaluator.evaluate(earlier ? earlier.subarray(i * size, (i + 1) * size) : logits);
      evaluator.accept(token);
    }
  } catch (error) {
    evaluator.dispose();
    throw error;
  }
  return evaluator;
}

/** The values of the parameters of a graph. */
export const valuesFor = ({ params, sets = [], grammars = [] }: Graph, uniforms: ParamValues): ParamValues =>
  Object.fromEntries(
    Object.entries(uniforms).filter(([name]) => [...params, ...sets, ...grammars].some((p) => p.name === name)),
  );
