/** Ollama's Modelfile: one instruction per line; texts may be in single or triple quotation marks. */
import { ImportError, show } from "./notes.js";

export interface Instruction {
  /** In capitals. */
  readonly name: string;
  readonly text: string;
  readonly place: string;
}

const INSTRUCTIONS = new Set([
  "FROM",
  "PARAMETER",
  "TEMPLATE",
  "SYSTEM",
  "ADAPTER",
  "LICENSE",
  "MESSAGE",
  "PARSER",
  "RENDERER",
  "REQUIRES",
  "DRAFT",
]);
const QUOTES = '"""';

export function readModelfile(text: string, name: string): Instruction[] {
  const lines = text.split(/\r?\n/);
  const found: Instruction[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!.trim();
    if (line === "" || line.startsWith("#")) continue;
    const place = `${name}:${i + 1}`;
    const [, word = "", rest = ""] = /^(\S+)\s*(.*)$/s.exec(line) ?? [];
    if (!INSTRUCTIONS.has(word.toUpperCase()))
      throw new ImportError(`${place}: expected an instruction (${[...INSTRUCTIONS].join(", ")}), found ${show(word)}`);
    const { value, last } = readText(lines, i, rest, place);
    found.push({ name: word.toUpperCase(), text: value, place });
    i = last;
  }
  return found;
}

/** Reads a text that begins in line `at` with `rest`; also returns the line in which it ends. */
function readText(lines: readonly string[], at: number, rest: string, place: string): { value: string; last: number } {
  const start = rest.indexOf(QUOTES);
  if (start < 0) return { value: rest, last: at };
  const parts = [rest.slice(start + QUOTES.length)];
  let last = at;
  while (!parts.at(-1)!.includes(QUOTES)) {
    const next = lines[++last];
    if (next === undefined) throw new ImportError(`${place}: expected """ at the end of a text, found none`);
    parts.push(next);
  }
  const text = parts.join("\n");
  return { value: rest.slice(0, start) + text.slice(0, text.indexOf(QUOTES)), last };
}

/** `name value` of a PARAMETER, the value without its quotes. */
export function readParameter({ text, place }: Instruction): { key: string; value: string } {
  const [, key, value] = /^(\S+)\s+(.+)$/s.exec(text.trim()) ?? [];
  if (key === undefined || value === undefined)
    throw new ImportError(`${place}: expected a name and a value after PARAMETER, found ${show(text)}`);
  return { key: key.toLowerCase(), value: value.replace(/^"(.*)"$/s, "$1") };
}
