/** The compiled graph: a drawing, its text, and what the optimizer removed. */
import { h, svg } from "../dom.js";
import type { DrawnNode, GraphReply, PageDrawing } from "../engine/messages.js";

/** The number of stage colours; further stages reuse them. */
const COLOURS = 8;

interface GraphPanel {
  show(reply: GraphReply): void;
  readonly fail: (message: string) => void;
}

export function openGraph(host: HTMLElement): GraphPanel {
  const status = h("p", { className: "status", role: "status" });
  const body = h("div", {});
  host.replaceChildren(status, body);
  return {
    show(reply) {
      const removed = reply.nodesWithoutOptimizer - reply.nodes;
      status.classList.remove("fault");
      status.textContent = `${reply.nodes} nodes; without the optimizer ${reply.nodesWithoutOptimizer}${removed > 0 ? `: it removed ${removed}` : ""}. Views, which move no data, are not counted.`;
      const drawn = reply.drawing && drawingOf(reply.drawing);
      body.replaceChildren(
        ...(drawn ?? [
          h("p", { className: "hint", textContent: "The graph is too large to be drawn; its text is below." }),
        ]),
        details("Text", h("pre", { textContent: reply.text })),
        details("Text without the optimizer", h("pre", { textContent: reply.plainText })),
        details("What the optimizer removed", removedOf(reply)),
      );
    },
    fail(message) {
      status.textContent = message;
      status.classList.add("fault");
    },
  };
}

const details = (title: string, content: Element): HTMLDetailsElement =>
  h("details", {}, h("summary", { textContent: title }), scrolled(title, content));

/** What can be scrolled can be reached by keyboard. */
function scrolled(label: string, ...content: readonly Element[]): HTMLElement {
  const frame = h("div", { className: "scroll", tabIndex: 0, role: "region" }, ...content);
  frame.setAttribute("aria-label", label);
  return frame;
}

function removedOf({ optimizations, ops }: GraphReply): HTMLElement {
  const cells = (tag: "th" | "td", texts: readonly string[]): HTMLElement =>
    h("tr", {}, ...texts.map((textContent) => h(tag, { textContent })));
  const changed = ops.filter(({ before, after }) => before !== after);
  return h(
    "div",
    {},
    h("p", { className: "hint", textContent: "One optimization off, all others on:" }),
    h(
      "table",
      {},
      cells("th", ["optimization", "nodes", "what it does"]),
      ...optimizations.map(({ name, doc, more }) => cells("td", [name, more > 0 ? `+${more}` : `${more}`, doc])),
    ),
    h("p", { className: "hint", textContent: "Nodes by operation:" }),
    h(
      "table",
      {},
      cells("th", ["operation", "without", "with"]),
      ...changed.map(({ op, before, after }) => cells("td", [op, `${before}`, `${after}`])),
    ),
  );
}

/** Whether the drawing is open, which outlives each drawing. */
let isOpen = false;

/** The least part of its size that a drawing has in its frame, so that its labels stay readable; wider ones are scrolled. */
const SMALLEST = 0.92;

/** The stages and how many nodes each has, and the drawing, which is folded. */
function drawingOf({ width, height, nodes, edges, stages }: PageDrawing): HTMLElement[] {
  const lines = edges.map((points) =>
    svg("path", { class: "edge", d: points.map(({ x, y }, i) => `${i === 0 ? "M" : "L"}${at(x)} ${at(y)}`).join("") }),
  );
  const picture = svg(
    "svg",
    {
      class: "graph",
      width: at(width),
      height: at(height),
      viewBox: `0 0 ${at(width)} ${at(height)}`,
      role: "img",
      "aria-label": `A graph of ${nodes.length} nodes; its text is below`,
    },
    ...lines,
    ...nodes.map((node) => boxOf(node, stages[node.stage]?.name)),
  );
  const legend = h(
    "ul",
    { className: "legend stages-legend" },
    ...stages.map(({ name, nodes: count }, i) =>
      h("li", {}, h("span", { className: `swatch ${colourOf(i)}` }), h("code", { textContent: name }), ` ${count}`),
    ),
  );
  picture.style.minWidth = `${at(SMALLEST * width)}px`;
  const drawing = details("Drawing", picture);
  const frame = drawing.querySelector<HTMLElement>(".scroll")!;
  frame.classList.add("drawing");
  drawing.open = isOpen;
  const [start] = nodes;
  drawing.ontoggle = () => {
    isOpen = drawing.open;
    // to the first box
    if (isOpen && start) frame.scrollLeft = start.x + start.width / 2 - frame.clientWidth / 2;
  };
  return [legend, drawing];
}

function boxOf({ x, y, width, height, lines, title, stage, isResult }: DrawnNode, of: string | undefined): SVGElement {
  const text = (className: string, dy: number, content: string): SVGElement =>
    svg("text", { class: className, x: at(x + 8), y: at(y + dy) }, content);
  return svg(
    "g",
    { class: `node ${colourOf(stage)}${isResult ? " output" : ""}` },
    svg("title", {}, `${title}${of === undefined ? "" : `, of ${of}`}`),
    svg("rect", { x: at(x), y: at(y), width: at(width), height: at(height), rx: 5 }),
    text("label", 15, lines[0]),
    text("detail", 29, lines[1]),
  );
}

/** A place in pixels. */
const at = (x: number): string => `${Number(x.toFixed(1))}`;

const colourOf = (stage: number): string => (stage < 0 ? "no-stage" : `stage-${stage % COLOURS}`);
