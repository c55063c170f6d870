/** The form of thoughts of a template, read off what it renders. */
import { standingIn, standInsFor, type Control } from "../calls/controls.js";
import type { CallForm } from "../calls/form.js";
import { markAround, sharedLength } from "../calls/literals.js";
import type { Render } from "../calls/probes.js";
import type { ReasoningForm, ReasoningTexts } from "./form.js";
import { KNOWN } from "./known.js";
import { CONTENT, renderings, type Renderings } from "./probes.js";

/** What a template is, beside what it renders. */
interface ReasoningTemplate {
  /** The texts of the model's templates. */
  readonly source: string;
  /** The control tokens that they name. */
  readonly controls?: readonly Control[];
  /** The form of calls, whose marks are the same. */
  readonly calls?: Pick<CallForm, "marks"> | undefined;
}

/** Undefined for a template that says nothing of thoughts. Rejects as `render` does. */
export async function findReasoning(
  render: Render,
  { source, controls = [], calls }: ReasoningTemplate,
): Promise<ReasoningForm | undefined> {
  const known = KNOWN.find(({ sign }) => source.includes(sign));
  const found = known
    ? { open: known.open, close: known.close, next: "", content: known.content }
    : readOff(await renderings(render), source, controls);
  return found && withMarks(found, controls, calls?.marks);
}

function withMarks(
  letters: ReasoningTexts,
  controls: readonly Control[],
  given: CallForm["marks"] | undefined,
): ReasoningForm {
  const { open, close, next, content } = letters;
  const marks = standInsFor([open, close, next, content.open, content.close], controls, given);
  const changed = standingIn(controls, marks);
  return {
    open: changed(open),
    close: changed(close),
    next: changed(next),
    content: { open: changed(content.open), close: changed(content.close) },
    letters,
    marks,
  };
}

function readOff(rendered: Renderings, source: string, controls: readonly Control[]): ReasoningTexts | undefined {
  const { thought, prompts, before: plain } = rendered;
  if (!thought) return inPrompt(prompts, source);
  const mark = MARK.exec(thought.after)?.[0];
  if (mark === undefined) return undefined;
  const { open, head } = openIn(thought.before, mark.trim(), rendered);
  if (open === undefined) return undefined;
  const blanks = /^\s*/.exec(thought.after.slice(mark.length))![0];
  const own = withoutThought(plain.slice(sharedLength(plain, thought.before.slice(0, head))), open, mark);
  const at = thought.after.indexOf(CONTENT);
  // what comes between a thought and the content, beside what comes before any content
  const between = at < 0 ? own : thought.after.slice(mark.length, at).trim();
  const next = between.endsWith(own) ? between.slice(0, between.length - own.length).trim() : "";
  const content = next === "" && own === "" ? between : own;
  return {
    open,
    close: mark + blanks,
    next,
    content: { open: content, close: content === "" ? "" : upToEnd(rendered.after, controls) },
  };
}

/** The mark after a thought. */
const MARK = /^\s*(?:<[^<>]*>|\[[^[\]]*\])/;

/** What comes before a thought, and where it begins: after what any answer has there. */
function openIn(
  before: string,
  mark: string,
  { prompts, before: plain }: Renderings,
): { readonly open: string | undefined; readonly head: number } {
  // a prompt that adds to the question is left out
  const others = [...prompts.filter((text) => sharedLength(text, prompts[0]!) > 0), plain];
  const shared = others.reduce((least, text) => Math.min(least, sharedLength(before, text)), before.length);
  const head = markAround(before, shared) ?? shared;
  const open = before.slice(head);
  if (open.trim() !== "") return { open: open.trimStart(), head };
  // any answer has the mark: an empty thought, or the prompt begins one
  const pair = pairOf(mark);
  const at = pair === undefined ? -1 : before.lastIndexOf(pair);
  if (at >= 0 && before.slice(at + pair!.length).trim() === "") return { open: before.slice(at), head: at };
  // the prompt alone has it
  const begun = prompts.map((text) => text.slice(head)).find((text) => text.trim() !== "");
  return { open: begun?.trimStart(), head };
}

/** `<x>` of `</x>`, `[X]` of `[/X]`, `<|START_X|>` of `<|END_X|>`. */
function pairOf(mark: string): string | undefined {
  if (/^[<[]\//.test(mark)) return mark[0]! + mark.slice(2);
  return mark.includes("END_") ? mark.replace("END_", "START_") : undefined;
}

/** What comes before content, without an empty thought. */
function withoutThought(text: string, open: string, close: string): string {
  const without = (given: string, part: string): string =>
    given.startsWith(part) ? given.slice(part.length).trim() : given;
  return without(without(text.trim(), open.trim()), close.trim());
}

const upToEnd = (text: string, controls: readonly Control[]): string =>
  controls.reduce((rest, { text: end, isEnd }) => (isEnd ? rest.split(end, 1)[0]! : rest), text).trim();

/** Templates that leave thoughts out of histories: the prompt begins one, or the template looks for the mark after one. */
function inPrompt(prompts: readonly string[], source: string): ReasoningTexts | undefined {
  for (const prompt of prompts) {
    const [open, angled, bracketed] = OPEN.exec(prompt) ?? [];
    const close = angled === undefined ? `[/${bracketed}]` : `</${angled}>`;
    if (open !== undefined && source.includes(close)) return plainForm(open, close);
  }
  const [close, angled, bracketed] = CLOSE.exec(source) ?? [];
  return close === undefined ? undefined : plainForm(angled === undefined ? `[${bracketed}]` : `<${angled}>`, close);
}

const OPEN = /(?:<((?:\w+:)?(?:think|thinking|thoughts?|reasoning))>|\[(THINK)\])\s*$/;
const CLOSE = /<\/((?:\w+:)?(?:think|thinking|thoughts?|reasoning))>|\[\/(THINK)\]/;

const plainForm = (open: string, close: string): ReasoningTexts => ({
  open,
  close,
  next: "",
  content: { open: "", close: "" },
});
