/** The explanation of a chain: its stages, nodes and cost, as data and as text. */
import { costOf, type Cost } from "@ggsl/compiler/graph/cost.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { interfaceOf, type InterfacePart } from "@ggsl/compiler/graph/interface.js";
import { launches, opRule } from "@ggsl/compiler/graph/ops.js";
import { stagesOf, type StageSummary } from "@ggsl/compiler/graph/stages.js";
import { splitText, type Split } from "../backends/devices/place.js";
import { formatTable } from "../core/table.js";

export interface StageExplanation extends Omit<StageSummary, "isHost"> {
  readonly device: string;
}

export interface Explanation {
  /** Nodes of ggml's graph, including views and reshapes. */
  readonly nodes: number;
  readonly nodesWithoutViews: number;
  /** False if they are counted in the spec, because the native runtime is not available. */
  readonly isMeasured: boolean;
  /** Bytes read back to the host per token. */
  readonly readbackBytes: number;
  /** What a token of a sequence costs, estimated from the graph alone; limits refer to it. */
  readonly cost: Cost;
  readonly stages: readonly StageExplanation[];
  /** What it takes from the calling program and reports to it: uniforms, sets of tokens, inputs, guides, states and measures. */
  readonly interface: readonly InterfacePart[];
  /** Why the chain does not run on the device as a whole; absent if it does. */
  readonly split?: Split;
  /** Rewrites on this device: the name, the number of nodes, and the reason. */
  readonly rewrites: readonly { readonly name: string; readonly nodes: number; readonly reason: string }[];
}

/** What the graph alone says. */
export function explainGraph(graph: Graph, vocabSize: number): Explanation {
  const cost = costOf(graph, vocabSize);
  return {
    nodes: graph.nodes.filter(({ op }) => opRule(op).kind !== "leaf").length,
    nodesWithoutViews: graph.nodes.filter(launches).length,
    isMeasured: false,
    readbackBytes: cost.readbackBytes,
    cost,
    stages: placedStages(graph, "cpu"),
    interface: interfaceOf(graph),
    rewrites: [],
  };
}

export const placedStages = (graph: Graph, device: string, split?: Split): StageExplanation[] =>
  stagesOf(graph).map(({ name, isHost, nodes, ops, rows }, i) => ({
    name,
    device: isHost ? "host" : split && i >= split.index ? "cpu" : device,
    nodes,
    ops,
    rows,
  }));

/** The explanation for a terminal; `counted` says where nodes were counted. */
export function explanationText(e: Explanation, counted: string): string {
  const rows = e.stages.map((s) => [s.name, s.device, `${s.nodes}`, s.rows, s.ops.join(" ")]);
  const table = formatTable(["stage", "device", "nodes", "rows after", "ops"], rows);
  const tail = e.stages.find((s) => s.device === "host");
  const boundary = tail ? `${e.readbackBytes} bytes go to the host before ${tail.name}\n` : "";
  const split = e.split ? `${splitText(e.split)}\n` : "";
  const rewrites = e.rewrites.map((r) => `${r.name} (${r.nodes}): ${r.reason}\n`).join("");
  const parts = e.interface.map(({ kind, name, values, doc = "" }) => [kind, name, values, doc.replace(/\s+/g, " ")]);
  const named = parts.length === 0 ? "" : `${formatTable(["", "name", "values", "documentation"], parts)}\n`;
  return `${table}\n${named}${boundary}${split}${rewrites}${e.nodes} nodes, ${e.nodesWithoutViews} without views and reshapes, ${counted}\n${costText(e.cost)}\n${e.readbackBytes} bytes read back per token\n`;
}

/** The estimate that limits refer to. */
export const costText = ({ work, sorts, deviceBytes, hostBytes, uploadBytes }: Cost): string =>
  [
    `cost of a token: ${work} rows computed`,
    `${sorts} ${sorts === 1 ? "sort" : "sorts"} of the vocabulary`,
    `${deviceBytes} bytes of device memory`,
    ...(hostBytes > 0 ? [`${hostBytes} bytes for the host tail and windows`] : []),
    `${uploadBytes} bytes written to the device`,
  ].join(", ");
