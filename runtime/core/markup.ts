/** Text in HTML and SVG. Text from a program or file never becomes markup. */

const ESCAPED: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** For element content and quoted attributes. Control characters, which XML forbids, become visible characters. */
export const escape = (text: string): string =>
  text
    .replace(/[&<>"']/g, (c) => ESCAPED[c]!)

    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd");

/** Markup that needs no escaping. */
export interface Markup {
  readonly markup: string;
}

const isMany = (part: Part): part is readonly Markup[] => Array.isArray(part);

type Part = string | number | Markup | readonly Markup[];

/** A template whose values are escaped, except for markup. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const rest = parts.map((part, i) => `${markupOf(part)}${strings[i + 1]}`);
  return { markup: `${strings[0]}${rest.join("")}` };
}

function markupOf(part: Part): string {
  if (typeof part === "string" || typeof part === "number") return escape(String(part));
  return isMany(part) ? part.map(({ markup }) => markup).join("") : part.markup;
}
