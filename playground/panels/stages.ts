/** What the chain makes of the distribution: the likeliest tokens by name, and a picture of each stage. */
import { bars, type TokenChange } from "../charts/bars.js";
import { namedBars } from "../charts/named.js";
import { rankPlot } from "../charts/ranks.js";
import { h } from "../dom.js";
import type { StageResult, StagesReply } from "../engine/messages.js";
import { numbersOf } from "./numbers.js";
import { greatest } from "@ggsl/compiler/core/extremes.js";

interface StagesPanel {
  /** @param texts known texts of tokens */
  show(reply: StagesReply, texts: ReadonlyMap<number, string>): void;
  /** Says where the distribution is from. */
  place(where: string): void;
  readonly fail: (message: string) => void;
}

/** How many tokens have a name. */
const NAMED = 11;

export function openStages(host: HTMLElement): StagesPanel {
  let latest: StagesReply | undefined;
  let texts: ReadonlyMap<number, string> = new Map();
  /** The stage whose tokens are named; undefined for the whole chain. */
  let chosen: number | undefined;
  const nameOf = (token: number): string => {
    const text = texts.get(token);
    return text === undefined ? `${token}` : `${token} ${JSON.stringify(text)}`;
  };
  const where = h("p", { className: "hint where" });
  const asBars = h("input", { type: "checkbox", onchange: () => latest && draw(latest) });
  const status = h("p", { className: "status", role: "status" });
  const whole = h("div", { className: "whole" });
  const each = h("div", { className: "stages" });
  const legend = h(
    "ul",
    { className: "legend" },
    ...["before", "after", "dropped", "picked"].map((name) => h("li", { className: `key ${name}`, textContent: name })),
  );
  host.replaceChildren(
    where,
    h("div", { className: "bar" }, legend, h("label", {}, asBars, " the likeliest as bars")),
    h("div", { className: "distributions" }, whole, each),
    status,
  );

  const draw = (reply: StagesReply): void => {
    const { stages } = reply;
    const last = stages.length - 1;
    if (chosen !== undefined && chosen > last) chosen = undefined;
    const picked = (to: number): number | undefined => (to === last ? reply.picked : undefined);
    const change = (from: number, to: number): TokenChange[] =>
      changesOf(reply, stages[from]!, stages[to]!, picked(to), nameOf);
    const [from, to] = chosen === undefined ? [0, last] : [chosen - 1, chosen];
    whole.replaceChildren(...wholeOf(change(from, to), stages[from]!, stages[to]!, chosen, () => choose(undefined)));
    const most = mostOf(reply);
    each.replaceChildren(
      ...stages.slice(1).map((stage, i) => {
        const before = stages[i]!;
        const label = labelOf(before, stage);
        const [rowsBefore, rows] = [before.rows, stage.rows];
        const ranked = { ranks: reply.ranks, before: before.byRank, after: stage.byRank, rowsBefore, rows };
        const picture = asBars.checked ? bars(change(i, i + 1), most, label) : rankPlot(ranked, `${label}, by rank`);
        return stageOf(before, stage, picture, chosen === i + 1, () => choose(i + 1));
      }),
    );
  };
  const choose = (stage: number | undefined): void => {
    chosen = chosen === stage ? undefined : stage;
    if (!latest) return;
    draw(latest);
    // the buttons are new
    const button = each.querySelectorAll<HTMLElement>("h3 button")[(stage ?? 0) - 1];
    (stage === undefined ? whole.querySelector<HTMLElement>("h3") : button)?.focus();
  };

  return {
    show(reply, known) {
      latest = reply;
      texts = known;
      const picked = reply.picked === undefined ? "The chain picks no token" : `Picks token ${nameOf(reply.picked)}`;
      status.textContent = [
        `${picked}; computed on ${reply.backend}`,
        ...(reply.stopped === undefined ? [] : [reply.stopped]),
      ].join(". ");
      // for tests: a slider compiles nothing
      host.dataset["compiled"] = `${reply.compiled}`;
      status.classList.remove("fault");
      draw(reply);
    },
    place: (text) => (where.textContent = text),
    fail(message) {
      status.textContent = message;
      status.classList.add("fault");
    },
  };
}

const mostOf = ({ stages }: StagesReply): number =>
  greatest(
    stages.map(({ probs }) => greatest(probs)),
    1e-6,
  );

function changesOf(
  { tokens }: StagesReply,
  before: StageResult,
  after: StageResult,
  picked: number | undefined,
  nameOf: (token: number) => string,
): TokenChange[] {
  return Array.from(tokens, (token, i) => ({
    name: nameOf(token),
    before: before.probs[i]!,
    after: after.probs[i]!,
    wasKept: before.isKept[i] === 1,
    isKept: after.isKept[i] === 1,
    isPicked: token === picked,
  }));
}

const labelOf = (before: StageResult, after: StageResult): string =>
  `${after.name}: ${rowsText(before, after)}, ${bitsText(before, after)}`;

const rowsText = (before: StageResult, after: StageResult): string =>
  `${before.rows === after.rows ? "" : `${before.rows} → `}${after.rows} ${after.rows === 1 ? "token" : "tokens"}`;

const bitsText = (before: StageResult, after: StageResult): string =>
  `${Number(before.entropy.toPrecision(2))} → ${Number(after.entropy.toPrecision(2))} bits`;

/** The named tokens are the likeliest, and the picked one. */
function wholeOf(
  changes: readonly TokenChange[],
  before: StageResult,
  after: StageResult,
  chosen: number | undefined,
  onWhole: () => void,
): Node[] {
  const weight = ({ before: a, after: b, isPicked }: TokenChange): number => (isPicked ? 2 : Math.max(a, b));
  const least = changes.map(weight).sort((a, b) => b - a)[NAMED - 1] ?? 0;
  const named = changes.filter((change) => weight(change) >= least).slice(0, NAMED);
  const most = greatest(
    named.map((change) => Math.max(change.before, change.after)),
    1e-6,
  );
  const title = chosen === undefined ? "before and after the chain" : `before and after ${after.name}`;
  const label = `${title}: ${rowsText(before, after)}; the table of numbers follows`;
  // without the token ids, which the names of the table and of the tooltips have
  const drawn = named.map((change) => ({ ...change, name: change.name.replace(/^\d+ /, "") }));
  const heading = h("h3", { textContent: chosen === undefined ? "The next token" : after.name, tabIndex: -1 });
  const back = h("button", { type: "button", className: "link", textContent: "whole chain", onclick: onWhole });
  return [
    h("div", { className: "bar" }, heading, ...(chosen === undefined ? [] : [back])),
    h("p", { className: "facts", textContent: `${rowsText(before, after)}, ${bitsText(before, after)}` }),
    namedBars(drawn, most, label),
    numbersOf(changes),
  ];
}

function stageOf(
  before: StageResult,
  after: StageResult,
  picture: HTMLElement,
  isChosen: boolean,
  onChoose: () => void,
): HTMLElement {
  const button = h("button", { type: "button", className: "link", textContent: after.name, onclick: onChoose });
  button.title = "Show the tokens before and after this stage";
  button.setAttribute("aria-pressed", String(isChosen));
  return h(
    "article",
    { className: isChosen ? "stage chosen" : "stage" },
    h("h3", {}, button),
    h("p", { className: "facts", textContent: `${rowsText(before, after)}, ${bitsText(before, after)}` }),
    picture,
  );
}
