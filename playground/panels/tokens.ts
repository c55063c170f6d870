/** Generated text, token by token: coloured by probability, with the alternatives of each token, and plots below. */
import type { Token } from "ggsl/wasm/llama/messages.js";
import { h, short } from "../dom.js";
import { openCourse } from "./course.js";

export interface Tokens {
  readonly element: HTMLElement;
  /** @param expected the maximum number of tokens */
  begin(prompt: string, expected: number): void;
  add(token: Token): void;
  end(summary: string): void;
}

/** The lower bound of probability of each colour, the likeliest first. */
const STEPS = [0.9, 0.5, 0.2, 0.05];

/** The legend of the colours. */
export const probabilityLegend = (of: string): HTMLElement =>
  h(
    "p",
    { className: "legend tokens-legend" },
    `${of} `,
    ...STEPS.map((least, i) => h("span", { className: `p${i}`, textContent: `${least} and more` })),
    h("span", { className: `p${STEPS.length}`, textContent: "less" }),
  );

export function openTokens(title: string): Tokens {
  const text = h("p", { className: "tokens" });
  const detail = h("p", { className: "alternatives", "aria-live": "polite" });
  const summary = h("p", { className: "hint" });
  const course = openCourse();
  const heading = h("h3", { textContent: title });
  const element = h("div", { className: "side" }, heading, text, detail, summary, course.element);
  let count = 0;

  const show = (span: HTMLElement, at: number, { text: own, probability, alternatives = [] }: Token): void => {
    for (const other of text.querySelectorAll(".chosen")) other.classList.remove("chosen");
    span.classList.add("chosen");
    course.mark(at);
    const rows = alternatives.map((one) =>
      h(
        "span",
        { className: "alternative" },
        h("code", { textContent: visible(one.text) }),
        ` ${short(one.probability)}`,
      ),
    );
    detail.replaceChildren(h("strong", { textContent: visible(own) }), ` ${short(probability ?? 0)}: `, ...rows);
  };

  // the arrow keys move between tokens, Tab moves to the next control
  text.onkeydown = (event) => {
    const step = { ArrowRight: "nextElementSibling", ArrowLeft: "previousElementSibling" } as const;
    const way = step[event.key as keyof typeof step];
    const next = way && document.activeElement?.[way];
    if (!(next instanceof HTMLElement) || next.tabIndex === undefined || !next.classList.contains("token")) return;
    event.preventDefault();
    next.focus();
  };

  return {
    element,
    begin(prompt, expected) {
      count = 0;
      course.begin(expected);
      text.replaceChildren(h("span", { className: "prompt", textContent: prompt }));
      detail.replaceChildren();
      summary.textContent = "";
    },
    add(token) {
      const step = STEPS.findIndex((least) => (token.probability ?? 0) >= least);
      const at = count++;
      const span = h("span", {
        className: `token p${step < 0 ? STEPS.length : step}`,
        textContent: token.text,
        tabIndex: at === 0 ? 0 : -1,
        title: `${visible(token.text)} ${short(token.probability ?? 0)}`,
      });
      span.onfocus = () => show(span, at, token);
      span.onmouseenter = () => show(span, at, token);
      text.append(span);
      course.add(token);
    },
    end(message) {
      summary.textContent = message;
    },
  };
}

/** Makes spaces and line ends of a token visible. */
const visible = (text: string): string => text.replaceAll(" ", "␣").replaceAll("\n", "⏎") || "∅";
