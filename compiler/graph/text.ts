/** The text form of a graph, for golden tests. */
import type { Draw, Graph, GraphNode, UniformExpr, NodeId, Param, PhraseItem, TokenItem, TokenSet } from "./graph.js";
import { grammarsOf } from "./grammars.js";
import { LIMITS } from "../limits/format.js";
import { opRule } from "./ops.js";
import { phrasesOf } from "./phrases.js";
import { rulesOf } from "./rules.js";
import { describeRange } from "../core/range.js";
import { setsOf } from "./sets.js";
import { greatest } from "../core/extremes.js";

/** Prints a graph. Leaves are shown where they are used: `logits`, and uniforms as `u.NAME`. */
export function printGraph(graph: Graph): string {
  const numbers = numberNodes(graph);
  const operand = (id: NodeId): string => leafText(graph, graph.nodes[id]!) ?? `%${numbers[id]}`;
  const rows = graph.nodes.flatMap((node, id) => {
    if (opRule(node.op).kind === "leaf") return [];
    const given = opRule(node.op).attrs.filter(({ name }) => node.attrs[name] !== undefined);
    const attrs = given.map(({ name }) => ` ${name}=${attrText(node.attrs[name]!)}`);
    const code = `%${numbers[id]} = ${node.op}(${node.inputs.map(operand).join(", ")})${attrs.join("")}`;
    return [{ code, type: `: ${node.dtype}[${node.dim}]`, comment: comment(graph, node) }];
  });
  const codeWidth = greatest(
    rows.map((r) => r.code.length),
    0,
  );
  const typeWidth = greatest(
    rows.map((r) => r.type.length),
    0,
  );
  const lines = rows.map((r) => `  ${r.code.padEnd(codeWidth)} ${r.type.padEnd(typeWidth)} ${r.comment}`.trimEnd());
  return [
    `graph @${graph.name}(${graph.inputs.map((i) => `${i.name}: ${i.source.kind === "bits" ? "bits" : i.dtype}[${i.dim}]`).join(", ")})${uniformsText(graph)} {`,
    ...lines,
    `  return ${outputsText(graph, operand)}`,
    "}",
    "",
  ].join("\n");
}

/** Numbers of the nodes that get their own line. */
function numberNodes(graph: Graph): (number | undefined)[] {
  let next = 0;
  return graph.nodes.map((node) => (opRule(node.op).kind === "leaf" ? undefined : next++));
}

function leafText(graph: Graph, node: GraphNode): string | undefined {
  const index = node.attrs["index"] as number;
  if (node.op === "input") return graph.inputs[index]!.name;
  if (node.op === "uniform") return `u${index}`;
  return undefined;
}

function uniformsText(graph: Graph): string {
  const isPlain =
    !graph.writes && setsOf(graph).length === 0 && grammarsOf(graph).length === 0 && rulesOf(graph).length === 0;
  if (graph.uniforms.length === 0 && isPlain) return "";
  const lines = [
    ...setsOf(graph).map((set, i) => `    set${i} = ${setText(set)}`),
    ...phrasesOf(graph).map(({ name, of }) => `    phrases ${JSON.stringify(name)} = ${phrasesText(of)}`),
    ...grammarsOf(graph).map(
      (g) => `    param ${g.name}: grammar${g.default === undefined ? "" : ` = ${JSON.stringify(g.default)}`}`,
    ),
    ...rulesOf(graph).map(
      ({ name, grammar }, i) =>
        `    rule${i} = ${JSON.stringify(name)} of ${typeof grammar === "string" ? JSON.stringify(grammar) : grammar.param}`,
    ),
    ...graph.params.map((p) => `    param ${p.name}: ${p.type}${rangeText(p)} = ${p.default}`),
    ...graph.draws.map(
      (d, i) =>
        `    draw${i} = ${d.kind === "seed" ? "" : `${d.kind} from `}seed ${seedText(d)}${streamText(d)}${d.at === undefined ? "" : ` at ${uniformText(d.at)}`}`,
    ),
    ...(graph.writes ?? []).map(({ text, when }) => `    write ${JSON.stringify(text)} when ${uniformText(when)}`),
    ...graph.uniforms.map((u, i) => `    u${i} = ${uniformText(u.expr)}`),
  ];
  return ` uniforms(\n${lines.join("\n")}\n  )`;
}

