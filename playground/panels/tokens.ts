/** A text, token by token: coloured by probability, each a button that shows the distribution at its place. */
import type { Token } from "ggsl/models/thread/messages.js";
import { h, short } from "../dom.js";
import { openCourse } from "./course.js";

export interface Tokens {
  readonly element: HTMLElement;
  /** The lines over time. */
  readonly course: HTMLElement;
  /** The tokens so far. */
  readonly tokens: readonly Token[];
  /** Starts again; the old tokens stay until new ones take their places. @param expected the maximum number of tokens */
  begin(prompt: string, expected: number): void;
  add(token: Token): void;
  end(summary: string): void;
  /** Marks the token whose place is shown; undefined for none. */
  choose(at: number | undefined): void;
  /** Marks the first token that another text does not have; undefined for none. */
  part(at: number | undefined): void;
}

/** The lower bound of probability of each colour, the likeliest first. */
const STEPS = [0.9, 0.5, 0.2, 0.05];

/** The legend of the colours. */
export const probabilityLegend = (of: string): HTMLElement =>
  h(
    "p",
    { className: "legend tokens-legend" },
    `${of} `,
    ...STEPS.map((least, i) => h("span", { className: `p${i}`, textContent: `≥${100 * least} %` })),
    h("span", { className: `p${STEPS.length}`, textContent: "less" }),
  );

/** @param onChoose called with the index of a token that the user chooses */
export function openTokens(title: string, heading: HTMLElement, onChoose: (at: number) => void): Tokens {
  const prompt = h("span", { className: "prompt" });
  const text = h("p", { className: "tokens", role: "group", "aria-label": `Text of ${title}, token by token` }, prompt);
  const summary = h("p", { className: "hint" });
  const course = openCourse(title);
  const element = h("div", { className: "side" }, heading, text, summary);
  let tokens: Token[] = [];
  const spans = (): HTMLElement[] => [...text.querySelectorAll<HTMLElement>(".token")];

  const choose = (at: number | undefined): void => {
    for (const [i, span] of spans().entries()) {
      span.classList.toggle("chosen", i === at);
      span.setAttribute("aria-pressed", String(i === at));
      span.tabIndex = i === (at ?? 0) ? 0 : -1;
    }
    if (at !== undefined) course.mark(at);
  };
  const chosenBy = (target: EventTarget | null): void => {
    const at = spans().findIndex((span) => span === target);
    if (at >= 0 && at < tokens.length) onChoose(at);
  };
  text.onclick = ({ target }) => chosenBy(target);
  // the arrow keys move between tokens, Tab moves to the next control
  text.onkeydown = (event) => {
    const all = spans();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const ways: Readonly<Record<string, number>> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: all.length - 1,
    };
    const next = all[ways[event.key] ?? (event.key === "Enter" || event.key === " " ? at : -1)];
    if (at < 0 || !next) return;
    event.preventDefault();
    next.focus();
    chosenBy(next);
  };

  return {
    element,
    course: course.element,
    get tokens() {
      return tokens;
    },
    begin(start, expected) {
      tokens = [];
      course.begin(expected);
      prompt.textContent = start;
      summary.textContent = "";
      for (const span of spans()) span.classList.add("old");
    },
    add(token) {
      const at = tokens.length;
      tokens = [...tokens, token];
      const present = spans()[at];
      const span = present ?? h("span", { role: "button", tabIndex: at === 0 ? 0 : -1, "aria-pressed": "false" });
      if (!present) text.append(span);
      fill(span, token);
      course.add(token);
    },
    end(message) {
      for (const span of spans().slice(tokens.length)) span.remove();
      summary.textContent = message;
    },
    choose,
    part(at) {
      for (const [i, span] of spans().entries()) {
        span.classList.toggle("parting", i === at);
        span.classList.toggle("shared", at === undefined || i < at);
      }
    },
  };
}

function fill(span: HTMLElement, { text, probability = 0, alternatives = [] }: Token): void {
  const step = STEPS.findIndex((least) => probability >= least);
  const isChosen = span.classList.contains("chosen");
  span.className = `token p${step < 0 ? STEPS.length : step}${isChosen ? " chosen" : ""}`;
  span.textContent = text;
  const others = alternatives.map((one) => `${visible(one.text)} ${short(one.probability)}`).join(", ");
  span.title = `${visible(text)} ${short(probability)}${others === "" ? "" : `; likeliest: ${others}`}`;
  span.setAttribute("aria-label", `${text.trim() || visible(text)}, probability ${short(probability)}`);
}

/** Makes spaces and line ends of a token visible. */
export const visible = (text: string): string => text.replaceAll(" ", "␣").replaceAll("\n", "⏎") || "∅";
