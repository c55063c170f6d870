/** The examples as cards, each with a picture of what its chain makes of the present distribution. */
import { h, svg } from "../dom.js";
import type { PreviewReply } from "../engine/messages.js";
import { EXAMPLES, type Example } from "../state/examples.js";
import { greatest } from "@ggsl/compiler/core/extremes.js";

const [WIDTH, HEIGHT] = [192, 56];

/** @param preview what an example makes of the present distribution; rejects for one that cannot be drawn here */
export function openExamples(
  button: HTMLElement,
  preview: (example: Example) => Promise<PreviewReply>,
  onChoose: (example: Example) => void,
): void {
  const cards = h("ul", { className: "cards" });
  const close = h("button", { type: "button", textContent: "Close" });
  const title = h("h2", { id: "examples-title", textContent: "Examples" });
  const dialog = h(
    "dialog",
    { className: "examples", "aria-labelledby": title.id },
    h("div", { className: "bar" }, title, close),
    h(
      "p",
      { className: "hint legend" },
      ...["before", "after"].map((name) => h("span", { className: `key ${name}`, textContent: name })),
      " the chain, the likeliest tokens first",
    ),
    cards,
  );
  document.body.append(dialog);
  close.onclick = () => dialog.close();

  const cardOf = (example: Example): HTMLElement => {
    const picture = h("div", { className: "picture" });
    preview(example).then(
      (made) => picture.replaceChildren(pictureOf(made)),
      (error: unknown) =>
        picture.replaceChildren(h("span", { className: "hint", textContent: (error as Error).message })),
    );
    const card = h(
      "button",
      { type: "button", className: "card" },
      picture,
      h("strong", { textContent: example.title }),
      h("span", { textContent: example.about }),
    );
    card.onclick = () => {
      dialog.close();
      onChoose(example);
    };
    return h("li", {}, card);
  };
  button.onclick = () => {
    cards.replaceChildren(...EXAMPLES.map(cardOf));
    dialog.showModal();
  };
}

/** Both distributions, each bar as high as its probability relative to the highest. */
function pictureOf({ before, after }: PreviewReply): SVGElement {
  const most = greatest([...before, ...after], 1e-6);
  const step = WIDTH / before.length;
  const bars = (kind: string, probs: Float32Array, inset: number): SVGElement[] =>
    Array.from(probs, (prob, i) => {
      const height = (HEIGHT * prob) / most;
      return svg("rect", { class: kind, x: i * step + inset, y: HEIGHT - height, width: step - 1 - 2 * inset, height });
    });
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" },
    ...bars("before", before, 0),
    ...bars("after", after, step / 5),
  );
}
