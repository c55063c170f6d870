/** The context for emitting nodes: the graph so far, its inputs, and the candidate table. */
import { emit, newBuilder, type Builder } from "../graph/build.js";
import type { Draw, Feature, GrammarRule, Input, NodeId, Uniform, Window } from "../graph/graph.js";
import { uniformName } from "../graph/text.js";
import { limitsOf } from "../limits/limits.js";
import { Meter } from "../limits/meter.js";
import type { Rule } from "./rule.js";
import { newTable, type Table } from "./table.js";
import { sizeOf, type UniformValue, type NodeValue } from "./value.js";

export interface Lowering {
  /** Counts the steps of lowering. */
  readonly meter: Meter;
  readonly builder: Builder;
  readonly draws: Draw[];
  readonly windows: Window[];
  /** Rules of grammars that are asked about. */
  readonly rules: GrammarRule[];
  readonly features: Feature[];
  /** The columns of features in vocabulary order, by feature. */
  readonly featureColumns: Map<string, NodeId>;
  /** How the grammars are asked so far, by feature. */
  asked: Map<string, Asked>;
  /** The uniform conditions under which the present expression is evaluated. */
  conditions: readonly UniformValue[];
  readonly uniforms: Uniform[];
  readonly inputs: Input[];
  /** The node of a uniform value; equal expressions share one uniform. */
  uniform(v: UniformValue): NodeId;
  table: Table;
  /** Whether a rule of the optimizer is on. */
  uses(rule: Rule): boolean;
  /** The expression being lowered allows `prob` to be scaled by any positive number. */
  isProbRelative: boolean;
  picked: Picked | undefined;
}

/** How a grammar is asked. */
interface Asked {
  /** Where it is asked: not 0. */
  readonly when: UniformValue;
  /** What it allows is kept before any other row is dropped, whatever the token. */
  readonly isFirst: boolean;
}

export interface Picked {
  readonly row: NodeId;
  readonly token: NodeId;
  /** The weights of the draw, and their sum over the rows. */
  readonly drawn?: { readonly weights: NodeValue; readonly total: NodeValue };
}

/** A new lowering: its graph has only the logits. */
export function newLowering(meter = new Meter(limitsOf()), disabled: ReadonlySet<string> = new Set()): Lowering {
  const builder = newBuilder(meter);
  const uniforms: Uniform[] = [];
  const known = new Map<string, NodeId>();
  const logits = emit(builder, "input", [], { index: 0, dtype: "f32", dim: "V" }, { name: "logits" });
  return {
    meter,
    builder,
    draws: [],
    windows: [],
    rules: [],
    features: [],
    featureColumns: new Map(),
    asked: new Map(),
    conditions: [],
    uniforms,
    inputs: [{ name: "logits", dtype: "f32", dim: "V", source: { kind: "logits" } }],
    uniform: (v) => makeUniform(builder, uniforms, known, v),
    table: newTable(logits),
    uses: ({ name }) => !disabled.has(name),
    isProbRelative: false,
    picked: undefined,
  };
}

/** Adds a uniform value to the uniforms, or finds its entry. */
function makeUniform(builder: Builder, uniforms: Uniform[], known: Map<string, NodeId>, v: UniformValue): NodeId {
  builder.meter.spend(sizeOf(v.expr));
  const key = JSON.stringify(v.expr);
  const present = known.get(key);
  if (present !== undefined) return present;
  builder.meter.check("uniforms", uniforms.length + 1);
  const index = uniforms.push({ name: uniformName(v.expr), expr: v.expr }) - 1;
  const id = emit(builder, "uniform", [], { index }, { range: v.range });
  known.set(key, id);
  return id;
}
