/** The compiled graph: a drawing, its text, and what the optimizer removed. */
import { h, svg } from "../dom.js";
import type { DrawnNode, GraphReply, LayeredDrawing } from "../engine/messages.js";

const BOX = { width: 166, height: 34, gapX: 14, gapY: 18 };
/** The number of stage colours; further stages reuse them. */
const COLOURS = 8;
/** The maximum length of a box's second line. */
const DETAIL = 24;

export interface GraphPanel {
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
      body.replaceChildren(
        reply.drawing
          ? drawingOf(reply.drawing)
          : h("p", { className: "hint", textContent: "The graph is too large to be drawn; its text is below." }),
        details("Text", h("pre", { textContent: reply.text, tabIndex: 0 })),
        details("Text without the optimizer", h("pre", { textContent: reply.plainText, tabIndex: 0 })),
        details("What the optimizer removed", removedOf(reply)),
      );
    },
    fail(message) {
      status.textContent = message;
      status.classList.add("fault");
    },
  };
}

const details = (title: string, content: HTMLElement): HTMLElement =>
  h("details", {}, h("summary", { textContent: title }), h("div", { className: "scroll" }, content));

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

function drawingOf({ nodes, stages, layers, width }: LayeredDrawing): HTMLElement {
  const [stepX, stepY] = [BOX.width + BOX.gapX, BOX.height + BOX.gapY];
  const [totalX, totalY] = [width * stepX + BOX.gapX, layers * stepY + BOX.gapY];
  const left = ({ place }: DrawnNode): number => BOX.gapX + place * stepX;
  const top = ({ layer }: DrawnNode): number => BOX.gapY + layer * stepY;
  const edges = nodes.flatMap((node) =>
    node.inputs.map((from) => {
      const above = nodes[from]!;
      const [x1, y1] = [left(above) + BOX.width / 2, top(above) + BOX.height];
      const [x2, y2] = [left(node) + BOX.width / 2, top(node)];
      const bend = Math.max(8, (y2 - y1) / 2);
      return svg("path", { class: "edge", d: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}` });
    }),
  );
  const boxes = nodes.map((node) => {
    const [x, y] = [left(node), top(node)];
    const text = (className: string, dy: number, content: string): SVGElement =>
      svg("text", { class: className, x: x + 8, y: y + dy }, content);
    return svg(
      "g",
      { class: `node ${colourOf(node.stage)}${node.isOutput ? " output" : ""}` },
      svg("title", {}, `${node.label} ${node.detail}${node.stage < 0 ? "" : `, of ${stages[node.stage]!.name}`}`),
      svg("rect", { x, y, width: BOX.width, height: BOX.height, rx: 5 }),
      text("label", 14, node.label),
      text("detail", 28, cut(node.detail)),
    );
  });
  const picture = svg(
    "svg",
    {
      class: "graph",
      width: totalX,
      height: totalY,
      viewBox: `0 0 ${totalX} ${totalY}`,
      role: "img",
      "aria-label": `A graph of ${nodes.length} nodes; its text is below`,
    },
    ...edges,
    ...boxes,
  );
  const legend = h(
    "ul",
    { className: "legend stages-legend" },
    ...stages.map(({ name, nodes: count }, i) =>
      h("li", {}, h("span", { className: `swatch ${colourOf(i)}` }), h("code", { textContent: name }), ` ${count}`),
    ),
  );
  const frame = h("div", { className: "drawing scroll", tabIndex: 0, role: "group" }, picture);
  frame.setAttribute("aria-label", "Drawing of the graph, can be scrolled");
  return h("div", {}, legend, frame);
}

const colourOf = (stage: number): string => (stage < 0 ? "no-stage" : `stage-${stage % COLOURS}`);

const cut = (text: string): string => (text.length > DETAIL ? `${text.slice(0, DETAIL - 1)}…` : text);
