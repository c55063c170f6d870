/**
 * Loads model files and generates with those that load: `node probe.mjs PROBE FILE...`, where PROBE is `true` or `false`. Prints
 * for each `ok` or the error's name, code and message.
 */
import { compilePipeline } from "ggsl/chain/chain.js";
import { loadModel } from "ggsl/models/model.js";

const [probe, ...files] = process.argv.slice(2);
const chain = compilePipeline("dist(1)");

async function tryModel(path) {
  try {
    const model = await loadModel(path, { backend: "cpu", probe: probe === "true" });
    const pieces = model.generate("In the", { chain, maxTokens: 2, contextSize: 64 })[Symbol.asyncIterator]();
    while (!(await pieces.next()).done);
    return "ok";
  } catch (error) {
    return `${error.name} ${error.code}: ${error.message}`;
  }
}

const found = [];
for (const file of files) found.push(await tryModel(file));
console.log(JSON.stringify(found));
