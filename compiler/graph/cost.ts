/** What a graph costs for one token of one sequence, from the graph alone: an estimate before it runs. */
import type { Limits } from "../limits/limits.js";
import { exceeds } from "../limits/message.js";
import { listOf } from "./features.js";
import type { Ending, Graph, GraphNode, TokenSequence, NodeId, TailArg } from "./graph.js";
import { grammarsOf } from "./grammars.js";
import { resultsOf, scalarsOf } from "./liveness.js";
import { launches, type OpName } from "./ops.js";
import { isConstantInput, setsOf } from "./sets.js";
import { isTraceName } from "./trace.js";
import { endingOf, leavesOf, uniformExprsOf } from "./uniform.js";
import { COUNTED } from "./verify.js";
import { bindDim, fedSize } from "./wire.js";
import { greatest } from "../core/extremes.js";

export interface Cost {
  /** Nodes that launch a kernel. */
  readonly nodes: number;
  /** Rows that these nodes read or write, whichever are more. */
  readonly work: number;
  /** Sorts and selections over the whole vocabulary, each as dear as many other nodes. */
  readonly sorts: number;
  /** Bytes of intermediate results on the device that are needed at the same time. */
  readonly deviceBytes: number;
  /** Bytes of the host's memory for the tail: its rows, its window of tokens and its texts. */
  readonly hostBytes: number;
  /** Bytes written to the device and read back. */
  readonly uploadBytes: number;
  readonly readbackBytes: number;
}

const SORTS: ReadonlySet<OpName> = new Set(["argsort", "top_k"]);

/** Bytes of an f32 or i32. */
const WORD = 4;
/** Bytes of a row of the host tail: token, logit and probability. */
const TAIL_ROW = 12;

/** How many times longer than others ops take for a row on the CPU, where that is much: they compute a row at a time. */
const SLOW: Readonly<Partial<Record<OpName, number>>> = { tanh: 8, sigmoid: 4, cumsum: 8, argsort: 8, set_rows: 4 };

/** Rows of which the time is that of starting a kernel. */
const KERNEL_ROWS = 4096;

/**
 * An estimate of the time for a token of one sequence, in rows of an ordinary op: `work`, where rows of slow ops count several times,
 * and 4096 rows for each kernel.
 */
export function effortOf(graph: Graph, vocabSize: number): number {
  return launchedOf(graph, vocabSize).reduce((sum, { op, rows }) => sum + KERNEL_ROWS + rows * (SLOW[op] ?? 1), 0);
}

/** The nodes that launch kernels, with the rows that each reads or writes, whichever are more. */
function launchedOf(graph: Graph, vocabSize: number): (GraphNode & { readonly rows: number })[] {
  const { nodes } = graph;
  const rowsIn = ({ dim }: GraphNode): number => bindDim(dim, vocabSize);
  return nodes
    .filter((node) => takesTime(graph, node))
    .map((node) => {
      const read = node.inputs.map((i) => rowsIn(nodes[i]!));
      return { ...node, rows: greatest(read, rowsIn(node)) };
    });
}

/** `vocabSize`: the tokens of the vocabulary. */
export function costOf(graph: Graph, vocabSize: number): Cost {
  const { nodes, inputs, outputs } = graph;
  const rows = nodes.map(({ dim }) => bindDim(dim, vocabSize));
  const launched = launchedOf(graph, vocabSize);
  const read = (Object.values(outputs) as NodeId[]).reduce((sum, id) => sum + rows[id]!, 0) + scalarsOf(graph).length;
  return {
    nodes: launched.length,
    work: launched.reduce((sum, node) => sum + node.rows, 0),
    sorts: launched.filter(({ op, inputs: [x] }) => SORTS.has(op) && nodes[x!]!.dim === "V").length,
    deviceBytes: WORD * mostLive(graph, rows),
    hostBytes: tailBytes(graph, rows) + WORD * windowRows(graph),
    // the logits are on the device already, and so are columns that never change
    uploadBytes:
      WORD *
      (inputs
        .slice(1)
        .filter((input) => !isConstantInput(input, graph))
        .reduce((sum, input) => sum + fedSize(input, vocabSize), 0) +
        graph.uniforms.length),
    readbackBytes: WORD * read,
  };
}

/** The values that a sequence keeps in windows. */
const windowRows = ({ windows = [] }: Graph): number => windows.reduce((sum, { size }) => sum + size, 0);

