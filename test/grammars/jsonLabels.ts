/** What each character of a JSON text is part of, by a scanner. */
import type { Labelled } from "./derivations.js";

/** @param text valid JSON, without blanks where places of values matter */
export function labelledJson(text: string): Labelled {
  const labels = Array.from(text, () => new Set<string>());
  const open: { readonly name: "object" | "array"; readonly at: number }[] = [];
  const label = (name: string, from: number, to: number): void => {
    for (let i = from; i < to; i++) labels[i]!.add(name);
  };
  let isKey = false;
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at);
    const [word] = /^(?:"(?:[^"\\]|\\.)*"|-?[0-9.]+(?:[eE][-+]?[0-9]+)?|true|false|null|.)/s.exec(rest)!;
    const next = at + word.length;
    if (word.startsWith('"')) {
      label(isKey ? "key" : "string", at, next);
      label("characters", at + 1, next);
      isKey = false;
    } else if (/^[-0-9]/.test(word)) label("number", at, next);
    else if (/^[tfn]/.test(word)) label("literal", at, next);
    else if (word === "{" || word === "[") {
      open.push({ name: word === "{" ? "object" : "array", at });
      isKey = word === "{";
    } else if (word === "}" || word === "]") {
      const { name, at: from } = open.pop()!;
      label(name, from, next);
    } else if (word === ",") isKey = open.at(-1)!.name === "object";
    at = next;
  }
  return { text, labels };
}
