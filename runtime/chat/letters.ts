/**
 * Special tokens in messages. Only those that the template writes are read as such: a message that names one, such as `<|im_end|>`,
 * cannot end itself. While the template runs, the first character of such a text is another one, which the prompt has again.
 */
import { Cache } from "../core/cache.js";
import { invalid } from "../core/errors.js";

/** A prompt, and the places where the text of a special token is only letters. */
export interface Rendered {
  readonly text: string;
  readonly letters: readonly number[];
  readonly parts: readonly Part[];
}

/** A part of a prompt in which special tokens are read as such, or are letters. */
export interface Part {
  readonly from: number;
  readonly to: number;
  readonly special: boolean;
  /** The texts of the special tokens beside a part with letters. */
  readonly before?: string;
  readonly after?: string;
}

/** The text of a special token in a text. */
interface Mark {
  readonly at: number;
  readonly end: number;
}

interface Controls {
  /** Where their texts begin, also inside each other; of several at one place the longest. */
  readonly marksIn: (text: string) => Mark[];
}

/** The texts that begin with the same characters. */
interface Branch {
  readonly next: Map<number, Branch>;
  ends: boolean;
}

/** Where the longest text at a place ends; the place itself if there is none. */
function longestAt(tree: Branch, text: string, at: number): number {
  let end = at;
  let branch = tree.next.get(text.charCodeAt(at));
  for (let i = at + 1; branch; i++) {
    if (branch.ends) end = i;
    branch = i < text.length ? branch.next.get(text.charCodeAt(i)) : undefined;
  }
  return end;
}

/** Of the latest vocabularies. */
const known = new Cache<Controls>(8, 2 ** 24);

/** @param list the texts that only `special` reads as tokens, as JSON */
function controlsOf(list: string): Controls {
  const present = known.get(list);
  if (present) return present;
  const tree: Branch = { next: new Map(), ends: false };
  for (const text of JSON.parse(list) as readonly string[]) {
    let branch = tree;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      const next = branch.next.get(code) ?? { next: new Map(), ends: false };
      branch.next.set(code, next);
      branch = next;
    }
    if (text !== "") branch.ends = true;
  }
  const controls: Controls = {
    marksIn(text) {
      const marks: Mark[] = [];
      for (let at = 0; at < text.length; at++) {
        const end = longestAt(tree, text, at);
        if (end > at) marks.push({ at, end });
      }
      return marks;
    },
  };
  known.set(list, controls, list.length);
  return controls;
}

/** Plain data with another text for each text, names of members included. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [change(key), mapTexts(one, change)]));
}

/** Given to a template in place of messages and tools. */
interface Veiled<T> {
  readonly values: T;
  /** The prompt of what the template wrote. */
  readonly unveil: (text: string) => Rendered;
}

/**
 * @param list the texts that only `special` reads as tokens, as JSON
 * @param values messages and tools
 * @param others what else the template may write
 */
export function veil<T>(list: string, values: T, others: () => readonly unknown[]): Veiled<T> {
  const controls = controlsOf(list);
  const firsts = new Set<string>();
  const firstAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at)!);
  mapTexts(values, (text) => {
    for (const { at } of controls.marksIn(text)) firsts.add(firstAt(text, at));
    return text;
  });
  if (firsts.size === 0)
    return { values, unveil: (text) => ({ text, letters: [], parts: [{ from: 0, to: text.length, special: true }] }) };

  const free = freeCharacters(JSON.stringify([values, ...others()]), firsts.size);
  const veils = new Map([...firsts].map((first, i) => [first, free[i]!]));
  const veiled = mapTexts(values, (text) => {
    const parts: string[] = [];
    let done = 0;
    for (const { at } of controls.marksIn(text)) {
      const first = firstAt(text, at);
      parts.push(text.slice(done, at), veils.get(first)!);
      done = at + first.length;
    }
    return parts.join("") + text.slice(done);
  }) as T;
  // JSON in ASCII has them as escapes
  const originals = new Map([...veils].flatMap(([first, one]) => [one, escapeOf(one)].map((form) => [form, first])));
  const pattern = new RegExp([...originals.keys()].map((form) => form.replace("\\", "\\\\")).join("|"), "g");
  const unveil = (text: string): Rendered => {
    const letters: number[] = [];
    let shift = 0;
    const original = text.replace(pattern, (form, at: number) => {
      const first = originals.get(form)!;
      letters.push(at + shift);
      shift += first.length - form.length;
      return first;
    });
    return { text: original, letters, parts: partsOf(controls, original, letters) };
  };
  return { values: veiled, unveil };
}

const escapeOf = (char: string): string => `\\u${char.charCodeAt(0).toString(16)}`;

/** Characters for private use that a text does not contain, as themselves or as escapes. */
function freeCharacters(text: string, count: number): string[] {
  const found: string[] = [];
  for (let code = 0xe000; code <= 0xf8ff && found.length < count; code++) {
    const char = String.fromCharCode(code);
    if (!text.includes(char) && !text.includes(escapeOf(char))) found.push(char);
  }
  if (found.length === count) return found;
  throw invalid("the messages contain all characters for private use (U+E000 to U+F8FF): remove some of them");
}

/** The parts of a prompt in their order. */
function partsOf(controls: Controls, text: string, letters: readonly number[]): Part[] {
  if (letters.length === 0) return [{ from: 0, to: text.length, special: true }];
  const areLetters = new Set(letters);
  const marks = controls.marksIn(text).filter(({ at }) => !areLetters.has(at));
  const parts: Part[] = [];
  // a special token ends the text before it: what is between two of them becomes tokens alone
  let [done, next] = [0, 0];
  for (const letter of letters) {
    if (letter < done) continue;
    while (next < marks.length && marks[next]!.end <= letter) next++;
    const before = marks[next - 1];
    const after = markAfter(marks, next, letter);
    const [from, to] = [Math.max(done, before?.end ?? 0), after?.at ?? text.length];
    parts.push(
      { from: done, to: from, special: true },
      {
        from,
        to,
        special: false,
        ...(before && { before: text.slice(before.at, before.end) }),
        ...(after && { after: text.slice(after.at, after.end) }),
      },
    );
    done = to;
  }
  parts.push({ from: done, to: text.length, special: true });
  return parts;
}

/** The first mark from an index on that begins behind a place. */
function markAfter(marks: readonly Mark[], from: number, place: number): Mark | undefined {
  let index = from;
  while (index < marks.length && marks[index]!.at <= place) index++;
  return marks[index];
}
