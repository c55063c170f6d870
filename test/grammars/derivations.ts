/** Texts of small grammars, with the rules that each of their characters is in: all derivations, tried one by one. */

export type Part =
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "rule"; readonly name: string }
  | { readonly kind: "all" | "any"; readonly parts: readonly Part[] }
  | { readonly kind: "times"; readonly part: Part; readonly min: number; readonly max: number };

export interface Labelled {
  readonly text: string;
  /** By character. */
  readonly labels: readonly ReadonlySet<string>[];
}

const EMPTY: Labelled = { text: "", labels: [] };

const after = (before: Labelled, all: readonly Labelled[]): Labelled[] =>
  all.map(({ text, labels }) => ({ text: before.text + text, labels: [...before.labels, ...labels] }));

/** All texts of up to `longest` characters, each with every way to derive it, and the grammar as GBNF. */
export function listTexts(
  grammar: Readonly<Record<string, Part>>,
  longest: number,
): { readonly gbnf: string; readonly texts: readonly Labelled[] } {
  const textsOf = (part: Part, left: number): readonly Labelled[] => {
    if (left < 0) return [];
    switch (part.kind) {
      case "text":
        return part.value.length > left
          ? []
          : [{ text: part.value, labels: Array.from(part.value, () => new Set<string>()) }];
      case "rule":
        return textsOf(grammar[part.name]!, left).map(({ text, labels }) => ({
          text,
          labels: labels.map((names) => new Set([...names, part.name])),
        }));
      case "any":
        return part.parts.flatMap((one) => textsOf(one, left));
      case "all": {
        let found: readonly Labelled[] = [EMPTY];
        for (const one of part.parts)
          found = found.flatMap((before) => after(before, textsOf(one, left - before.text.length)));
        return found;
      }
      case "times": {
        let found: readonly Labelled[] = part.min === 0 ? [EMPTY] : [];
        let last: readonly Labelled[] = [EMPTY];
        for (let count = 1; count <= part.max; count++) {
          last = last.flatMap((before) => after(before, textsOf(part.part, left - before.text.length)));
          if (count >= part.min) found = [...found, ...last];
        }
        return found;
      }
    }
  };
  const gbnf = Object.entries(grammar).map(([name, part]) => `${name} ::= ${written(part)}`);
  return { gbnf: gbnf.join("\n"), texts: textsOf({ kind: "rule", name: "root" }, longest) };
}

function written(part: Part): string {
  switch (part.kind) {
    case "text":
      return JSON.stringify(part.value);
    case "rule":
      return part.name;
    case "all":
      return part.parts.map(written).join(" ");
    case "any":
      return `(${part.parts.map(written).join(" | ")})`;
    case "times":
      return `(${written(part.part)}){${part.min},${part.max}}`;
  }
}
