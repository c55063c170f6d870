/**
 * Arguments in notations that are not JSON. What they are in general can not be read off one call: each is known by what it writes for a
 * probe, and comes from a template.
 */
import type { Tool } from "../messages.js";
import type { ArgumentsForm, Found } from "./form.js";
import { notationFormats, type Notation } from "./notationFormats.js";
import { skipBlanks } from "./json.js";
import { FIRST, SECOND, type Probe } from "./probes.js";

const NOTATIONS: readonly Notation[] = [
  {
    source: "google-gemma-4-31B-it.jinja",
    open: "{",
    close: "}",
    separator: ":",
    quotes: ['<|"|>', '"'],
    hasEscapes: false,
    isJsonInside: false,
  },
  {
    source: "LFM2.5-8B-A1B.jinja",
    open: "(",
    close: ")",
    separator: "=",
    quotes: ["'", '"'],
    hasEscapes: true,
    isJsonInside: true,
  },
];

/** The notation of arguments that a text has at a place, and where they end. */
export function notationAt(
  text: string,
  at: number,
  probe: Probe,
): { readonly end: number; readonly notation: Notation } | undefined {
  const { [FIRST]: first, [SECOND]: second } = probe.arguments;
  for (const notation of NOTATIONS) {
    const { open, close, separator, quotes } = notation;
    const written = [`${FIRST}${separator}${quotes[0]!}${first}${quotes[0]!}`, `${SECOND}${separator}${second}`];
    for (const comma of [",", ", "]) {
      const whole = `${open}${written.join(comma)}${close}`;
      if (text.startsWith(whole, at)) return { end: at + whole.length, notation };
    }
  }
  return undefined;
}

export const notationArguments = (notation: Notation): ArgumentsForm => ({
  literals: [],
  changed: () => notationArguments(notation),
  read(text, from) {
    const at = skipBlanks(text, from);
    if (at === text.length) return "open";
    if (!text.startsWith(notation.open, at)) return undefined;
    return readMembers({ text, notation }, at + 1, { close: notation.close, separator: notation.separator });
  },
  formats: (tool: Tool, options) => notationFormats(notation, tool, options),
});

/** JSON of a value as Python writes it; undefined if it is none. */
export function pythonJson(text: string): string | undefined {
  const found = readValue({ text: `${text}\n`, notation: NOTATIONS[1]! }, 0);
  return typeof found === "object" && found.end === text.length ? found.json : undefined;
}

interface Reading {
  readonly text: string;
  readonly notation: Notation;
}

type Json = Found<{ readonly json: string; readonly end: number }>;

interface Around {
  readonly close: string;
  readonly separator: string;
}

/** Members up to the closing bracket. */
function readMembers(reading: Reading, from: number, { close, separator }: Around): Json {
  const { text } = reading;
  const members: string[] = [];
  let at = skipBlanks(text, from);
  while (!text.startsWith(close, at)) {
    const name = readText(reading, at) ?? readName(text, at, separator);
    if (typeof name !== "object") return name;
    at = skipBlanks(text, name.end);
    if (at === text.length) return "open";
    if (!text.startsWith(separator, at)) return undefined;
    const value = readValue(reading, skipBlanks(text, at + separator.length));
    if (typeof value !== "object") return value;
    members.push(`${name.json}: ${value.json}`);
    at = skipBlanks(text, value.end);
    if (at === text.length) return "open";
    if (text[at] === ",") at = skipBlanks(text, at + 1);
    else if (!text.startsWith(close, at)) return undefined;
  }
  return { json: `{${members.join(", ")}}`, end: at + close.length };
}

function readName(text: string, at: number, separator: string): Json {
  const [name] = /^[\w$.-]*/.exec(text.slice(at, at + 256))!;
  if (at + name.length === text.length) return "open";
  return name === "" || !text.startsWith(separator, skipBlanks(text, at + name.length))
    ? undefined
    : { json: JSON.stringify(name), end: at + name.length };
}

function readValue(reading: Reading, at: number): Json {
  const { text } = reading;
  if (at === text.length) return "open";
  const found = readText(reading, at);
  if (found) return found;
  if (text[at] === "{") return readMembers(reading, at + 1, { close: "}", separator: ":" });
  if (text[at] === "[") return readItems(reading, at + 1);
  const [word] = /^[\w.+-]*/.exec(text.slice(at, at + 4096))!;
  if (at + word.length === text.length) return "open";
  const json = PYTHON[word] ?? word;
  return /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(json)
    ? { json, end: at + word.length }
    : undefined;
}

/** As Python writes them. */
const PYTHON: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" };

function readItems(reading: Reading, from: number): Json {
  const { text } = reading;
  const items: string[] = [];
  let at = skipBlanks(text, from);
  while (text[at] !== "]") {
    const value = readValue(reading, at);
    if (typeof value !== "object") return value;
    items.push(value.json);
    at = skipBlanks(text, value.end);
    if (at === text.length) return "open";
    if (text[at] === ",") at = skipBlanks(text, at + 1);
    else if (text[at] !== "]") return undefined;
  }
  return { json: `[${items.join(", ")}]`, end: at + 1 };
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** A text in quotation marks; undefined if there is none. */
function readText({ text, notation: { quotes, hasEscapes } }: Reading, from: number): Json {
  const quote = quotes.find((one) => text.startsWith(one, from));
  if (quote === undefined) {
    const rest = text.slice(from);
    return quotes.some((one) => rest.length < one.length && one.startsWith(rest)) ? "open" : undefined;
  }
  if (!hasEscapes) {
    const end = text.indexOf(quote, from + quote.length);
    return end < 0 ? "open" : { json: JSON.stringify(text.slice(from + quote.length, end)), end: end + quote.length };
  }
  let value = "";
  for (let at = from + quote.length; at < text.length;) {
    if (text.startsWith(quote, at)) return { json: JSON.stringify(value), end: at + quote.length };
    if (text[at] === "\\") {
      const [escape, code] = /^\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|[^])/.exec(text.slice(at, at + 6)) ?? ["\\"];
      if (escape === "\\") return "open";
      const hex = code ?? (escape.startsWith("\\u") ? escape.slice(2) : undefined);
      value +=
        hex === undefined || hex === "" ? (ESCAPES[escape[1]!] ?? escape[1]!) : String.fromCharCode(parseInt(hex, 16));
      at += escape.length;
    } else value += text[at++]!;
  }
  return "open";
}
