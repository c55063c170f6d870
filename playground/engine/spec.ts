/** The graph that a model runs for the page: it also outputs the remaining rows, for the alternatives. */
import { ALL_OUTPUTS } from "@ggsl/compiler/driver.js";
import { writeSpec } from "@ggsl/compiler/graph/json.js";
import { hasOpenSeed, withSeed } from "@ggsl/compiler/graph/seeds.js";
import { picksToken } from "@ggsl/compiler/graph/tail.js";
import { invalid } from "ggsl/core/errors.js";
import type { ProgramRef, SpecReply } from "./messages.js";
import { openProgram } from "./program.js";

export function specReply(ref: ProgramRef): SpecReply {
  const open = openProgram(ref).graph({ outputs: ALL_OUTPUTS, leavesSeeds: true });
  if (!picksToken(open))
    throw invalid("the chain does not pick a token: end it with a stage that does, such as `dist` or `greedy`");
  return { spec: writeSpec(withSeed(open, ref.seed)), hasOpenSeed: hasOpenSeed(open) };
}