const setText = ({ of, name, capacity }: TokenSet): string =>
  name === undefined ? itemsText(of) : `param ${name}: tokens(${capacity}) = ${itemsText(of)}`;

/** Phrases, as in a program. */
export const phrasesText = (items: readonly PhraseItem[]): string =>
  `phrases(${items.map((item) => (typeof item === "string" ? JSON.stringify(item) : `/${item.pattern}/`)).join(", ")})`;

/** The entries of a set, as in a program. */
export const itemsText = (items: readonly TokenItem[]): string => `tokens(${items.map(itemText).join(", ")})`;

const itemText = (item: TokenItem): string =>
  typeof item !== "object" ? JSON.stringify(item) : "class" in item ? item.class : `/${item.pattern}/`;

function rangeText({ range }: Param): string {
  const text = describeRange(range);
  return text === "any number" ? "" : ` ${text}`;
}

const seedText = ({ seed }: Draw): string => (typeof seed === "object" ? seed.param : String(seed));

const streamText = ({ stream }: Draw): string => (stream === undefined ? "" : ` stream ${stream}`);

const attrText = (value: number | string): string => (typeof value === "number" ? numberText(value) : value);

/** A number in the fewest digits that round to the same f32, if it is an f32. */
export function numberText(x: number): string {
  if (Math.fround(x) !== x) return String(x);
  const digits = [1, 2, 3, 4, 5, 6, 7, 8].find((n) => Math.fround(Number(x.toPrecision(n))) === x);
  return String(digits === undefined ? x : Number(x.toPrecision(digits)));
}

/** A uniform expression as a formula in prefix form, e.g. `div(1, t)`; `number` writes the numbers in it. */
export function uniformText(expr: UniformExpr, number: (x: number) => string = numberText): string {
  if (typeof expr === "number") return number(expr);
  if (typeof expr === "string") return expr;
  if ("param" in expr) return expr.param;
  if ("draw" in expr) return `draw${expr.draw}`;
  if ("state" in expr) return `state${expr.state}`;
  if ("window" in expr) return `window${expr.window}.${expr.of}`;
  if ("last" in expr) return `last(${expr.last})`;
  if ("ends_with" in expr) return `ends_with(${JSON.stringify(expr.ends_with)})`;
  if ("since" in expr) return `since(${JSON.stringify(expr.since)})`;
  if ("in_rule" in expr) return `rule${expr.in_rule}`;
  if ("member" in expr) return `member(${uniformText(expr.member, number)}, set${expr.of})`;
  const [op, ...operands] = expr;
  return `${op}(${operands.map((e) => uniformText(e, number)).join(", ")})`;
}

/** The name of a uniform; part of the spec, so its numbers are written in full. A long one ends early. */
export const uniformName = (expr: UniformExpr): string => uniformText(expr, String).slice(0, LIMITS.name);

function comment(graph: Graph, { origin }: GraphNode): string {
  if (!origin) return "";
  const stage = graph.stages[origin.stage];
  return `// ${origin.file}:${origin.line}${stage ? ` ${stage.name}` : ""}`;
}

function outputsText(graph: Graph, operand: (id: NodeId) => string): string {
  const named = Object.entries(graph.outputs) as [string, NodeId][];
  const states = graph.states.map((s) => [`next.${s.name}`, s.next] as [string, NodeId]);
  const windows = (graph.windows ?? []).map((w) => [`next.${w.name}[${w.size}]`, w.next] as [string, NodeId]);
  const measures = graph.measures.map((m) => [`measure.${m.name}`, m.node] as [string, NodeId]);
  const stops = (graph.stops ?? []).map((s) => [`stop.${s.name}`, s.node] as [string, NodeId]);
  return [...named, ...states, ...windows, ...measures, ...stops]
    .map(([name, id]) => `${name}=${operand(id)}`)
    .join(" ");
}
