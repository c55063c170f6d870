/** Which stream of its seed each place in the source draws from. */
import { DRAWS } from "../builtins/draws.js";
import type { BuiltinCall, Expr } from "../check/tree.js";
import { partsOf } from "../check/walk.js";
import { streamOf } from "../graph/streams.js";
import { isStdSource } from "../std/library.js";
import type { ChainLowering } from "./chainLowering.js";
import type { Scope } from "./scope.js";

/**
 * The scope for lowering expressions of the next stage. Each call in them that draws gets a stream of its own, numbered in the
 * order of the source whether it is lowered or not, so that equal seeds give independent draws. The standard samplers draw from
 * llama.cpp's stream of their seed, as the pick of every chain does.
 */
export function withStreams(cx: ChainLowering, scope: Scope, expressions: readonly Expr[]): Scope {
  if (isStdSource(scope.source)) return scope;
  const stage = cx.stages.length;
  const first = cx.sites[stage] ?? 0;
  const calls = expressions.flatMap(drawsIn).sort((a, b) => a.span.start - b.span.start);
  cx.sites[stage] = first + calls.length;
  return { ...scope, streams: new Map(calls.map((call, i) => [call, streamOf(stage, first + i)])) };
}

/** The calls in an expression that draw. */
const drawsIn = (e: Expr): BuiltinCall[] => [
  ...(e.kind === "call" && Object.hasOwn(DRAWS, e.callee.text) ? [e] : []),
  ...partsOf(e).flatMap(drawsIn),
];
