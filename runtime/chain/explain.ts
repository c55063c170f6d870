/** The explanation of a chain on a device, with what is counted in ggml's own graph. */
import { costOf } from "@ggsl/compiler/graph/cost.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { interfaceOf } from "@ggsl/compiler/graph/interface.js";
import * as is from "../core/check.js";
import { chooseDeviceSync } from "../backends/devices/choose.js";
import { DEVICE_BACKENDS, type DeviceBackend } from "../backends/devices/locate.js";
import { placeGraph, type PlacedGraph } from "../backends/devices/place.js";
import { explainGraph, placedStages, type Explanation } from "./explainGraph.js";
import { invalid } from "../core/errors.js";
import type { DeviceFamily, EvaluatorOptions } from "../backends/native/binding.js";
import { hasNative, loadBinding } from "../backends/native/loader.js";
import { device } from "../core/sharedOptions.js";
import { readServers, type RemoteKind, type Server } from "../backends/devices/servers.js";

interface ExplainOptions {
  /** Where it would run; default `cpu`. */
  readonly backend?: DeviceBackend;
  readonly device?: number | string | undefined;
  /** A worker, `HOST:PORT` or `HOST:PORT=KIND`, instead of a device. It need not run: what is sent depends on its kind alone. */
  readonly server?: string | undefined;
  readonly strict?: boolean | undefined;
}

const OPTIONS: is.Checks<ExplainOptions> = {
  backend: is.oneOf(...DEVICE_BACKENDS),
  device,
  server: is.text,
  strict: is.flag,
};
const check = is.options(OPTIONS);

/** Throws `InputError` for a device that does not exist, for a worker's address that is none and, if `strict`, for a chain that the device cannot run as a whole. */
export function explain(graph: Graph, vocabSize: number, options: ExplainOptions = {}): Explanation {
  check(options, "options");
  const [server] = options.server === undefined ? [] : readServers([options.server]);
  if ((options.backend ?? "cpu") !== "cpu" || options.device !== undefined || server) loadBinding();
  if (!hasNative("nodes are counted in the spec, not in ggml's graph")) return explainGraph(graph, vocabSize);
  const { backend = "cpu", strict } = options;
  const place = server ? placeOf(server, options) : chooseDeviceSync({ backend, device: options.device });
  const isHost = backend === "cpu" && !server;
  using placed = placeGraph(graph, vocabSize, { ...place, inModel: !isHost, strict });
  const { split } = placed;
  const cost = costOf(graph, vocabSize);
  return {
    ...countInGgml(placed, vocabSize, server ? { rewriteFor: familyOf(server.kind) } : { device: place.device }),
    readbackBytes: split ? split.bytes : cost.readbackBytes,
    cost,
    stages: placedStages(graph, isHost ? "cpu" : place.device, split),
    interface: interfaceOf(graph),
    ...(split && { split }),
  };
}

function placeOf(
  { endpoint, kind }: Server,
  { backend, device }: ExplainOptions,
): { device: string; kind: RemoteKind } {
  if (device !== undefined || (backend !== undefined && backend !== "cpu"))
    throw invalid("`server` names the device: give no `backend` or `device` with it");
  return { device: endpoint, kind };
}

/** Our own kernels run in this process alone, so that graphs for a worker's CPU are as for any device. */
const familyOf = (kind: RemoteKind): DeviceFamily => (kind === "cpu" ? "other" : kind);

type Counts = Pick<Explanation, "nodes" | "nodesWithoutViews" | "isMeasured" | "rewrites">;

function countInGgml(
  { words }: PlacedGraph,
  vocabSize: number,
  where: Pick<EvaluatorOptions, "device" | "rewriteFor">,
): Counts {
  const binding = loadBinding();
  const native = new binding.Evaluator(new binding.Graph(words), { vocabSize, ...where, fuse: false });
  const { nodes, nodesWithoutViews, rewritten } = native;
  native.dispose();
  const rewrites = binding.rewrites().flatMap(({ name, reason }) => {
    const count = rewritten.filter((r) => r.name === name).length;
    return count === 0 ? [] : [{ name, nodes: count, reason }];
  });
  return { nodes, nodesWithoutViews, isMeasured: true, rewrites };
}
