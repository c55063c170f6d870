/** The distribution stage by stage: probabilities before and after each, dropped and remaining tokens. */
import { h, short, svg } from "../dom.js";
import type { StageResult, StagesReply } from "../engine/messages.js";

const BAR = 12;
const HEIGHT = 96;
/** The lower end of the logarithmic scale: four more powers of ten would hide the relevant part. */
const SMALLEST = 1e-6;

export interface StagesPanel {
  /** @param texts known texts of tokens */
  show(reply: StagesReply, texts: ReadonlyMap<number, string>): void;
  readonly fail: (message: string) => void;
}

export function openStages(host: HTMLElement): StagesPanel {
  let latest: StagesReply | undefined;
  let texts: ReadonlyMap<number, string> = new Map();
  const nameOf = (token: number): string => {
    const text = texts.get(token);
    return text === undefined ? `${token}` : `${token} ${JSON.stringify(text)}`;
  };
  const logarithmic = h("input", { type: "checkbox", onchange: () => latest && draw(latest) });
  const status = h("p", { className: "status", role: "status" });
  const body = h("div", { className: "stages" });
  const legend = h(
    "p",
    { className: "legend" },
    h("span", { className: "key before", textContent: "before" }),
    h("span", { className: "key after", textContent: "after" }),
    h("span", { className: "key dropped", textContent: "dropped" }),
    h("span", { className: "key picked", textContent: "picked" }),
  );
  host.replaceChildren(
    h("div", { className: "bar" }, h("label", {}, logarithmic, " logarithmic scale"), legend),
    status,
    body,
  );

  const draw = (reply: StagesReply): void => {
    const [given, ...stages] = reply.stages;
    const toHeight = scaleFor(reply, logarithmic.checked);
    const drawn = stages.map((stage, i) => {
      const isLast = i === stages.length - 1;
      return stageOf(reply, reply.stages[i]!, stage, { toHeight, nameOf, picked: isLast ? reply.picked : undefined });
    });
    body.replaceChildren(
      ...(stages.length > 0 ? drawn : [stageOf(reply, given!, given!, { toHeight, nameOf, picked: undefined })]),
    );
  };

  return {
    show(reply, known) {
      latest = reply;
      texts = known;
      const picked = reply.picked === undefined ? "the chain picks no token" : `picks token ${nameOf(reply.picked)}`;
      status.textContent = [
        `on ${reply.backend}; ${picked}; ${reply.tokens.length} tokens shown; ${reply.compiled} graphs compiled so far`,
        ...(reply.stopped === undefined ? [] : [reply.stopped]),
      ].join(". ");
      status.classList.remove("fault");
      draw(reply);
    },
    fail(message) {
      status.textContent = message;
      status.classList.add("fault");
    },
  };
}

function scaleFor({ stages }: StagesReply, isLogarithmic: boolean): (prob: number) => number {
  const most = Math.max(...stages.map(({ probs }) => probs.reduce((a, b) => Math.max(a, b), 0)), SMALLEST);
  if (!isLogarithmic) return (prob) => (HEIGHT * prob) / most;
  const span = Math.log(most / SMALLEST) || 1;
  return (prob) => (prob <= SMALLEST ? 0 : (HEIGHT * Math.log(prob / SMALLEST)) / span);
}

/** How tokens are shown. */
interface View {
  readonly toHeight: (prob: number) => number;
  readonly nameOf: (token: number) => string;
  readonly picked: number | undefined;
}

function stageOf({ tokens }: StagesReply, before: StageResult, after: StageResult, view: View): HTMLElement {
  const rows = before.rows === after.rows ? `${after.rows} rows` : `${before.rows} → ${after.rows} rows`;
  const entropy = `${short(before.entropy)} → ${short(after.entropy)} bits`;
  return h(
    "article",
    { className: "stage" },
    h(
      "h3",
      {},
      h("code", { textContent: after.name }),
      h("span", { className: "rows", textContent: rows }),
      h("span", { className: "entropy", textContent: entropy }),
    ),
    h("div", { className: "plot" }, bars(tokens, before, after, view)),
    numbers(tokens, before, after, view),
  );
}

function bars(tokens: Int32Array, before: StageResult, after: StageResult, { toHeight, nameOf, picked }: View): Node {
  const groups = Array.from(tokens, (token, i) => {
    const [a, b] = [before.probs[i]!, after.probs[i]!];
    const isDropped = before.isKept[i] === 1 && after.isKept[i] === 0;
    const x = i * BAR;
    const bar = (kind: string, prob: number, inset: number): SVGElement => {
      const height = prob > 0 ? Math.max(1, toHeight(prob)) : 0;
      return svg("rect", { class: kind, x: x + inset, y: HEIGHT - height, width: BAR - 1 - 2 * inset, height });
    };
    const change =
      after.isKept[i] === 1 ? `${short(a)} → ${short(b)}` : isDropped ? `${short(a)}, dropped here` : "dropped before";
    return svg(
      "g",
      { class: isDropped ? "token dropped" : "token" },
      svg("title", {}, `token ${nameOf(token)}: ${change}${token === picked ? ", picked" : ""}`),
      svg("rect", { class: "hit", x, y: 0, width: BAR, height: HEIGHT + 8 }),
      bar("before", a, 0),
      bar("after", b, 2),
      ...(isDropped ? [svg("rect", { class: "gone", x: x + 2, y: HEIGHT + 2, width: BAR - 5, height: 3 })] : []),
      ...(token === picked ? [svg("path", { class: "pick", d: `M${x + BAR / 2} ${HEIGHT + 1}l4 6h-8z` })] : []),
    );
  });
  const width = tokens.length * BAR;
  const label = `${after.name}: ${before.rows} rows before, ${after.rows} after; the ${tokens.length} likeliest tokens`;
  const line = svg("line", { class: "axis", x1: 0, x2: width, y1: HEIGHT + 0.5, y2: HEIGHT + 0.5 });
  const attributes = {
    viewBox: `0 0 ${width} ${HEIGHT + 8}`,
    role: "img",
    "aria-label": label,
    preserveAspectRatio: "none",
  };
  return svg("svg", attributes, ...groups, line);
}

/** The same as a table, for screen readers and for exact numbers. */
function numbers(tokens: Int32Array, before: StageResult, after: StageResult, { nameOf }: View): HTMLElement {
  const table = h("table", {});
  const fill = (): void => {
    const head = h(
      "tr",
      {},
      ...["token", "before", "after"].map((textContent) => h("th", { textContent, scope: "col" })),
    );
    const rows = Array.from(tokens, (token, i) => {
      const cell = (x: number, isKept: number): string => (isKept === 1 ? x.toFixed(5) : "dropped");
      const cells = [nameOf(token), cell(before.probs[i]!, before.isKept[i]!), cell(after.probs[i]!, after.isKept[i]!)];
      return h("tr", {}, ...cells.map((textContent) => h("td", { textContent })));
    });
    table.replaceChildren(head, ...rows);
  };
  const details = h("details", {}, h("summary", { textContent: "numbers" }), h("div", { className: "scroll" }, table));
  // the table is built only when it is opened
  details.addEventListener("toggle", () => details.open && fill());
  return details;
}
