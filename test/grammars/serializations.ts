/** Texts of a value, as programs usually write them. */

/** As Python's `json.dumps` writes it. */
function pythonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonText).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([name, one]) => `${pythonText(name)}: ${pythonText(one)}`)
      .join(", ")}}`;
  if (typeof value === "string")
    return JSON.stringify(value).replace(
      /[^\x20-\x7e]/g,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  return JSON.stringify(value);
}

export const usualTexts = (value: unknown): string[] => [
  JSON.stringify(value),
  JSON.stringify(value, null, 2),
  JSON.stringify(value, null, "\t"),
  pythonText(value),
];
