import { compilePipeline, loadWasm } from "ggsl";
import { short } from "./short.ggsl";

await loadWasm();
const written = [compilePipeline("top_k(2)"), short].map(async (chain) => {
  const { candidates, backend } = await chain.evaluate([1, 2, 3]);
  return `${candidates.map((c) => c.token).join()} on ${backend}`;
});
document.body.textContent = (await Promise.all(written)).join("; ");
