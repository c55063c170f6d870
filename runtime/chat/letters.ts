/**
 * Special tokens in messages. Only those that the template writes are read as such: a message that names one, such as `<|im_end|>`,
 * cannot end itself. While the template runs, the first character of such a text is another one, which the prompt has again.
 */
import { InputError, translated } from "../errors.js";
import type { NativeModel } from "../native/binding.js";
import { openTokensOf, tokenText } from "../prompt.js";

/** A prompt, and the places where the text of a special token is only letters. */
export interface Rendered {
  readonly text: string;
  readonly letters: readonly number[];
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

const known = new WeakMap<NativeModel, Controls>();

/** The texts that only `special` reads as tokens. */
function controlsOf(model: NativeModel): Controls {
  const present = known.get(model);
  if (present) return present;
  const unknown = model.info.metadata["tokenizer.ggml.unknown_token_id"];
  const classes = translated(() => model.classes());
  const tokens = [...classes.keys()].filter((token) => classes[token]! & 1 || String(token) === unknown);
  const texts = tokens.map((token) => tokenText(model, token));
  const byFirst = new Map<string, { readonly texts: Set<string>; readonly lengths: Set<number> }>();
  for (const text of texts.filter((one) => one !== "").sort((a, b) => b.length - a.length)) {
    const same = byFirst.get(text[0]!) ?? { texts: new Set(), lengths: new Set() };
    byFirst.set(text[0]!, same);
    same.texts.add(text);
    same.lengths.add(text.length);
  }
  const controls: Controls = {
    marksIn(text) {
      const marks: Mark[] = [];
      for (const [first, same] of byFirst)
        for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at + 1))
          for (const length of same.lengths) {
            if (!same.texts.has(text.slice(at, at + length))) continue;
            marks.push({ at, end: at + length });
            break;
          }
      return byFirst.size > 1 ? marks.sort((a, b) => a.at - b.at) : marks;
    },
  };
  known.set(model, controls);
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
export interface Veiled<T> {
  readonly values: T;
  /** The prompt of what the template wrote. */
  readonly unveil: (text: string) => Rendered;
}

/**
 * @param values messages and tools
 * @param others what else the template may write
 */
export function veil<T>(model: NativeModel, values: T, others: () => readonly unknown[]): Veiled<T> {
  const controls = controlsOf(model);
  const firsts = new Set<string>();
  const firstAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at)!);
  mapTexts(values, (text) => {
    for (const { at } of controls.marksIn(text)) firsts.add(firstAt(text, at));
    return text;
  });
  if (firsts.size === 0) return { values, unveil: (text) => ({ text, letters: [] }) };

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
    return { text: original, letters };
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
  throw new InputError("the messages contain all characters for private use (U+E000 to U+F8FF): remove some of them", {
    code: "INVALID_ARGUMENT",
  });
}

/** The tokens of a prompt, without a special token at its end. */
export function renderedTokens(model: NativeModel, { text, letters }: Rendered): Int32Array {
  if (letters.length === 0) return openTokensOf(model, text);
  const areLetters = new Set(letters);
  const marks = controlsOf(model)
    .marksIn(text)
    .filter(({ at }) => !areLetters.has(at));
  const parts: { readonly text: string; readonly special: boolean }[] = [];
  // a special token ends the text before it: what is between two of them becomes tokens alone
  let [done, next] = [0, 0];
  for (const letter of letters) {
    if (letter < done) continue;
    while (next < marks.length && marks[next]!.end <= letter) next++;
    const before = marks[next - 1];
    const after = marks.slice(next).find(({ at }) => at > letter);
    const [from, to] = [Math.max(done, before?.end ?? 0), after?.at ?? text.length];
    let plain = text.slice(from, to);
    if (before && takesBlanks(model, text.slice(before.at, before.end), "after")) plain = plain.trimStart();
    if (after && takesBlanks(model, text.slice(after.at, after.end), "before")) plain = plain.trimEnd();
    parts.push({ text: text.slice(done, from), special: true }, { text: plain, special: false });
    done = to;
  }
  parts.push({ text: text.slice(done), special: true });
  const tokens = parts.flatMap((part) => (part.text === "" ? [] : [...model.tokenize(part.text, false, part.special)]));
  const { addsBos, bos } = model.info;
  return Int32Array.from(addsBos && tokens[0] !== bos ? [bos, ...tokens] : tokens);
}

/** Some special tokens take the blanks beside them, as those of Phi 3 do. */
const takesBlanks = (model: NativeModel, text: string, where: "before" | "after"): boolean =>
  model.tokenize(where === "after" ? `${text} ` : ` ${text}`, false, true).length === 1;
