/**
 * Probes a driver in a child process before it is loaded here, so that a driver that crashes or hangs does not affect this
 * process. The child loads the library, lists its devices and computes a small graph on each.
 */
import { encodeWire } from "@ggsl/compiler/graph/wire.js";
import { plainGraph } from "@ggsl/compiler/graph/plain.js";
import {
  messageOf,
  runScript,
  runScriptSync,
  TIMEOUT_SIGNAL,
  type Ended,
  type ScriptOptions,
} from "../../core/childScript.js";
import type { Device } from "../native/binding.js";
import { addonPath, deviceProbePath } from "../../core/root.js";

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
const GRAPH = plainGraph(
  "probe",
  [
    { op: "input", inputs: [], attrs: { index: 0, dtype: "f32", dim: "V" }, dtype: "f32", dim: "V" },
    { op: "argmax", inputs: [0], attrs: {}, dtype: "i32", dim: 1 },
  ],
  { sampled: 1 },
);

const reports = new Map<string, ProbeReport>();

/** Probes a library; the report is cached. */
export async function probe(library: string, seconds = SECONDS): Promise<ProbeReport> {
  const known = reports.get(library);
  if (known) return known;
  const ended = await runScript(deviceProbePath(), scriptOptions(library, seconds));
  return record(library, ended, seconds);
}

/** The synchronous form. */
export function probeSync(library: string, seconds = SECONDS): ProbeReport {
  const known = reports.get(library);
  if (known) return known;
  return record(library, runScriptSync(deviceProbePath(), scriptOptions(library, seconds)), seconds);
}

const scriptOptions = (library: string, seconds: number): ScriptOptions => ({
  args: [addonPath()!, library, JSON.stringify([...encodeWire(GRAPH)])],
  seconds,
});

function record(library: string, ended: Ended, seconds: number): ProbeReport {
  const report = { library, ...judge(ended, seconds) };
  reports.set(library, report);
  return report;
}

function judge({ stdout, stderr, signal, status }: Ended, seconds: number): Omit<ProbeReport, "library"> {
  if (signal === TIMEOUT_SIGNAL)
    return { devices: [], failure: `the driver did not answer within ${seconds} s`, isBroken: true };
  if (signal !== undefined) return { devices: [], failure: `the driver crashed (${signal})`, isBroken: true };
  if (status !== 0)
    return { devices: [], failure: messageOf(stderr) ?? "the driver ended the process", isBroken: false };
  return { devices: JSON.parse(stdout) as Device[], isBroken: false };
}
