/** The page of the preview: the playground's panel of stages, and a choice of logits. */
import { h } from "../../../playground/dom.js";
import { openStages } from "../../../playground/panels/stages.js";
import { MAX_SIZE, MIN_SIZE, SHAPES, type Shape } from "../../../playground/state/source.js";
import type { Answer, Chosen } from "./messages.js";

declare function acquireVsCodeApi(): { postMessage(message: Chosen): void };

const editor = acquireVsCodeApi();
const shape = h("select", { onchange: send }, ...SHAPES.map((value) => h("option", { value, textContent: value })));
shape.value = "zipf";
const size = h("input", { type: "number", value: "500", min: `${MIN_SIZE}`, max: `${MAX_SIZE}`, oninput: send });
const stages = h("section", { "aria-label": "Stages" });
document
  .getElementById("preview")!
  .replaceChildren(
    h("p", { className: "bar" }, h("label", {}, "logits ", shape), h("label", {}, "tokens in the vocabulary ", size)),
    stages,
  );
const panel = openStages(stages);
panel.place("With the defaults of the parameters, on logits of this shape");

function send(): void {
  editor.postMessage({ shape: shape.value as Shape, size: size.value === "" ? NaN : Number(size.value) });
}

window.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
  if ("fault" in data) panel.fail(data.fault);
  else panel.show(data.reply, new Map());
});
send();
