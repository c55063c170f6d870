/** Helpers that create elements. */
type Child = Node | string;

/** Properties and listeners (`onclick`) are set, names with a dash are attributes (`aria-label`). */
type Props<E> = { readonly [K in keyof E]?: E[K] } & Readonly<Record<`${string}-${string}`, string>>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props<HTMLElementTagNameMap[K]> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name.includes("-")) element.setAttribute(name, value as string);
    else Object.assign(element, { [name]: value });
  }
  element.append(...children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function svg(
  tag: string,
  attributes: Readonly<Record<string, string | number>> = {},
  ...children: readonly Child[]
): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** An element of the page itself. */
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element as E;
}

/** Calls `action` after `delay` milliseconds without another request. */
export function debounced(action: () => void, delay: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, delay);
  };
}

/** A number with few digits. */
export function short(x: number): string {
  if (x === 0 || !Number.isFinite(x)) return String(x).replace("Infinity", "∞");
  const size = Math.abs(x);
  return size >= 1e-3 && size < 1e6 ? String(Number(x.toPrecision(4))) : x.toExponential(2);
}
