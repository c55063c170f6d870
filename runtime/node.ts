/**
 * Node.js's modules, if available. Browsers and bundlers reject a file that imports them, so code that also runs in a browser
 * gets them here.
 */
interface Modules {
  readonly "node:child_process": typeof import("node:child_process");
  readonly "node:fs": typeof import("node:fs");
  readonly "node:module": typeof import("node:module");
  readonly "node:path": typeof import("node:path");
  readonly "node:url": typeof import("node:url");
  readonly "node:worker_threads": typeof import("node:worker_threads");
}

/** Undefined in a browser. */
export const nodeModule = <Name extends keyof Modules>(name: Name): Modules[Name] | undefined =>
  globalThis.process?.getBuiltinModule?.(name);
