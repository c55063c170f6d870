/** The graph that a model runs for the page: it gives the rows left beside the token, so that alternatives can be told. */
import { compileStages, graphOf } from "../../compiler/compile.js";
import { writeSpec } from "../../compiler/graph/json.js";
import { InputError } from "../../runtime/errors.js";
import type { SpecRequest } from "./messages.js";
import { openProgram, seeded } from "./program.js";
import { ROWS } from "./stages.js";

export function specReply(request: SpecRequest): string {
  const graph =
    request.kind === "program"
      ? openProgram(request).graph({ outputs: ROWS })
      : seeded(graphOf(compileStages(request.stages, { file: "stages", outputs: ROWS })), request.seed);
  if (graph.tail.length > 0)
    throw new InputError("the chain ends in llama.cpp's own CPU samplers, which this page does not have");
  if (graph.outputs.sampled === undefined)
    throw new InputError("the chain picks no token: end it with a stage that does, such as `dist` or `greedy`");
  return writeSpec(graph);
}
