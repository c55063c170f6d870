/**
 * Constant folding: values known before the graph runs are not computed, and two steps that equal one exactly become one.
 * (Arithmetic on numbers alone is folded during lowering: it determines shapes and branches.)
 *
 *     %0 = scale(logits) s=-1 b=0          %0 = scale(logits) s=-2 b=1
 *     %1 = scale(%0) s=2 b=1           ->  %1 = sub(x, y)
 *     %2 = scale(y) s=-1 b=0
 *     %3 = add(x, %2)
 */
import type { GraphNode, NodeId } from "../graph/graph.js";
import { isWithin } from "../graph/interval.js";
import { rewrite, usersOf, type Rewriter } from "./draft.js";
import type { Pass } from "./pass.js";

export const foldConstants: Pass = {
  name: "fold-constants",
  doc: "constant folding; steps that are exactly one step are merged",
  example: `import { dist } from "std"

sampler mirrored(center: f32) {
  logit = center - -2 * -logit
}

chain c = mirrored(1) |> dist(42)
`,
  run: (draft) => {
    const { nodes } = draft.graph;
    const users = usersOf(draft.graph);
    /** Whether nothing but clamps reads a node. */
    const isForClamps = (id: NodeId): boolean => users[id]!.every((user) => nodes[user]?.op === "clamp");
    return rewrite(draft, (r, node) => fold(r, node, isForClamps));
  },
};

function fold(r: Rewriter, node: GraphNode, isForClamps: (id: NodeId) => boolean): NodeId | undefined {
  switch (node.op) {
    case "scale":
      return foldScale(r, node);
    case "clamp":
      return foldClamp(r, node, isForClamps);
    case "add":
    case "sub":
      return foldSign(r, node);
    default:
      return undefined;
  }
}

const numbers = ({ attrs }: GraphNode, ...names: string[]): number[] => names.map((name) => attrs[name] as number);

const { fround } = Math;

const isPowerOfTwo = (x: number): boolean => x !== 0 && Number.isInteger(Math.log2(Math.abs(x)));

function foldScale(r: Rewriter, node: GraphNode): NodeId | undefined {
  const [s, b] = numbers(node, "s", "b") as [number, number];
  const x = r.map(node.inputs[0]!);
  if (s === 1 && b === 0) return x;
  const inner = r.made(x);
  if (inner.op !== "scale") return undefined;
  const [s1, b1] = numbers(inner, "s", "b") as [number, number];
  // only if nothing is rounded twice
  if (b1 === 0 && isPowerOfTwo(s1)) return scaled(r, inner.inputs[0]!, s1 * s, b);
  if (b === 0 && s === -1) return scaled(r, inner.inputs[0]!, -s1, -b1);
  return r.made(inner.inputs[0]!).op === "step" ? foldCondition(r, inner, s, b) : undefined;
}

/** Two scales of a condition have two results. */
function foldCondition(r: Rewriter, inner: GraphNode, s: number, b: number): NodeId | undefined {
  const [s1, b1] = numbers(inner, "s", "b") as [number, number];
  const after = (x: number): number => fround(fround(fround(x * fround(s1)) + fround(b1)) * fround(s)) + fround(b);
  const [no, yes] = [fround(after(0)), fround(after(1))];
  const difference = fround(yes - no);
  return fround(difference + no) === yes ? scaled(r, inner.inputs[0]!, difference, no) : undefined;
}

const scaled = (r: Rewriter, x: NodeId, s: number, b: number): NodeId =>
  s === 1 && b === 0 ? x : r.emit("scale", [x], { s, b });

function foldClamp(r: Rewriter, node: GraphNode, isForClamps: (id: NodeId) => boolean): NodeId | undefined {
  const [lo, hi] = numbers(node, "lo", "hi") as [number, number];
  const x = r.map(node.inputs[0]!);
  if (isWithin(r.builder.ranges[x]!, lo, hi)) return x;
  const inner = r.made(x);
  // one that is computed in any case can be gathered for both
  if (inner.op !== "clamp" || !isForClamps(node.inputs[0]!)) return undefined;
  const [lo1, hi1] = numbers(inner, "lo", "hi") as [number, number];
  if (lo > hi1 || hi < lo1) return undefined;
  return r.emit("clamp", inner.inputs, { lo: Math.max(lo, lo1), hi: Math.min(hi, hi1) });
}

/** x + -y is x - y, and x - -y is x + y. */
function foldSign(r: Rewriter, node: GraphNode): NodeId | undefined {
  const [x, y] = node.inputs.map(r.map) as [NodeId, NodeId];
  const inner = r.made(y);
  if (inner.op !== "scale" || inner.attrs["s"] !== -1 || inner.attrs["b"] !== 0) return undefined;
  return r.emit(node.op === "add" ? "sub" : "add", [x, inner.inputs[0]!]);
}
