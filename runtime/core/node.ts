/**
 * Node.js's modules, if available. Browsers and bundlers reject a file that imports them, so code that also runs in a browser
 * gets them here.
 */
interface Modules {
  readonly "node:child_process": typeof import("node:child_process");
  readonly "node:dns": typeof import("node:dns");
  readonly "node:fs": typeof import("node:fs");
  readonly "node:module": typeof import("node:module");
  readonly "node:net": typeof import("node:net");
  readonly "node:os": typeof import("node:os");
  readonly "node:path": typeof import("node:path");
  readonly "node:url": typeof import("node:url");
  readonly "node:worker_threads": typeof import("node:worker_threads");
}

export type { ChildProcess } from "node:child_process";
export type { Socket } from "node:net";

/** Undefined in a browser. */
export const nodeModule = <Name extends keyof Modules>(name: Name): Modules[Name] | undefined =>
  globalThis.process?.getBuiltinModule?.(name);
