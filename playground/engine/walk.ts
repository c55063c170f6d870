/** Runs the chain for several steps on the same logits and accepts each picked token, to show its states. */
import { ALL_OUTPUTS } from "@ggsl/compiler/driver.js";
import type { Evaluator } from "ggsl/chain/evaluate.js";
import { InputError, invalid } from "ggsl/core/errors.js";
import { openBackend } from "./backend.js";
import { surpriseOf } from "./distribution.js";
import { openEvaluator } from "./evaluator.js";
import type { WalkReply, WalkRequest } from "./messages.js";
import { openProgram } from "./program.js";

export async function walkReply(request: WalkRequest): Promise<WalkReply> {
  const { steps, place } = request;
  const { backend, ...note } = await openBackend();
  const graph = openProgram(request).graph({ outputs: ALL_OUTPUTS });
  if (graph.tail.length > 0)
    throw new InputError(
      "the chain has a host tail of llama.cpp's own CPU samplers, which run only where the model's text is written",
      { code: "UNSUPPORTED" },
    );
  if (graph.outputs.sampled === undefined)
    throw invalid("the chain does not pick a token: end it with a stage that does, such as `dist` or `greedy`");
  const evaluator = openEvaluator(graph, request, backend);
  try {
    return { backend, ...note, ...walk(evaluator, place.logits, steps) };
  } finally {
    evaluator.dispose();
  }
}

function walk(
  evaluator: Evaluator,
  logits: Float32Array,
  steps: number,
): Pick<WalkReply, "tokens" | "surprises" | "states" | "measures" | "stop"> {
  const names = Object.keys(evaluator.states);
  const values = names.map(() => [] as number[]);
  const tokens: number[] = [];
  const surprises: number[] = [];
  const measured = new Map<string, number[]>();
  let stop: WalkReply["stop"];
  record(evaluator, values);
  for (let i = 0; i < steps; i++) {
    const { token, candidates, measures = {}, stop: name } = evaluator.evaluate(logits);
    if (name !== undefined) stop ??= { at: i + 1, name };
    evaluator.accept();
    for (const [name, value] of Object.entries(measures)) {
      measured.set(name, measured.get(name) ?? []);
      measured.get(name)!.push(value);
    }
    tokens.push(token!);
    surprises.push(surpriseOf(candidates.find((c) => c.token === token)?.prob ?? 0));
    record(evaluator, values);
  }
  const measures = Array.from(measured, ([name, all]) => ({ name, values: all }));
  const states = names.map((name, i) => ({ name, values: values[i]! }));
  return { tokens, surprises, measures, states, ...(stop && { stop }) };
}

const record = ({ states }: Evaluator, values: readonly number[][]): void =>
  Object.values(states).forEach((value, i) => values[i]!.push(value));
