/** All devices of all backends, and which ops of the op table each can run. */
import { OP_NAMES, opRule, type OpName } from "../../compiler/graph/ops.js";
import type { Attr, Dim, Dtype, Graph, GraphNode } from "../../compiler/graph/graph.js";
import { encodeWire } from "../../compiler/graph/wire.js";
import { InputError } from "../errors.js";
import type { CpuVariant, Device } from "../native/binding.js";
import { loadBinding } from "../native/loader.js";
import { chooseDevice, devicesOf } from "./choose.js";
import { cpuLibraries, DEVICE_BACKENDS, type DeviceBackend } from "./locate.js";

export interface DeviceSurvey extends Device {
  readonly backend: DeviceBackend;
  /** Its place among the backend's devices. */
  readonly index: number;
  readonly supported: readonly OpName[];
  /** Ops that it can not run over a vocabulary of 131072 tokens. */
  readonly unsupported: readonly OpName[];
}

export interface BackendSurvey {
  readonly name: DeviceBackend;
  /** Why it has no device; absent when it has. */
  readonly reason?: string;
}

export interface Survey {
  readonly devices: readonly DeviceSurvey[];
  readonly backends: readonly BackendSurvey[];
  readonly cpuVariants: readonly CpuVariant[];
}

const VOCABULARY = 131072;

/** Loads every backend whose driver works. */
export async function surveyDevices(): Promise<Survey> {
  const backends = await Promise.all(DEVICE_BACKENDS.map(surveyBackend));
  const binding = loadBinding();
  const devices = DEVICE_BACKENDS.flatMap((backend) =>
    devicesOf(binding, backend).map((device, index) => ({ ...device, backend, index, ...supportOf(device.name) })),
  );
  return { devices, backends, cpuVariants: surveyCpuVariants() };
}

/** The variants of the CPU backend, the best for this processor first. */
export const surveyCpuVariants = (): CpuVariant[] => loadBinding().cpuVariants(cpuLibraries()!);

async function surveyBackend(name: DeviceBackend): Promise<BackendSurvey> {
  try {
    await chooseDevice({ backend: name });
    return { name };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { name, reason: error.message.split("\n")[0]!.replace(/^.*? is not available: /, "") };
  }
}

/** Which ops of the table a device can run over a whole vocabulary. */
export function supportOf(device: string): Pick<DeviceSurvey, "supported" | "unsupported"> {
  const binding = loadBinding();
  const ops = OP_NAMES.filter((op) => opRule(op).kind !== "leaf");
  const can = (op: OpName): boolean => {
    const graph = graphWith(op);
    const native = new binding.Graph(encodeWire(graph, [graph.nodes.length - 1]));
    return binding.unsupported(native, device, VOCABULARY, false).length === 0;
  };
  const supported = ops.filter(can);
  return { supported, unsupported: ops.filter((op) => !supported.includes(op)) };
}

const ATTRS: Readonly<Record<string, Attr>> = {
  ...{ s: 2, b: 1, lo: -1, hi: 1, order: "desc", k: 40, offset: 1, count: 40, shift: 1, to: "i32", dim: "V", value: 1 },
};

/** The smallest graph with an op, its last node, over the vocabulary. */
export function graphWith(op: OpName): Graph {
  const nodes: GraphNode[] = [];
  const add = (name: OpName, inputs: number[], attrs: GraphNode["attrs"], dtype: Dtype, dim: Dim): number =>
    nodes.push({ op: name, inputs, attrs, dtype, dim }) - 1;
  const logits = add("input", [], { index: 0, dtype: "f32", dim: "V" }, "f32", "V");
  const operands = opRule(op).operands.map(({ dtype, dim, name }) => {
    if (dim === "1") return add("sum_rows", [logits], {}, "f32", 1);
    if (dtype === "i32") return add("argsort", [logits], { order: "desc" }, "i32", "V");
    return name === "y" && dim === "n|1" ? add("sum_rows", [logits], {}, "f32", 1) : logits;
  });
  const attrs = Object.fromEntries(opRule(op).attrs.map(({ name }) => [name, ATTRS[name]!]));
  const known = operands.map((id) => nodes[id]!);
  const dtype = opRule(op).dtype(
    known.map((n) => n.dtype),
    attrs,
  );
  add(
    op,
    operands,
    attrs,
    dtype,
    opRule(op).dim(
      known.map((n) => n.dim),
      attrs,
    ),
  );
  return {
    ...{ name: op, nodes, params: [], draws: [], states: [], uniforms: [], features: [], stages: [], tail: [] },
    inputs: [{ name: "logits", dtype: "f32", dim: "V", source: { kind: "logits" } }],
    outputs: {},
  };
}
