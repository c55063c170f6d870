/** The warning about a chain that does not run on its device as a whole. */
import { splitText, type Split } from "ggsl/backends/devices/place.js";
import { say } from "./terminal.js";

export function reportSplit(split: Split | undefined): void {
  if (split) say(`warning: ${splitText(split)}; --strict makes this an error\n`);
}
