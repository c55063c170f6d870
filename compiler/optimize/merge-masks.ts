/**
 * Merges the masks of several filters into one additive mask. A condition is a step of some value x. Instead of 0/1 masks, their
 * product, and a penalty where it is 0, the values are clamped to their shortfall, added, and multiplied once by a large
 * number: 0 where every condition holds, a large negative number elsewhere.
 *
 *     %0 = scale(x) s=-1 b=0.95            %0 = clamp(x) lo=0.95 hi=...
 *     %1 = step(%0)                        %1 = clamp(y) lo=-1 hi=0
 *     %2 = scale(y) s=2^100 b=2^-60        %2 = sub(%1, %0)
 *     %3 = step(%2)                    ->  %3 = scale(%2) s=2^112 b=2^112 * 0.95
 *     %4 = mul(%1, %3)
 *     %5 = scale(%4) s=1e33 b=-1e33
 *
 * A sum is exactly 0 where all conditions hold: there it adds constants only, and the final shift is computed from the same
 * constants by the same f32 operations. It is negative elsewhere, within f32 rounding: next to a constant c, a shortfall below
 * 2^-25 c is lost, so constants are only added to numbers of the size of logits, where that is less than the rounding of a
 * logit; other values are shifted to 0 first.
 */
import type { Graph, UniformExpr, NodeId, Origin, Uniform } from "../graph/graph.js";
import { nextF32 } from "../graph/uniformOps.js";
import { isWithin } from "../graph/interval.js";
import { LIFT, PENALTY } from "../graph/masks.js";
import { uniformName } from "../graph/text.js";
import { rewrite, usersOf, type Rewriter } from "./draft.js";
import type { Pass } from "./pass.js";

/** Scales a difference of one ulp to a penalty, and keeps penalties finite. A power of two does not round. */
const STRETCH = 2 ** 112;

/** A condition of a mask. */
interface Factor {
  readonly origin: Origin | undefined;
  /** Node counts of the old form, and of the new forms `constant` and `zero`. */
  readonly cost: { readonly before: number; readonly constant: number; readonly zero: number };
  /** Emits its summand: `holds` where the condition holds, less elsewhere. */
  readonly constant?: { readonly emit: (r: Rewriter) => Term; readonly holds: number };
  /** The same with `holds` 0. */
  readonly zero: (r: Rewriter) => NodeId;
  /** Its values are of the size of logits, or 0 and 1: a constant added to them hides nothing. */
  readonly isCoarse: boolean;
}

interface Term {
  readonly sign: 1 | -1;
  readonly id: NodeId;
}

export const mergeMasks: Pass = {
  name: "merge-masks",
  doc: "the masks of several filters are merged into one additive mask",
  example: "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
  run: (draft) => {
    const { graph } = draft;
    const users = usersOf(graph);
    const uniforms = [...graph.uniforms];
    const merged = rewrite(draft, (r, node, id) => {
      const isMask = users[id]!.length > 0 && users[id]!.every((u) => isMaskOf(graph, u, id));
      if (!isMask || node.op !== "scale" || node.attrs["s"] !== PENALTY || node.attrs["b"] !== -PENALTY)
        return undefined;
      const mask = node.inputs[0]!;
      if (users[mask]!.length > 1) return undefined;
      return merge(
        r,
        factorsOf(graph, users, mask).map((f) => describe(draft, users, f, uniforms)),
      );
    });
    return { ...merged, graph: { ...merged.graph, uniforms } };
  },
};

const isMaskOf = ({ nodes }: Graph, user: NodeId, id: NodeId): boolean =>
  nodes[user]?.op === "soft_max" && nodes[user].inputs[1] === id && nodes[user].inputs[0] !== id;

/** The conditions whose product is the mask. */
function factorsOf(graph: Graph, users: readonly (readonly NodeId[])[], id: NodeId): NodeId[] {
  const { op, inputs, dim } = graph.nodes[id]!;
  const isProduct = op === "mul" && users[id]!.length === 1 && inputs.every((i) => graph.nodes[i]!.dim === dim);
  return isProduct ? inputs.flatMap((i) => factorsOf(graph, users, i)) : [id];
}

