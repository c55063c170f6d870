/**
 * Probes a driver in a child process before it is loaded here, so that a driver that crashes or hangs does not affect this
 * process. The child loads the library, lists its devices and computes a small graph on each.
 */
import { encodeWire } from "@ggsl/compiler/graph/wire.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import type { Device } from "../native/binding.js";
import { nodeModule } from "../node.js";
import { addonPath } from "../root.js";
import { cpuLibraries } from "./locate.js";

const childProcess = nodeModule("node:child_process")!;

export interface ProbeReport {
  readonly library: string;
  /** Working devices of the library; empty without such hardware. */
  readonly devices: readonly Device[];
  /** What went wrong; absent if the library loads and its devices work. */
  readonly failure?: string;
  /** Whether the driver crashed or hung, instead of reporting an error. */
  readonly isBroken: boolean;
}

/** A driver may compile shaders on first use. */
const SECONDS = 30;

/** The argmax of the logits. */
const GRAPH: Graph = {
  ...{ name: "probe", params: [], draws: [], states: [], uniforms: [], features: [], stages: [], tail: [] },
  inputs: [{ name: "logits", dtype: "f32", dim: "V", source: { kind: "logits" } }],
  nodes: [
    { op: "input", inputs: [], attrs: { index: 0, dtype: "f32", dim: "V" }, dtype: "f32", dim: "V" },
    { op: "argmax", inputs: [0], attrs: {}, dtype: "i32", dim: 1 },
  ],
  outputs: { sampled: 1 },
};

/** A string, so that sources and bundles need no separate file for it. */
const CHILD = `
const [addon, cpu, library, words] = process.argv.slice(1);
const b = require(addon);
b.loadBackends(cpu);
const before = new Set(b.devices().map((d) => d.name));
b.loadBackend(library);
const devices = b.devices().filter((d) => !before.has(d.name));
const logits = Float32Array.of(1, 3, 2);
for (const { name } of devices) {
  const e = new b.Evaluator(new b.Graph(Int32Array.from(JSON.parse(words))), { vocabSize: 3, device: name });
  const [token] = e.evaluate({ logits, uniforms: new Float32Array(0) }).sampled;
  if (token !== 1) throw new Error(name + " computes a wrong result: the argmax of 1, 3, 2 is 1, found " + token);
  e.dispose();
}
require("fs").writeSync(1, JSON.stringify(devices));
`;

const reports = new Map<string, ProbeReport>();

/** Probes a library; the report is cached. */
export async function probe(library: string, seconds = SECONDS): Promise<ProbeReport> {
  const known = reports.get(library);
  if (known) return known;
  const ended = await new Promise<Ended>((resolve) => {
    childProcess.execFile(process.execPath, argumentsOf(library), options(seconds), (error, stdout, stderr) => {
      const { signal, code } = (error ?? {}) as { signal?: string | null; code?: number };
      resolve({ stdout, stderr, signal: signal ?? undefined, status: code ?? 0 });
    });
  });
  return record(library, ended, seconds);
}

/** The synchronous form. */
export function probeSync(library: string, seconds = SECONDS): ProbeReport {
  const known = reports.get(library);
  if (known) return known;
  const { stdout, stderr, signal, status } = childProcess.spawnSync(
    process.execPath,
    argumentsOf(library),
    options(seconds),
  );
  return record(library, { stdout, stderr, signal: signal ?? undefined, status: status ?? 1 }, seconds);
}

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly signal?: string | undefined;
  readonly status: number;
}

const argumentsOf = (library: string): string[] => [
  ...["-e", CHILD, addonPath(), cpuLibraries() ?? "", library],
  JSON.stringify([...encodeWire(GRAPH)]),
];

/** SIGKILL, because a hanging driver may block SIGTERM. */
const options = (seconds: number) =>
  ({ encoding: "utf8", timeout: seconds * 1000, killSignal: "SIGKILL", maxBuffer: 2 ** 20 }) as const;

function record(library: string, ended: Ended, seconds: number): ProbeReport {
  const report = { library, ...judge(ended, seconds) };
  reports.set(library, report);
  return report;
}

function judge({ stdout, stderr, signal, status }: Ended, seconds: number): Omit<ProbeReport, "library"> {
  if (signal === "SIGKILL")
    return { devices: [], failure: `the driver did not answer within ${seconds} s`, isBroken: true };
  if (signal !== undefined) return { devices: [], failure: `the driver crashed (${signal})`, isBroken: true };
  if (status !== 0) return { devices: [], failure: messageOf(stderr), isBroken: false };
  return { devices: JSON.parse(stdout) as Device[], isBroken: false };
}

/** The message of the error that ended the child, without its stack. */
function messageOf(stderr: string): string {
  const line = stderr.split("\n").find((text) => /^(\w*)Error: /.test(text));
  return line?.replace(/^\w*Error: /, "") ?? (stderr.trim().split("\n").at(-1) || "the driver ended the process");
}
