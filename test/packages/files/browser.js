import { compileStages, graphOf, printGraph } from "@ggsl/compiler";
import { compilePipeline, loadWasm } from "ggsl";

await loadWasm(new URL("ggsl.wasm", location.href));
const { candidates, backend } = await compilePipeline("top_k(2)").evaluate([1, 2, 3]);
const isCompiled = printGraph(graphOf(compileStages("top_k(3)"))).includes("top_k(logits) k=3");
document.body.textContent = `${candidates.map((c) => c.token).join()} on ${backend}; ${isCompiled}`;
