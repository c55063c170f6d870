/** docs/gallery.md, and its pictures: samplers of 2025 and 2026, each with its source, what it does to numbers, and its program. */
import { STD_SAMPLERS } from "@ggsl/compiler/std/samplers.js";
import { fill } from "../lib/markdown.js";
import { ENTRIES, type Entry } from "./gallery/entries.js";
import { exampleText, pictureOf } from "./gallery/shown.js";
import { codeOf } from "./std.js";

/** The sampler of a file, without its comment and its tests. */
function programOf({ name, isStd }: Entry): string {
  if (isStd) return codeOf(STD_SAMPLERS.find((sampler) => sampler.name === name)!);
  const text = exampleText(name);
  return text.slice(text.indexOf(`sampler ${name}(`)).trim();
}

const MOST_LINES = 15;

function sectionOf(entry: Entry): string {
  const { name, isStd, year, about, source, shown } = entry;
  const program = programOf(entry);
  const lines = program.split("\n").length;
  if (lines > MOST_LINES) throw new Error(`gallery: ${name} has ${lines} lines; at most ${MOST_LINES} are allowed`);
  const where = isStd
    ? `in [the standard library](std.md#${name})`
    : `[examples/gallery/${name}.ggsl](../examples/gallery/${name}.ggsl)`;
  return [
    `### ${name}`,
    `${about} ${year}: ${source}.`,
    `![${shown.caption}](pictures/gallery/${name}.svg)`,
    `\`${shown.call}\`: ${shown.caption}. ${lines} lines, ${where}:`,
    `\`\`\`ggsl\n${program}\n\`\`\``,
  ].join("\n\n");
}

/** The pictures by the path of their files. */
export const files = (): Readonly<Record<string, string>> =>
  Object.fromEntries(ENTRIES.map((entry) => [`docs/pictures/gallery/${entry.name}.svg`, pictureOf(entry)]));

export function page(): string {
  return fill("gallery.md", { count: `${ENTRIES.length}`, sections: ENTRIES.map(sectionOf).join("\n\n") });
}
