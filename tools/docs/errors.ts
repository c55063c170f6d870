/** docs/errors.md: the classes and codes of errors, from runtime/core/errorCodes.ts. */
import { ERROR_CLASSES, ERROR_CODES } from "ggsl/core/errorCodes.js";
import { fill, table } from "../lib/markdown.js";

export function page(): string {
  const classes = Object.entries(ERROR_CLASSES).map(([name, about]) => [`\`${name}\``, about]);
  const codes = Object.entries(ERROR_CODES).map(([code, entry]) => [
    `\`${code}\``,
    entry.classes.map((name) => `\`${name}\``).join(", "),
    entry.when,
    entry.fix,
  ]);
  return fill("errors.md", {
    classes: table(["class", "about"], classes),
    codes: table(["code", "class", "when", "what to do"], codes),
  });
}
