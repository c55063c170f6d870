/** The host tail: stages that llama.cpp's own CPU samplers run on the rows read back from the device. */
import { resolveTailArgs } from "../check/tailArguments.js";
import type { TailArg } from "../graph/graph.js";
import type { Expr, StageCall } from "../syntax/ast.js";
import { lineColumn, textAt } from "../syntax/source.js";
import type { ChainLowering } from "./chainLowering.js";
import { flatList, lowerArgument } from "./expr.js";
import type { Scope } from "./scope.js";

export function lowerTailStage(cx: ChainLowering, scope: Scope, call: StageCall): void {
  cx.at = call.span;
  cx.meter.spend(1);
  cx.meter.check("tail", cx.tail.length + 1);
  const args: Record<string, TailArg> = {};
  for (const [name, value] of resolveTailArgs(call).bound) args[name] = tailArg(cx, scope, value);
  cx.tail.push({ name: call.name.text, args });
  const { source, start } = call.span;
  cx.stages.push({ name: textAt(call.span), origin: { file: source.name, ...lineColumn(source, start) } });
}

function tailArg(cx: ChainLowering, scope: Scope, value: Expr): TailArg {
  if (value.kind === "list") return flatList(cx, scope, value, "the list of a host stage");
  const named = value.kind === "name" ? scope.args.get(value.text) : undefined;
  const isSeed = named?.kind === "seed" || (value.kind === "name" && value.text === "random");
  const given = lowerArgument(cx, scope, value, isSeed);
  if (given.kind === "string") return given.value;
  if (given.kind === "list") return tailArg(cx, scope, given);
  if (given.kind === "seed") return given.seed;
  if (given.kind === "uniform" && typeof given.expr === "number") return given.expr;
  throw new Error("an argument of a tail stage is known when compiling");
}
