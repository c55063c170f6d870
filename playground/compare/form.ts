/** The inputs of the page. */
import { DEFAULTS, MOST } from "ggsl/compare/options.js";
import { MAX_SEED } from "@ggsl/compiler/graph/param.js";
import { h } from "../dom.js";
import type { Task } from "./messages.js";

interface Form {
  readonly element: HTMLElement;
  /** Throws an `Error` that tells what is wrong. */
  task(): Task;
  setRunning(isRunning: boolean): void;
  /** Replaces the chains, and the prompt. */
  set(chains: readonly string[], prompt?: string): void;
}

interface Actions {
  readonly start: () => void;
  readonly stop: () => void;
}

/** Different ways to truncate the same distribution. */
const FIRST = [
  "min_p(0.1) |> temp(1.5) |> dist()",
  "top_p(0.9) |> temp(1.5) |> dist()",
  "top_n_sigma(1) |> temp(1.5) |> dist()",
  "",
];

/** The page's model is small, and a browser slower than the command line. */
const TOKENS = 32;

/** @param firstTexts how many texts of each chain are asked for at first */
export function openForm({ start, stop }: Actions, firstTexts: number): Form {
  const fields = FIRST.map((text, i) =>
    h("textarea", {
      value: text,
      rows: 2,
      spellcheck: false,
      placeholder: "one more chain",
      "aria-label": `Chain ${i + 1}`,
    }),
  );
  const prompt = h("input", { type: "text", value: "In the beginning" });
  const number = (value: number, least: number, most: number): HTMLInputElement =>
    h("input", { type: "number", value: String(value), min: String(least), max: String(most), required: true });
  const texts = number(firstTexts, 1, MOST.texts);
  const tokens = number(TOKENS, 1, MOST.tokens);
  const seed = number(DEFAULTS.seed, 0, MAX_SEED);
  const compare = h("button", { type: "button", className: "main", textContent: "Compare" });
  const cancel = h("button", { type: "button", textContent: "Stop", disabled: true });
  compare.onclick = start;
  cancel.onclick = stop;
  prompt.onkeydown = ({ key }) => {
    if (key === "Enter" && !compare.disabled) start();
  };
  const element = h(
    "div",
    { className: "compare-form" },
    h("p", {
      className: "hint",
      textContent:
        "Each field has a pipeline of standard samplers, or a program, of which all chains that pick a token are compared; empty fields are left out.",
    }),
    h("div", { className: "chains" }, ...fields),
    h("label", { className: "wide" }, "prompt ", prompt),
    h(
      "div",
      { className: "bar" },
      h("label", {}, "texts of each chain ", texts),
      h("label", {}, "tokens of a text ", tokens),
      h("label", {}, "seed ", seed),
      h("div", { className: "buttons" }, compare, cancel),
    ),
  );
  return {
    element,
    task: () => ({
      programs: programsOf(fields),
      prompt: prompt.value,
      texts: countOf("texts", texts),
      tokens: countOf("tokens", tokens),
      seed: countOf("seed", seed),
    }),
    setRunning(isRunning) {
      [compare.disabled, cancel.disabled] = [isRunning, !isRunning];
    },
    set(chains, text) {
      for (const [i, field] of fields.entries()) field.value = chains[i] ?? "";
      if (text !== undefined) prompt.value = text;
    },
  };
}

function programsOf(fields: readonly HTMLTextAreaElement[]): string[] {
  const programs = fields.map(({ value }) => value).filter((text) => text.trim() !== "");
  if (programs.length === 0) throw new Error("There is no chain to compare: fill in a field.");
  return programs;
}

function countOf(name: string, { value, min, max }: HTMLInputElement): number {
  const count = Number(value);
  if (value.trim() === "" || !Number.isInteger(count) || count < Number(min) || count > Number(max))
    throw new Error(`${name}: expected an integer from ${min} to ${max}, found ${value || "nothing"}`);
  return count;
}
