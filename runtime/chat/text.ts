/** Values as text: what Python's `str` gives, which templates are written for. The package writes JSON. */
import type { Value } from "./jinja.js";
import { isList, isObject, isText } from "./values.js";

export function textOf(value: Value): string {
  if (isText(value)) return value.value;
  if (value.type === "UndefinedValue") return "";
  return reprOf(value);
}

function reprOf(value: Value): string {
  if (isText(value)) return quoted(value.value);
  if (isList(value)) return `[${value.value.map(reprOf).join(", ")}]`;
  if (isObject(value)) {
    const entries = [...value.value].map(
      ([key, entry]) => `${typeof key === "number" ? key : quoted(key)}: ${reprOf(entry)}`,
    );
    return `{${entries.join(", ")}}`;
  }
  if (value.type === "BooleanValue") return value.value === true ? "True" : "False";
  return value.type === "NullValue" || value.type === "UndefinedValue" ? "None" : value.toString();
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };

/** In single quotes, unless only double ones save an escape. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";

  const inner = text.replace(/[\\\x00-\x1f\x7f]/g, (char) => ESCAPES[char] ?? `\\x${hex(char)}`);
  return `${quote}${quote === "'" ? inner.replaceAll("'", "\\'") : inner}${quote}`;
}

const hex = (char: string): string => char.charCodeAt(0).toString(16).padStart(2, "0");
