/** A chain of a .ggsl file, evaluated in the page by the WebAssembly backend. */
import { story } from "../chains.ggsl";

const WORDS = ["sea", "whale", "ship", "land", "king"];
const logits = [0.3, 0.25, 0.2, 0.15, 0.1].map(Math.log);
const liked = new Map([[WORDS.indexOf("whale"), 1]]);

const find = <Found extends Element>(selector: string): Found => {
  const found = document.querySelector<Found>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
};
const slider = find<HTMLInputElement>("#t");

async function show(): Promise<void> {
  const { token, backend, candidates } = await story.evaluate(logits, {
    backend: "wasm",
    uniforms: { t: Number(slider.value), seed: 1 },
    feed: { inputs: { liked } },
  });
  find("#token").textContent = `${WORDS[token ?? -1] ?? "nothing"}, on ${backend}`;
  find("#candidates").innerHTML = candidates
    .map(({ token, prob }) => `<tr><td>${WORDS[token] ?? ""}</td><td>${prob.toFixed(4)}</td></tr>`)
    .join("");
}

slider.addEventListener("input", () => void show());
await show();
