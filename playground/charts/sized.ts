/** A place for a chart, which is drawn as wide as the place is, so that its labels have the same size everywhere. */
import { h } from "../dom.js";

interface Sized {
  readonly element: HTMLElement;
  /** What is drawn is another. */
  redraw(): void;
}

/**
 * @param height in pixels; the place has it before the chart is drawn
 * @param draw gets the width, in pixels; undefined while there is nothing to draw
 */
export function sized(height: number, draw: (width: number) => SVGElement | undefined): Sized {
  const element = h("div", { className: "plot" });
  element.style.minHeight = `${height}px`;
  let width = 0;
  const redraw = (): void => {
    const drawing = width > 0 ? draw(width) : undefined;
    if (drawing) element.replaceChildren(drawing);
  };
  new ResizeObserver(() => {
    const present = Math.floor(element.clientWidth);
    if (present === width) return;
    width = present;
    redraw();
  }).observe(element);
  return { element, redraw };
}
