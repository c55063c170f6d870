/** The thread that compiles, and how it is started: from the sources, or from what was built. */

export interface Script {
  readonly url: URL;
  readonly execArgv: readonly string[];
}

export function workerScript(): Script {
  if (import.meta.url.endsWith(".js")) return { url: new URL("worker.js", import.meta.url), execArgv: [] };
  // only tests and tools run the sources; `--import` has no effect on the loaders of a thread
  const text = `import { register } from "${import.meta.resolve("tsx/esm/api")}";
register();
await import("${new URL("worker.ts", import.meta.url).href}");`;
  const url = new URL(`data:text/javascript,${encodeURIComponent(text)}`);
  return { url, execArgv: ["--conditions=@ggsl/source"] };
}
