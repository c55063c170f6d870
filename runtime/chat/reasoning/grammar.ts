/** Grammars of texts that begin with a thought: what they ask for comes after it. */
import type { ThoughtOptions } from "../answer.js";
import { formatsOf, withoutMarks } from "../calls/controls.js";
import type { GrammarSource } from "../../grammars/types.js";
import type { ReasoningForm } from "./form.js";

/** What comes after a thought. */
interface AfterThought {
  readonly content?: object;
  /** In place of content. */
  readonly calls?: object;
}

/** The grammar of an answer, after a thought where there can be one. */
export function answerGrammar(after: AfterThought, thoughts: ThoughtOptions | undefined): GrammarSource {
  const { content, calls } = after;
  const formats = [...(content ? [content] : []), ...(calls ? [calls] : [])];
  return { structuralTag: thoughts ? afterThought(thoughts, after) : either(...formats) };
}

/** The format of a structural tag: a thought where one can come, then one of the formats. */
export function afterThought({ form, prompt }: ThoughtOptions, { content, calls }: AfterThought): object {
  const { open, close, next, marks, content: around } = form;
  const lettersOf = (text: string): readonly object[] => formatsOf(text, marks);
  const before = around.open.trim();
  const isMessage = next !== "" || isToken(before);
  const contents = (isNeeded: boolean): readonly object[] => {
    if (content === undefined) return [];
    if (!isMessage || before === "") return [content];
    const opened = sequence(...lettersOf(before), content);
    return isNeeded ? [opened] : [opened, content];
  };
  const called = (isAfter: boolean): readonly object[] => {
    if (calls === undefined) return [];
    // a recipient is a word of its own
    if (next !== "" && isAfter) return [sequence({ type: "regex", pattern: " ?" }, calls)];
    // calls may come after content that is empty
    return next === "" && isToken(before) ? [calls, sequence(...lettersOf(before), calls)] : [calls];
  };
  const begun = either(...contents(next !== ""), ...called(next !== ""));
  if (prompt === "closed" || prompt === "content") return either(...contents(false), ...called(next !== ""));
  const gap = next === "" ? [{ type: "regex", pattern: BLANKS }] : lettersOf(next);
  const thought = [...thoughtFormats(form, close.trim()), ...gap, begun];
  if (prompt === "open") return sequence(...thought);
  const thinking = sequence(...lettersOf(open.trim()), ...thought);
  return either(thinking, begun);
}

/** What models write between a thought and what comes after it. */
const BLANKS = "[ \\r\\n]{0,4}";

/** Any text, and what ends it. */
const thoughtFormats = ({ marks }: ReasoningForm, close: string): readonly object[] => [
  // control tokens do not come in text
  isToken(close) ? { type: "any_text" } : { type: "any_text", excludes: [close] },
  ...formatsOf(close, marks),
];

const isToken = (mark: string): boolean => mark !== "" && withoutMarks(mark[0]!) === "";

const sequence = (...elements: readonly object[]): object =>
  elements.length === 1 ? elements[0]! : { type: "sequence", elements };
const either = (...elements: readonly object[]): object =>
  elements.length === 1 ? elements[0]! : { type: "or", elements };
