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

/** A form with such characters in place of the texts of control tokens. */
export function withMarks(form: CallForm, controls: readonly Control[]): CallForm {
  const { segments, args } = form.item;
  const literals = [form.head, form.between ?? "", form.close, ...segments, ...args.literals];
  const used = controls
    .filter(
      ({ text, isEnd }) =>
        !isEnd && text !== "" && literals.some((one) => typeof one === "string" && one.includes(text)),
    )
    .sort((a, b) => b.text.length - a.text.length)
    .slice(0, LAST_STAND_IN - FIRST_STAND_IN + 1);
  const marks = new Map(used.map(({ token }, i) => [token, String.fromCharCode(FIRST_STAND_IN + i)]));
  const changed = (text: string): string =>
    used.reduce((so, { token, text: of }) => so.replaceAll(of, marks.get(token)!), text);
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
