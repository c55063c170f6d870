/**
 * The rules for a valid graph. `verify` lists all faults of a graph; passes and `readSpec` in json.ts call it, the latter on
 * untrusted specs.
 */
import { exprOfFeature } from "./features.js";
import { feedFaults } from "./feeds.js";
import type { Attr, Dim, Graph, GraphNode } from "./graph.js";
import { grammarFaults } from "./grammars.js";
import { phraseFaults } from "./phrases.js";
import { uniformChecker, type UniformLeaves } from "./uniform.js";
import { LIMITS } from "../limits/format.js";
import { isDim, isFiniteF32 } from "./values.js";
import { attrValue, opRule, OPS, resultType, type AttrRule, type OperandRule } from "./ops.js";
import { isSeed, paramFault, SEED_RANGE } from "./param.js";
import { ruleFaults, rulesOf } from "./rules.js";
import { setFaults, setsOf } from "./sets.js";
import { show } from "../core/show.js";
import { isStream, MAX_STREAM } from "./streams.js";

/** The parts of a graph whose number is limited. */
export const COUNTED = [
  ...(["nodes", "params", "uniforms", "draws", "states", "measures", "stops", "windows", "rules", "writes"] as const),
  ...(["inputs", "features", "sets", "stages", "tail"] as const),
];

/** All faults of a graph, each a sentence; empty for a valid one. */
export function verify(graph: Graph): string[] {
  const faults: string[] = [];
  for (const part of COUNTED) {
    const count = graph[part]?.length ?? 0;
    if (count > LIMITS[part]) faults.push(`${part}: at most ${LIMITS[part]} are allowed, found ${count}`);
  }
  if (faults.length > 0) return faults;
  return [
    ...graph.nodes.flatMap((node, id) => nodeFaults(graph, node, id).map((f) => `node %${id} (${node.op}): ${f}`)),
    ...[
      outputFaults,
      paramFaults,
      uniformFaults,
      drawFaults,
      feedFaults,
      setFaults,
      grammarFaults,
      ruleFaults,
      phraseFaults,
    ].flatMap((faultsOf) => faultsOf(graph)),
  ];
}

/** Throws if a pass of the compiler made an invalid graph, which is a bug. */
export function assertValid(graph: Graph, pass: string): void {
  const faults = verify(graph);
  if (faults.length > 0) throw new Error(`internal error: ${pass} made an invalid graph:\n  ${faults.join("\n  ")}`);
}

function nodeFaults(graph: Graph, node: GraphNode, id: number): string[] {
  if (!Object.hasOwn(OPS, node.op)) return ["unknown op"];
  if (node.origin && node.origin.stage >= graph.stages.length) return [`there is no stage ${node.origin.stage}`];
  const rule = opRule(node.op);
  const required = rule.operands.filter((o) => !o.optional).length;
  const { length } = node.inputs;
  if (length < required || length > rule.operands.length)
    return [
      `takes ${required === rule.operands.length ? required : `${required} to ${rule.operands.length}`} operands, found ${length}`,
    ];
  const stray = node.inputs.find((i) => !Number.isInteger(i) || i < 0 || i >= id);
  if (stray !== undefined) return [`operand ${stray} is not a node before this one`];
  const faults = attrFaults(rule.attrs, node.attrs);
  if (faults.length > 0) return faults;
  const operands = node.inputs.map((i) => graph.nodes[i]!);
  for (const one of operandFaults(rule.operands, operands)) faults.push(one);
  if (faults.length > 0) return faults;
  const { dtype, dim } = resultType(node.op, operands, node.attrs);
  if (node.dtype !== dtype) faults.push(`its type must be ${dtype}, not ${node.dtype}`);
  if (node.dim !== dim) faults.push(`its dim must be ${dim}, not ${node.dim}`);
  return [...faults, ...ownFaults(graph, node, operands)];
}