/** Whether a node launches a kernel. Of the leaves, only inputs of bits do: the one that takes them apart. */
const takesTime = ({ inputs }: Graph, node: GraphNode): boolean =>
  launches(node) || (node.op === "input" && inputs[node.attrs["index"] as number]!.source.kind === "bits");

/** The most rows that are needed at one time when the nodes run in order. A view has no rows of its own. */
function mostLive(graph: Graph, rows: readonly number[]): number {
  const { nodes } = graph;
  const last = new Map<number, number>();
  nodes.forEach(({ inputs }, id) => inputs.forEach((i) => last.set(i, id)));
  for (const id of resultsOf(graph)) last.set(id, nodes.length);
  const ends: number[][] = nodes.map(() => []);
  for (const [id, user] of last) ends[user]?.push(id);
  const own = (id: number): number => (takesTime(graph, nodes[id]!) ? rows[id]! : 0);
  let [now, most] = [0, 0];
  nodes.forEach((_, id) => {
    now += own(id);
    most = Math.max(most, now);
    for (const ended of ends[id]!) now -= own(ended);
  });
  return most;
}

function tailBytes({ tail, outputs }: Graph, rows: readonly number[]): number {
  if (tail.length === 0) return 0;
  const held = tail.flatMap(({ args }) => Object.entries(args).map(([name, value]) => argumentBytes(name, value)));
  return TAIL_ROW * (rows[outputs.logits ?? 0] ?? 0) + held.reduce((a, b) => a + b, 0);
}

/** A window of tokens, a text, or a list of texts. */
function argumentBytes(name: string, value: TailArg): number {
  if (typeof value === "number") return name === "last_n" ? WORD * Math.max(0, value) : 0;
  if (typeof value === "string") return value.length;
  return Array.isArray(value)
    ? value.reduce<number>((sum, v) => sum + (typeof v === "string" ? v.length : WORD), 0)
    : 0;
}

/** The limits that a graph exceeds, each a sentence with the limit's name. */
export function costFaults(graph: Graph, limits: Limits): string[] {
  return exceededBy(graph, limits).map(([limit, found]) => `${exceeds(limit, limits[limit], found)} (\`${limit}\`)`);
}

const COSTS = ["work", "sorts", "deviceBytes", "hostBytes"] as const;

type GraphLimit = (typeof COUNTED | typeof COSTS)[number] | "textLength" | "breakers" | "setItems";

const longest = (items: readonly { readonly length: number }[]): number =>
  items.reduce((most, { length }) => Math.max(most, length), 0);

/** The texts and lists that the end of the text is compared with. */
const endingsOf = (graph: Graph): Ending[] =>
  uniformExprsOf(graph)
    .flatMap(leavesOf)
    .map(endingOf)
    .filter((ending) => ending !== undefined);

/** The lists of breakers and of sequences. */
const listsOf = ({ features, tail }: Graph): (readonly TokenSequence[])[] => [
  ...features.map(({ from }) => listOf(from)).filter((list) => list !== undefined),
  ...tail.flatMap(({ args }) => Object.values(args).filter((arg) => Array.isArray(arg))),
];

const textsOf = (graph: Graph): string[] => [
  ...setsOf(graph).flatMap(({ of }) => of.filter((item) => typeof item === "string")),
  ...graph.features.flatMap(({ from }) =>
    from.kind === "allowed" && typeof from.grammar === "string" ? [from.grammar] : [],
  ),
  ...grammarsOf(graph).flatMap(({ default: standard }) => standard ?? []),
  ...graph.tail.flatMap(({ args }) => Object.values(args).filter((arg) => typeof arg === "string")),
  ...endingsOf(graph).filter((ending) => typeof ending === "string"),
  ...listsOf(graph).flatMap((list) => list.filter((entry) => typeof entry === "string")),
];

/** Those of the program: the others follow from its stages. */
const ownMeasures = ({ measures }: Graph): number => measures.filter(({ name }) => !isTraceName(name)).length;

/** The limits of counts and costs that a graph exceeds, with what it has. */
export function exceededBy(graph: Graph, limits: Limits): (readonly [GraphLimit, number])[] {
  const cost = costOf(graph, limits.vocabSize);
  const found = [
    ...COUNTED.map((name) => [name, name === "measures" ? ownMeasures(graph) : (graph[name]?.length ?? 0)] as const),
    ...COSTS.map((name) => [name, cost[name]] as const),
    ["textLength", longest(textsOf(graph))] as const,
    ["breakers", longest(listsOf(graph))] as const,
    ["setItems", longest(setsOf(graph).map(({ of }) => of))] as const,
  ];
  return found.filter(([name, count]) => count > limits[name]);
}
