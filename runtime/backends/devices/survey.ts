/** All devices of all backends, and which ops of the op table each can run. */
import { OP_NAMES, opRule, resultType, type AttrRule, type OpName, type OpRule } from "@ggsl/compiler/graph/ops.js";
import type { Graph, GraphNode } from "@ggsl/compiler/graph/graph.js";
import { plainGraph } from "@ggsl/compiler/graph/plain.js";
import type { Attr, Attrs, Dim, Dtype } from "@ggsl/compiler/graph/vector.js";
import { encodeWire } from "@ggsl/compiler/graph/wire.js";
import { InputError } from "../../core/errors.js";
import type { CpuVariant, Device } from "../native/binding.js";
import { isNativeThere, loadBinding, nativeFault } from "../native/loader.js";
import { chooseDevice, devicesOf } from "./choose.js";
import { cpuLibraries, DEVICE_BACKENDS, installCommand, type DeviceBackend } from "./locate.js";

interface DeviceSurvey extends Device {
  readonly backend: DeviceBackend;
  /** Its index among the backend's devices. */
  readonly index: number;
  readonly supported: readonly OpName[];
  /** Ops that it cannot run over a vocabulary of 131072 tokens. */
  readonly unsupported: readonly OpName[];
}

interface BackendSurvey {
  readonly name: DeviceBackend;
  /** Why it has no device; absent if it has one. */
  readonly reason?: string;
  /** The command that installs its library, if that is missing. */
  readonly install?: string;
}

export interface Survey {
  /** The release that the addon was built with; absent without an addon. */
  readonly llamaCpp?: string;
  /** Why there is no addon, and how to get it. */
  readonly fault?: string;
  readonly devices: readonly DeviceSurvey[];
  readonly backends: readonly BackendSurvey[];
  readonly cpuVariants: readonly CpuVariant[];
}

const VOCABULARY = 131072;

/** Loads every backend whose driver works. Without the addon there are no devices. */
export async function surveyDevices(): Promise<Survey> {
  if (!isNativeThere()) return { fault: nativeFault(), devices: [], backends: [], cpuVariants: [] };
  const backends = await Promise.all(DEVICE_BACKENDS.map(surveyBackend));
  const binding = loadBinding();
  const devices = DEVICE_BACKENDS.flatMap((backend) =>
    devicesOf(binding, backend).map((device, index) => ({ ...device, backend, index, ...supportOf(device.name) })),
  );
  return { llamaCpp: binding.llamaVersion, devices, backends, cpuVariants: surveyCpuVariants() };
}

/** The variants of the CPU backend, the best for this processor first. */
export const surveyCpuVariants = (): CpuVariant[] => loadBinding().cpuVariants(cpuLibraries());

async function surveyBackend(name: DeviceBackend): Promise<BackendSurvey> {
  try {
    await chooseDevice({ backend: name });
    return { name };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const install = name === "cpu" ? undefined : installCommand(name);
    return { name, reason: reasonOf(error), ...(install !== undefined && { install }) };
  }
}

/** The reason of an unavailable backend, without the steps that fix it. */
const reasonOf = ({ message }: InputError): string => message.split("\n")[0]!.replace(/^.*? is not available: /, "");

/** Which ops of the table a device can run over a whole vocabulary. */
function supportOf(device: string): Pick<DeviceSurvey, "supported" | "unsupported"> {
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

/** Example attributes of an op: its result has the length of the vocabulary, or 40 rows. */
function exampleAttrs({ operands, attrs }: OpRule): Attrs {
  const count = operands.some(({ dim }) => dim === "free") ? 40 : "V";
  const value = ({ kind, choices }: AttrRule): Attr =>
    kind === "count" ? count : kind === "choice" ? choices!.at(-1)! : 1;
  return Object.fromEntries(attrs.map((rule) => [rule.name, value(rule)]));
}

/** The smallest graph with an op, its last node, over the vocabulary. */
function graphWith(op: OpName): Graph {
  const nodes: GraphNode[] = [];
  const add = (name: OpName, inputs: number[], attrs: GraphNode["attrs"], dtype: Dtype, dim: Dim): number =>
    nodes.push({ op: name, inputs, attrs, dtype, dim }) - 1;
  const logits = add("input", [], { index: 0, dtype: "f32", dim: "V" }, "f32", "V");
  const operands = opRule(op).operands.map(({ dtype, dim }) => {
    if (dim === "scalar" || dim === "broadcast") return add("sum_rows", [logits], {}, "f32", 1);
    return dtype === "i32" ? add("argsort", [logits], { order: "desc" }, "i32", "V") : logits;
  });
  const attrs = exampleAttrs(opRule(op));
  const { dtype, dim } = resultType(
    op,
    operands.map((id) => nodes[id]!),
    attrs,
  );
  add(op, operands, attrs, dtype, dim);
  return plainGraph(op, nodes, {});
}
