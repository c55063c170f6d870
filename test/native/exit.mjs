/** `process.exit()` while several generations run: `node exit.mjs GGUF MILLISECONDS`. */
import { compilePipeline } from "ggsl/chain/chain.js";
import { loadModel } from "ggsl/models/model.js";

const [path, milliseconds] = process.argv.slice(2);
const model = await loadModel(path, { backend: "cpu" });
const chain = compilePipeline("dist(1)");
const generate = async () => {
  for (;;) {
    const pieces = model.generate("In the beginning", { chain })[Symbol.asyncIterator]();
    while (!(await pieces.next()).done);
  }
};
setTimeout(() => process.exit(7), Number(milliseconds));
await Promise.all([generate(), generate(), generate(), generate(), generate(), generate()]);
