/** Devices as the addon knows them. */

/** What a worker lends, see `Binding.runWorker`. */
export interface WorkerOptions {
  /** ggml's RPC backend. */
  readonly library: string;
  /** `HOST:PORT`. */
  readonly endpoint: string;
  /** The folder of the cache for weights; default: none. */
  readonly cache?: string;
  readonly threads: number;
  /** Their names. */
  readonly devices: readonly string[];
}

/** A kind of devices; rewrites depend on it. */
export type DeviceFamily = "cpu" | "cuda" | "vulkan" | "other" | "unknown";

/** How an op is built on some devices. */
export interface Rewrite {
  readonly name: string;
  readonly op: string;
  /** Empty for all devices. */
  readonly families: readonly DeviceFamily[];
  readonly reason: string;
  /** The ops that are built instead. */
  readonly instead: string;
}

/** A node that a device cannot run. */
export interface Unsupported {
  /** Index in `Graph.nodes`. */
  readonly node: number;
  /** ggml's name of the unsupported op. */
  readonly op: string;
}

export interface Device {
  /** ggml's name, e.g. `CPU` or `Vulkan0`. */
  readonly name: string;
  /** `cpu`, `cuda`, `vulkan`, ... */
  readonly backend: string;
  readonly description: string;
  readonly type: "cpu" | "gpu" | "integrated-gpu" | "accelerator";
  /** Bytes. */
  readonly memoryFree: number;
  readonly memoryTotal: number;
}

/** The CPU backend compiled for one instruction set; variants round differently. */
export interface CpuVariant {
  /** ggml's name, e.g. `haswell`. */
  readonly name: string;
  /** Whether this processor supports its instruction set. */
  readonly isSupported: boolean;
  readonly isLoaded: boolean;
}
