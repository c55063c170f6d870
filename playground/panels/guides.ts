/** The prompts of a chain's guides, a field each. */
import { h } from "../dom.js";

export interface Guides {
  readonly element: HTMLElement;
  show(names: readonly string[]): void;
  readonly promptOf: (name: string) => string;
  /** Those of the guides that are shown, by name. */
  prompts(): Record<string, string>;
}

export function openGuides(onChange: () => void): Guides {
  const element = h("div", { className: "guides" });
  const fields = new Map<string, HTMLInputElement>();
  let shown: readonly string[] = [];

  /** A field keeps its text when its guide disappears from the program for a while. */
  function fieldOf(name: string): HTMLInputElement {
    const field = fields.get(name) ?? h("input", { type: "text", value: "In the beginning", onchange: onChange });
    field.setAttribute("aria-label", `Prompt of the guide ${name}`);
    fields.set(name, field);
    return field;
  }

  return {
    element,
    show(names) {
      shown = names;
      element.replaceChildren(
        ...names.map((name) =>
          h("label", {}, `prompt of the guide `, h("code", { textContent: name }), " ", fieldOf(name)),
        ),
      );
    },
    promptOf: (name) => fieldOf(name).value,
    prompts: () => Object.fromEntries(shown.map((name) => [name, fieldOf(name).value])),
  };
}
