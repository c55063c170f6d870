/** Ollama's Modelfile: one instruction per line; texts may be in single or triple quotation marks. */
import { ImportError, show } from "./notes.js";

interface Instruction {
  /** In capitals. */
  readonly name: string;
  /** The rest of the line, or what is before a text in triple quotation marks. */
  readonly text: string;
  /** The text in triple quotation marks. */
  readonly quoted?: string;
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
    const line = lines[i]!.trimStart();
    if (line === "" || line.startsWith("#")) continue;
    const place = `${name}:${i + 1}`;
    const [, word = "", rest = ""] = /^(\S+)\s*(.*)$/s.exec(line) ?? [];
    if (!INSTRUCTIONS.has(word.toUpperCase()))
      throw new ImportError(`${place}: expected an instruction (${[...INSTRUCTIONS].join(", ")}), found ${show(word)}`);
    const { last, ...texts } = readText(lines, i, rest, place);
    found.push({ name: word.toUpperCase(), ...texts, place });
    i = last;
  }
  return found;
}

/** Reads a text that begins in line `at` with `rest`; also returns the line in which it ends. */
function readText(
  lines: readonly string[],
  at: number,
  rest: string,
  place: string,
): Pick<Instruction, "text" | "quoted"> & { last: number } {
  const start = rest.indexOf(QUOTES);
  if (start < 0) return { text: rest.trimEnd(), last: at };
  const parts = [rest.slice(start + QUOTES.length)];
  let last = at;
  while (!parts.at(-1)!.includes(QUOTES)) {
    const next = lines[++last];
    if (next === undefined) throw new ImportError(`${place}: expected """ at the end of a text, found none`);
    parts.push(next);
  }
  const text = parts.join("\n");
  return { text: rest.slice(0, start).trimEnd(), quoted: text.slice(0, text.indexOf(QUOTES)), last };
}

/** `name value` of a PARAMETER, the value without its quotes. */
export function readParameter({ text, quoted, place }: Instruction): { key: string; value: string } {
  if (quoted !== undefined && /^\S+$/.test(text)) return { key: text.toLowerCase(), value: quoted };
  const [, key, value] = /^(\S+)\s+(.+)$/s.exec(text.trim()) ?? [];
  if (key === undefined || value === undefined)
    throw new ImportError(`${place}: expected a name and a value after PARAMETER, found ${show(text)}`);
  return { key: key.toLowerCase(), value: value.replace(/^"(.*)"$/s, "$1") };
}
