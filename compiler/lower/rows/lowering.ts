/** What everything that emits nodes works on: the graph so far, what it is fed, and the candidate table. */
import { emit, newBuilder, type Builder } from "../../graph/build.js";
import type { Draw, Feature, Input, NodeId, Uniform } from "../../graph/graph.js";
import { uniformName } from "../../graph/text.js";
import type { Rule } from "../rules/rule.js";
import { newTable, type Table } from "./table.js";
import type { UniformValue, NodeValue } from "./value.js";

export interface Lowering {
  readonly builder: Builder;
  readonly draws: Draw[];
  readonly features: Feature[];
  /** The columns of features in vocabulary order, by what they are. */
  readonly featureColumns: Map<string, NodeId>;
  readonly uniforms: Uniform[];
  readonly inputs: Input[];
  /** The node of a uniform value; one entry of the uniforms for each different expression. */
  uniform(v: UniformValue): NodeId;
  table: Table;
  /** Whether a rule of the optimizer is on. */
  uses(rule: Rule): boolean;
  /** `prob` may be multiplied by any positive number in the expression that is being lowered. */
  isProbRelative: boolean;
  picked: Picked | undefined;
}

export interface Picked {
  readonly row: NodeId;
  readonly token: NodeId;
  /** What was drawn by, and its sum over the rows. */
  readonly drawn?: { readonly weights: NodeValue; readonly total: NodeValue };
}

/** A lowering at its start: a graph of the logits alone. */
export function newLowering(disabled: ReadonlySet<string> = new Set()): Lowering {
  const builder = newBuilder();
  const uniforms: Uniform[] = [];
  const known = new Map<string, NodeId>();
  const logits = emit(builder, "input", [], { index: 0, dtype: "f32", dim: "V" }, { name: "logits" });
  return {
    builder,
    draws: [],
    features: [],
    featureColumns: new Map(),
    uniforms,
    inputs: [{ name: "logits", dtype: "f32", dim: "V", source: { kind: "logits" } }],
    uniform: (v) => makeUniform(builder, uniforms, known, v),
    table: newTable(logits),
    uses: ({ name }) => !disabled.has(name),
    isProbRelative: false,
    picked: undefined,
  };
}

/** Adds a uniform value to the uniforms, or finds the entry that it has. */
function makeUniform(builder: Builder, uniforms: Uniform[], known: Map<string, NodeId>, v: UniformValue): NodeId {
  const key = JSON.stringify(v.expr);
  const present = known.get(key);
  if (present !== undefined) return present;
  const index = uniforms.push({ name: uniformName(v.expr), expr: v.expr }) - 1;
  const id = emit(builder, "uniform", [], { index }, { range: v.range });
  known.set(key, id);
  return id;
}
