/** Chooses a working device for a backend, or for `auto`. */
import * as is from "../../core/check.js";
import { InputError } from "../../core/errors.js";
import { device } from "../../core/sharedOptions.js";
import type { Binding, Device } from "../native/binding.js";
import { loadBinding } from "../native/loader.js";
import { isCheckout } from "../../core/root.js";
import { DEVICE_BACKENDS, GPU_BACKENDS, installCommand, installedPackages, librariesOf } from "./locate.js";
import type { DeviceBackend, GpuBackend } from "./locate.js";
import { probe, probeSync, type ProbeReport } from "./probe.js";

/** The requested backend, and one of its devices. */
export interface DeviceRequest {
  readonly backend: DeviceBackend | "auto";
  /** One of the backend's devices, by its index (from 0) or its name; default: the first. */
  readonly device?: number | string | undefined;
}

/** The device chosen for a request. */
export interface ChosenDevice {
  readonly backend: DeviceBackend;
  /** ggml's name, e.g. `Vulkan0`. */
  readonly device: string;
  readonly description: string;
  /** Backends that `auto` skipped, and why. */
  readonly skipped: readonly Skipped[];
}

/** A backend that `auto` skipped. */
export interface Skipped {
  readonly backend: GpuBackend;
  readonly reason: string;
  /** Whether the driver crashed or hung, as opposed to being absent. */
  readonly isBroken: boolean;
}

/**
 * Chooses a device and loads its library. `auto`: the first of CUDA and Vulkan that has a device, else the CPU.
 * @throws InputError when the backend has no such device, with what is installed and how to fix it
 */
export async function chooseDevice(request: DeviceRequest): Promise<ChosenDevice> {
  const steps = choose(request);
  let step = steps.next();
  while (!step.done) step = steps.next(await Promise.all(step.value.map((library) => probe(library))));
  return step.value;
}

/** The synchronous form. */
export function chooseDeviceSync(request: DeviceRequest): ChosenDevice {
  const steps = choose(request);
  let step = steps.next();
  while (!step.done) step = steps.next(step.value.map((library) => probeSync(library)));
  return step.value;
}

/** Yields libraries to probe and receives a report of each. */
type Steps<T> = Generator<readonly string[], T, ProbeReport[]>;

const REQUEST: is.Checks<DeviceRequest> = { backend: is.oneOf("auto", ...DEVICE_BACKENDS), device };
const checkRequest = is.options(REQUEST);

function* choose(request: DeviceRequest): Steps<ChosenDevice> {
  checkRequest(request, "request");
  const { backend, device: wanted } = request;
  is.text(backend, "backend");
  // without it there is no device at all
  loadBinding();
  if (backend === "cpu") return pick("cpu", wanted, []);
  if (backend !== "auto") {
    const found = yield* load(backend);
    if (typeof found !== "string") throw unavailable(backend, found.reason);
    return pick(backend, wanted, []);
  }
  const skipped: Skipped[] = [];
  for (const gpu of GPU_BACKENDS) {
    const found = yield* load(gpu);
    if (typeof found === "string") return pick(gpu, wanted, skipped);
    skipped.push(found);
  }
  return pick("cpu", wanted, skipped);
}

/** Loads the first library of a backend that has devices. Returns its path, or why there is none. */
function* load(backend: GpuBackend): Steps<string | Skipped> {
  const libraries = librariesOf(backend);
  if (libraries.length === 0) return { backend, reason: "no library is installed", isBroken: false };
  const failures: ProbeReport[] = [];
  for (const library of libraries) {
    const [report] = yield [library];
    if (report!.failure === undefined && report!.devices.length > 0) {
      loadBinding().loadBackend(library);
      return library;
    }
    failures.push(report!);
  }
  return { backend, reason: failures.map(reasonOf).join("; "), isBroken: failures.some((f) => f.isBroken) };
}

/** The library's package and its failure; a linker error without the path. */
function reasonOf({ library, failure = "it finds no device" }: ProbeReport): string {
  const name = /node_modules\/(@node-llama-cpp\/[^/]+)\//.exec(library)?.[1] ?? library;
  return `${name}: ${failure.replace(/^.*: failed to load [^:]*: /, "")}`;
}

function pick(backend: DeviceBackend, wanted: number | string | undefined, skipped: readonly Skipped[]): ChosenDevice {
  const all = devicesOf(loadBinding(), backend);
  const found = wanted === undefined ? all[0] : typeof wanted === "number" ? all[wanted] : named(all, wanted);
  if (found) return { backend, device: found.name, description: found.description, skipped };
  const list = all.map(({ name, description }, i) => `  ${i}: ${name} (${description})`).join("\n");
  throw new InputError(`the backend \`${backend}\` has no device ${JSON.stringify(wanted)}; its devices:\n${list}`, {
    code: "NO_DEVICE",
  });
}

const named = (devices: readonly Device[], name: string): Device | undefined =>
  devices.find((d) => d.name.toLowerCase() === name.toLowerCase());

/** Devices of a backend whose library is loaded, in ggml's order. */
export const devicesOf = (binding: Binding, backend: DeviceBackend): Device[] =>
  binding.devices().filter((d) => d.backend === backend);

const DRIVERS: Readonly<Record<GpuBackend, readonly string[]>> = {
  vulkan: [
    "apt-get install libvulkan1 mesa-vulkan-drivers   # as root; or your GPU vendor's driver",
    "GGML_VK_VISIBLE_DEVICES=0 ggsl devices   # a software device is used only if named here",
  ],
  cuda: ["install NVIDIA's driver, and libcudart and libcublas of CUDA 13 where the dynamic linker finds them"],
};

/** Possible only in a checkout. */
const BUILDS: Readonly<Record<GpuBackend, readonly string[]>> = {
  vulkan: [],
  cuda: ["npm run build:native -- --cuda ARCH   # builds for this machine's CUDA, e.g. --cuda 90 for an H200"],
};

function fixesOf(backend: GpuBackend): string[] {
  const install = installCommand(backend);
  const builds = isCheckout() ? BUILDS[backend] : [];
  if (install === undefined && librariesOf(backend).length === 0 && builds.length === 0)
    return ["use the backend `cpu`: there is no prebuilt library for this platform"];
  return [...(install === undefined ? [] : [install]), ...DRIVERS[backend], ...builds];
}

function unavailable(backend: GpuBackend, reason: string): InputError {
  const installed = installedPackages().map(({ name, isInstalled }) => `${name} ${isInstalled ? "yes" : "no"}`);
  const steps = fixesOf(backend)
    .map((command, i) => `  ${i + 1}. ${command}`)
    .join("\n");
  return new InputError(
    `the backend \`${backend}\` is not available: ${reason}\nInstalled: ${installed.join(", ")}\nTo fix it:\n${steps}`,
    { code: "NO_DEVICE" },
  );
}
