/** A chain from a generated module, on plain logits and in the demo model. An unknown uniform is a type error. */
import { loadModel } from "ggsl";
import { shortlist, story } from "./chains.js";

const logits = [0.1, 0.2, 0.3, 0.4].map(Math.log);
const { candidates } = await shortlist.evaluate(logits, { uniforms: { t: 0.5 } });
console.log("the best three:", candidates.map(({ token, prob }) => `${token} with ${prob.toFixed(4)}`).join(", "));

const model = await loadModel("examples/model/demo-q8_0.gguf", { backend: "cpu" });
const liked = new Map([...model.tokenize(" sea")].map((token) => [token, 6]));
const generation = model.generate("In the beginning", {
  chain: story,
  uniforms: { t: 0.6, seed: 7 },
  feed: { inputs: { liked } },
  maxTokens: 24,
});
let text = "";
for await (const piece of generation) {
  text += piece.text;
  // from here on, liked tokens gain nothing
  if (text.length > 40) generation.setUniforms({ strength: 0 });
}
console.log(`In the beginning${text}`);
model.dispose();
