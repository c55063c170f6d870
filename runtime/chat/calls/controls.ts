/** Marks that are control tokens: their texts are no part of what a model writes. A character stands for each. */
import { fromBytes, textsOf, type Vocabulary } from "../../core/vocabulary.js";
import type { CallForm } from "./form.js";

export interface Control {
  readonly token: number;
  readonly text: string;
  /** Whether it ends texts. */
  readonly isEnd: boolean;
}

/** Characters that no text has: Unicode's noncharacters. */
const [FIRST_STAND_IN, LAST_STAND_IN] = [0xfdd0, 0xfdef];
const STAND_INS = /[\ufdd0-\ufdef]/g;

/**
 * Characters for the control tokens that some texts name, by token, with those that are given already. What ends texts is in none.
 */
export function standInsFor(
  literals: readonly string[],
  controls: readonly Control[],
  given: CallForm["marks"] = new Map(),
): Map<number, string> {
  const marks = new Map(given);
  const used = controls.filter(
    ({ token, text, isEnd }) =>
      !isEnd && text !== "" && !marks.has(token) && literals.some((one) => one.includes(text)),
  );
  for (const { token } of used.sort(longestFirst)) {
    if (FIRST_STAND_IN + marks.size > LAST_STAND_IN) break;
    marks.set(token, String.fromCharCode(FIRST_STAND_IN + marks.size));
  }
  return marks;
}

const longestFirst = (a: Control, b: Control): number => b.text.length - a.text.length;

/** Puts the characters of control tokens in place of their texts. */
export function standingIn(controls: readonly Control[], marks: CallForm["marks"]): (text: string) => string {
  const used = controls.filter(({ token }) => marks.has(token)).sort(longestFirst);
  return (text) => used.reduce((so, { token, text: of }) => so.replaceAll(of, marks.get(token)!), text);
}

/** A form with such characters in place of the texts of control tokens. */
export function withMarks(form: CallForm, controls: readonly Control[]): CallForm {
  const { segments, args } = form.item;
  const texts = segments.filter((one) => typeof one === "string");
  const marks = standInsFor([form.head, form.between ?? "", form.close, ...texts, ...args.literals], controls);
  const changed = standingIn(controls, marks);
  const mark = changed(form.mark);
  // a mark of one token is that of calls alone
  const beside = controls.filter(({ token, isEnd }) => !isEnd && marks.get(token) !== mark).map(({ token }) => token);
  return {
    ...form,
    head: changed(form.head),
    mark,
    beside,
    item: form.item.changed(changed),
    between: form.between === undefined ? undefined : changed(form.between),
    close: changed(form.close),
    marks,
  };
}

/** A text without characters that stand for control tokens. */
export const withoutMarks = (text: string): string => text.replace(STAND_INS, "");

/** A text as formats of structural tags: letters, and control tokens. */
export function formatsOf(text: string, marks: CallForm["marks"]): object[] {
  const tokens = new Map([...marks].map(([token, char]) => [char, token]));
  const formats: object[] = [];
  let letters = "";
  const flush = (): void => {
    if (letters !== "") formats.push({ type: "const_string", value: letters });
    letters = "";
  };
  for (const char of text) {
    const token = tokens.get(char);
    if (token === undefined) letters += char;
    else {
      flush();
      formats.push({ type: "grammar", grammar: `root ::= <[${token}]>` });
    }
  }
  flush();
  return formats;
}

/** The control tokens of a vocabulary that a template names. */
export function controlsIn(template: string, vocabulary: Vocabulary): Control[] {
  const { control = [], end = [] } = vocabulary.classes ?? {};
  const ends = new Set(end);
  const texts = textsOf(vocabulary);
  return [...new Set([...control, ...end])]
    .map((token) => ({ token, text: fromBytes(texts[token]!), isEnd: ends.has(token) }))
    .filter(({ text }) => text !== "" && template.includes(text));
}