function attrFaults(rules: readonly AttrRule[], attrs: Readonly<Record<string, Attr>>): string[] {
  const names = rules.map((r) => r.name);
  const faults = Object.keys(attrs)
    .filter((name) => !names.includes(name))
    .map((name) => `unknown attribute ${show(name)}`);
  for (const rule of rules) {
    const { name, kind, choices } = rule;
    const value = attrValue(attrs, rule);
    const isInt = Number.isInteger(value) && Math.abs(value as number) <= LIMITS.dim;
    if (kind === "choice" && !choices!.includes(value as string))
      faults.push(`\`${name}\` must be one of ${choices!.join(", ")}, found ${show(value)}`);
    if (kind === "integer" && !isInt) faults.push(`\`${name}\` must be an integer, found ${show(value)}`);
    if (kind === "count" && !isDim(value))
      faults.push(`\`${name}\` must be V or an integer from 1 to ${LIMITS.dim}, found ${show(value)}`);
    if (kind === "f32" && !isFiniteF32(value))
      faults.push(`\`${name}\` must be a finite f32 number, found ${show(value)}`);
  }
  return faults;
}

function operandFaults(rules: readonly OperandRule[], operands: readonly GraphNode[]): string[] {
  const faults: string[] = [];
  const shared = operands.find((_, i) => rules[i]!.dim === "rows")?.dim;
  operands.forEach(({ dtype, dim }, i) => {
    const rule = rules[i]!;
    if (rule.dtype !== "any" && rule.dtype !== dtype)
      faults.push(`operand \`${rule.name}\` is ${rule.dtype}, found ${dtype}`);
    if (rule.dim === "scalar" && dim !== 1) faults.push(`operand \`${rule.name}\` must be a scalar, found ${dim} rows`);
    if ((rule.dim === "rows" || (rule.dim === "broadcast" && dim !== 1)) && dim !== shared)
      faults.push(`operand \`${rule.name}\` has ${shared} rows, found ${dim}`);
  });
  return faults;
}

/** Rules of single ops that the table cannot express. */
function ownFaults(graph: Graph, node: GraphNode, operands: readonly GraphNode[]): string[] {
  const { attrs } = node;
  const index = attrs["index"] as number;
  if (node.op === "uniform" && !(index >= 0 && index < graph.uniforms.length)) return [`there is no uniform ${index}`];
  if (node.op === "input") {
    const input = graph.inputs[index];
    if (!input) return [`there is no input ${index}`];
    if (input.dtype !== node.dtype || input.dim !== node.dim) return [`input ${index} is ${input.dtype}[${input.dim}]`];
  }
  if (node.op === "top_k" && isMore(node.dim, operands[0]!.dim))
    return [`k must be at most the number of rows, ${operands[0]!.dim}`];
  if (node.op === "set_rows" && isMore(operands[1]!.dim, operands[0]!.dim)) return ["more rows are written than x has"];
  if (node.op === "clamp" && (attrs["lo"] as number) > (attrs["hi"] as number)) return ["`lo` is above `hi`"];
  if (node.op === "view") return viewFaults(attrs["offset"] as number, node.dim, operands[0]!.dim);
  return [];
}

/** Whether a vector of dim `a` can be longer than one of dim `b`, whatever V is. */
const isMore = (a: Dim, b: Dim): boolean => a !== b && b !== "V" && (a === "V" || a > b);

/** V can equal the view's count, so a view into V rows must start at 0 or end at the end. */
function viewFaults(offset: number, count: Dim, from: Dim): string[] {
  if (offset === 0) return isMore(count, from) ? [`shows ${count} of ${from} rows`] : [];
  if (typeof count !== "number") return ["a view of V rows must start at the first row"];
  const isInside =
    offset < 0 ? count === -offset && !isMore(count, from) : typeof from === "number" && count === 1 && offset < from;
  return isInside ? [] : [`shows ${count} rows from ${offset} on of ${from}`];
}

