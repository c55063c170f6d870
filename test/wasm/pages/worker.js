// in a worker, a location is relative to its script
import { compilePipeline, loadWasm } from "ggsl";

try {
  await loadWasm("of-script.wasm");
  const { token, backend } = await compilePipeline("greedy()").evaluate([1, 3, 2]);
  postMessage(`${token} on ${backend}`);
} catch (error) {
  postMessage(error.message);
}