function merge(r: Rewriter, factors: readonly Factor[]): NodeId | undefined {
  const isCoarse = (but: Factor): boolean => factors.every((f) => f === but || f.isCoarse);
  const constant = factors
    .filter((f) => f.constant && isCoarse(f))
    .sort((a, b) => saving(b) - saving(a))
    .at(0);
  const costOf = (f: Factor): number => (f === constant ? f.cost.constant : f.cost.zero);
  const total = (cost: (f: Factor) => number): number => factors.reduce((sum, f) => sum + cost(f), 0);
  if (total(costOf) >= total((f) => f.cost.before)) return undefined;
  const { builder } = r;
  const { origin } = builder;
  /** The replacement of a condition keeps the stage of the condition. */
  const at = <T>(f: Factor, make: () => T): T => {
    builder.origin = f.origin;
    const made = make();
    builder.origin = origin;
    return made;
  };
  const [first, ...rest] = factors.filter((f) => f !== constant).map((f) => at(f, () => f.zero(r)));
  let sum = first === undefined ? undefined : rest.reduce((a, b) => r.emit("add", [a, b]), first);
  if (!constant?.constant) return r.emit("scale", [sum!], { s: STRETCH, b: 0 });
  const { emit, holds } = constant.constant;
  const { sign, id } = at(constant, () => emit(r));
  if (sum === undefined) return r.emit("scale", [id], { s: sign * STRETCH, b: -STRETCH * holds });
  sum = r.emit(sign > 0 ? "add" : "sub", [sum, id]);
  return r.emit("scale", [sum], { s: STRETCH, b: -STRETCH * holds });
}

const saving = ({ cost }: Factor): number => cost.zero - cost.constant;

/** The operands of a condition, if they are known and nothing else uses its result. */
function describe(
  draft: Rewriter["before"],
  users: readonly (readonly NodeId[])[],
  id: NodeId,
  uniforms: Uniform[],
): Factor {
  return { ...compared(draft, users, id, uniforms), origin: draft.graph.nodes[id]!.origin };
}

type Condition = Omit<Factor, "origin">;

function compared(
  { graph, ranges }: Rewriter["before"],
  users: readonly (readonly NodeId[])[],
  id: NodeId,
  uniforms: Uniform[],
): Condition {
  const step = graph.nodes[id]!;
  const value = step.op === "step" && users[id]!.length === 1 ? step.inputs[0]! : undefined;
  const inner = value === undefined ? undefined : graph.nodes[value]!;
  const isOwn = value !== undefined && users[value]!.length === 1;
  if (!inner || !isOwn) return whole(id);
  const [x, y] = inner.inputs as [NodeId, NodeId];
  const { s, b } = inner.attrs as { s: number; b: number };
  if (inner.op === "scale" && s === LIFT.s && b === LIFT.b) return notNegative(x, !isWithin(ranges[x]!, -2, 2));
  if (inner.op === "scale" && Math.abs(s) === 1) return bounded(x, s as 1 | -1, Math.fround(b));
  if (inner.op === "add" && graph.nodes[y]!.op === "uniform") {
    const expr = uniforms[graph.nodes[y]!.attrs["index"] as number]!.expr;
    return aboveUniform(x, expr, uniforms, !isWithin(ranges[value]!, -2, 2));
  }
  return whole(id);
}

const down = (r: Rewriter, id: NodeId): NodeId => r.emit("clamp", [id], { lo: -1, hi: 0 });

/** Any condition, as 1 or 0. */
const whole = (id: NodeId): Condition => ({
  cost: { before: 0, constant: 0, zero: 1 },
  constant: { emit: (r) => ({ sign: 1, id: r.map(id) }), holds: 1 },
  zero: (r) => r.emit("scale", [r.map(id)], { s: 1, b: -1 }),
  isCoarse: true,
});

/** x >= 0 */
const notNegative = (x: NodeId, isCoarse: boolean): Condition => ({
  cost: { before: 2, constant: 1, zero: 1 },
  zero: (r) => down(r, r.map(x)),
  isCoarse,
});

/** s * x + b > 0: x is below b, or above -b. */
function bounded(x: NodeId, s: 1 | -1, b: number): Condition {
  const bound = s < 0 ? nextF32(b, -1) : nextF32(-b, 1);
  const [lo, hi] = s < 0 ? [bound, Math.fround(bound + 1)] : [Math.fround(bound - 1), bound];
  const asConstant = {
    emit: (r: Rewriter): Term => ({ sign: s, id: r.emit("clamp", [r.map(x)], { lo, hi }) }),
    holds: s * bound,
  };
  return {
    cost: { before: 2, constant: 1, zero: 2 },
    ...(Math.abs(bound) <= 1 && { constant: asConstant }),
    zero: (r) => down(r, r.emit("scale", [r.map(x)], { s, b: -s * bound })),
    isCoarse: false,
  };
}

/** x + u > 0 for a uniform value u: x + below(u) >= 0. */
const aboveUniform = (x: NodeId, u: UniformExpr, uniforms: Uniform[], isCoarse: boolean): Condition => ({
  cost: { before: 1, constant: 1, zero: 1 },
  zero: (r) => {
    const expr = nextBelow(u);
    const index = uniforms.push({ name: uniformName(expr), expr }) - 1;
    return down(r, r.emit("add", [r.map(x), r.emit("uniform", [], { index })]));
  },
  isCoarse,
});

/** below(-below(e)) is -e. */
function nextBelow(u: UniformExpr): UniformExpr {
  if (Array.isArray(u) && u[0] === "neg") {
    const inner = u[1] as UniformExpr;
    if (Array.isArray(inner) && inner[0] === "below") return ["neg", inner[1] as UniformExpr];
  }
  return ["below", u];
}
