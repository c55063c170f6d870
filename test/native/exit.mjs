/** `process.exit()` while several generations run: `node exit.mjs GGUF MILLISECONDS`. */
import { compilePipeline } from "ggsl/chain.js";
import { loadModel } from "ggsl/model.js";

const [path, milliseconds] = process.argv.slice(2);
const model = await loadModel(path, { backend: "cpu" });
const generate = async () => {
  for (;;) for await (const _ of model.generate("In the beginning", { chain: compilePipeline("dist(1)") }));
};
setTimeout(() => process.exit(7), Number(milliseconds));
await Promise.all([generate(), generate(), generate(), generate(), generate(), generate()]);
