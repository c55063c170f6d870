import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { compileStages, graphOf, printGraph } from "@ggsl/compiler";
import { compilePipeline } from "ggsl";

if (isMainThread) new Worker(new URL(import.meta.url)).on("message", (message) => console.log(message));
else {
  const text = printGraph(graphOf(compileStages("top_k(3)")));
  const { candidates } = await compilePipeline("top_k(2)").evaluate([1, 2, 3]);
  parentPort.postMessage(JSON.stringify({ text, tokens: candidates.map((c) => c.token) }));
}
