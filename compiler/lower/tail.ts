/** The host tail: stages that llama.cpp's own CPU samplers run on the rows read back from the device. */
import type { Expr, Stage } from "../check/tree.js";
import type { TailArg } from "../graph/graph.js";
import { lineColumn, textAt } from "../source/source.js";
import type { ChainLowering } from "./chainLowering.js";
import { flatList, lowerArgument } from "./expr.js";
import { numberOf, unchecked } from "../table/unchecked.js";
import type { Scope } from "./scope.js";

export function lowerTailStage(
  cx: ChainLowering,
  scope: Scope,
  { call, args }: Extract<Stage, { kind: "tail" }>,
): void {
  const { source, start } = call.span;
  cx.at = call.span;
  cx.meter.spend(1);
  cx.meter.check("tail", cx.tail.length + 1);
  const given = args.map(([name, value]) => [name, tailArg(cx, scope, value)] as const);
  cx.tail.push({ name: call.name.text, args: Object.fromEntries(given) });
  cx.stages.push({ name: textAt(call.span), origin: { file: source.name, ...lineColumn(source, start) } });
}

function tailArg(cx: ChainLowering, scope: Scope, value: Expr): TailArg {
  const given = lowerArgument(cx, scope, value, value.type);
  switch (given.kind) {
    case "text":
      return given.value;
    case "list":
      return flatList(cx, given, "the list of a host stage");
    case "seed":
      return given.seed;
    default:
      return given.kind === "uniform" ? numberOf(given, "an argument of a host stage") : unchecked("such an argument");
  }
}
