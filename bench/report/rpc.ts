/** Models on workers as tables. */
import type { LoadTraffic, RpcSpeed, RpcTraffic } from "../results.js";
import { spreadText, type Table } from "./table.js";

const PLACES = { graph: "in the graph", host: "on the host" } as const;

export const trafficTable = (traffic: readonly RpcTraffic[]): Table => ({
  head: ["V", "sequences", "chain", "bytes to the worker", "bytes back", "turns"],
  rows: traffic.map(({ vocab, sequences, placement, up, down, turns }) => [
    ...[String(vocab), String(sequences), PLACES[placement], up.toFixed(0), down.toFixed(0), turns.toFixed(1)],
  ]),
});

export const speedTable = (speeds: readonly RpcSpeed[]): Table => ({
  head: ["link", "V", "sequences", "tokens/s in the graph", "on the host", "ratio"],
  rows: speeds.map(({ link, vocab, sequences, graph, host, ratio }) => [
    ...[link, String(vocab), String(sequences), spreadText(graph), spreadText(host), spreadText(ratio)],
  ]),
});

export const loadTable = (loads: readonly LoadTraffic[]): Table => ({
  head: ["loading", "megabytes to the worker"],
  rows: loads.map(({ name, up }) => [name, (up / 1e6).toFixed(1)]),
});