function outputFaults(graph: Graph): string[] {
  const { sampled, candidates, logits, probs } = graph.outputs;
  const faults: string[] = [];
  const check = (name: string, id: number | undefined, dtype: string, dim: Dim | undefined): void => {
    if (id === undefined) return;
    const node = graph.nodes[id];
    if (!node) faults.push(`output ${name}: there is no node ${id}`);
    else if (node.dtype !== dtype) faults.push(`output ${name}: is ${dtype}, found ${node.dtype}`);
    else if (dim !== undefined && node.dim !== dim) faults.push(`output ${name}: has ${dim} rows, found ${node.dim}`);
  };
  const rows = graph.nodes[candidates ?? -1]?.dim ?? "V";
  check("sampled", sampled, "i32", 1);
  check("candidates", candidates, "i32", undefined);
  check("logits", logits, "f32", candidates === undefined && logits === undefined ? undefined : rows);
  check("probs", probs, "f32", rows);
  graph.states.forEach((s) => check(`state ${s.name}`, s.next, "f32", 1));
  graph.windows?.forEach((w) => check(`window ${w.name}`, w.next, "f32", 1));
  graph.measures.forEach((m) => check(`measure ${m.name}`, m.node, "f32", 1));
  graph.stops?.forEach((s) => check(`stop ${s.name}`, s.node, "f32", 1));
  if (new Set(graph.measures.map((m) => m.name)).size !== graph.measures.length)
    faults.push("measures: two have the same name");
  if (new Set(graph.windows?.map((w) => w.name)).size !== (graph.windows?.length ?? 0))
    faults.push("windows: two have the same name");
  if (sampled === undefined && logits === undefined && probs === undefined && candidates === undefined)
    faults.push("outputs: there are none");
  return faults;
}

function paramFaults({ params }: Graph): string[] {
  const faults = params.flatMap((p, i) => {
    const fault = paramFault(p);
    return fault === undefined ? [] : [`params[${i}] ${show(p.name)}: ${fault}`];
  });
  if (new Set(params.map((p) => p.name)).size !== params.length) faults.push("params: two have the same name");
  return faults;
}

function uniformFaults(graph: Graph): string[] {
  const known: UniformLeaves = {
    params: new Set(graph.params.map((p) => p.name)),
    draws: graph.draws.length,
    states: graph.states.length,
    windows: graph.windows?.length ?? 0,
    sets: setsOf(graph).length,
    rules: rulesOf(graph).length,
  };
  // the grammars have not begun, or are not read
  const withoutRules = { ...known, rules: 0 };
  const faultOf = uniformChecker();
  const check = (where: string, expr: unknown, leaves = known): string[] => {
    const fault = faultOf(expr, leaves);
    return fault === undefined ? [] : [`${where}: ${fault}`];
  };
  return [
    ...graph.uniforms.flatMap((u, i) => check(`uniform ${i}`, u.expr)),
    ...graph.states.flatMap((s, i) => check(`state ${i} ${show(s.name)}`, s.init, withoutRules)),
    ...graph.features.flatMap((feature, i) => {
      const expr = exprOfFeature(feature);
      return expr === undefined ? [] : check(`feature ${i}`, expr);
    }),
    ...(graph.writes ?? []).flatMap(({ when }, i) => check(`write ${i}`, when)),
    // a draw index cannot depend on a draw
    ...graph.draws.flatMap(({ at }, i) =>
      at === undefined ? [] : check(`draw ${i}`, at, { ...withoutRules, draws: 0 }),
    ),
  ];
}

function drawFaults({ draws, params }: Graph): string[] {
  const seeds = new Set(params.filter((p) => p.type === "seed").map((p) => p.name));
  return draws.flatMap(({ kind, seed, stream, at }, i) => {
    const isKnown = typeof seed === "object" ? seeds.has(seed.param) : seed === "random" || isSeed(seed);
    return [
      ...(isKnown ? [] : [`draw ${i}: its seed must be ${SEED_RANGE}, "random" or a parameter of type seed`]),
      ...(stream === undefined || isStream(stream)
        ? []
        : [`draw ${i}: its stream must be an integer from 1 to ${MAX_STREAM}`]),
      ...(kind === "seed" && (stream !== undefined || at !== undefined)
        ? [`draw ${i}: a seed has neither a stream nor an index`]
        : []),
    ];
  });
}
