/** Thoughts in the text of a model, piece by piece. */
import { withoutMarks } from "../calls/controls.js";
import { beginningAtEnd, literalEnd, sharedLength } from "../calls/literals.js";
import { joinedParts, type TextPart } from "../parts.js";
import type { PromptEnd, ReasoningForm } from "./form.js";

/**
 * Where a text is: at the beginning of an answer, or of a message of it; in a thought; after one; in content. A thought begins where an
 * answer or a message does, so a mark of thoughts inside content is content.
 */
type ReadingPhase = "begin" | "thought" | "after" | "content";

export class ReasoningReader {
  private held = "";
  private place: ReadingPhase;
  /** Whether the blanks that come now are between a thought and content. */
  private isAfterThought: boolean;
  /** Blanks in a thought that are its end unless more of it comes. */
  private blanks = "";
  private hasThought = false;
  /** What comes before the next text of a thought: thoughts of several messages are paragraphs. */
  private between = "";
  private readonly open: string;
  private readonly close: string;
  /** What the marks before thoughts and contents begin with, where these are messages. */
  private readonly header: string;

  /** @param prompt what the prompt of the text ends with */
  constructor(
    private readonly form: ReasoningForm,
    prompt: PromptEnd,
  ) {
    this.place = ({ open: "thought", closed: "after", free: "begin", content: "content" } as const)[prompt];
    this.isAfterThought = prompt === "closed";
    this.open = form.open.trim();
    this.close = form.close.trim();
    this.header = form.next === "" ? "" : sharedHeader(this.open, form.content.open.trim());
  }

  /** Whether the text goes on in a thought. */
  get isThinking(): boolean {
    return this.place === "thought";
  }

  /** Texts in which characters stand for control tokens. */
  push(text: string): readonly TextPart[] {
    this.held += text;
    const parts: TextPart[] = [];
    while (this.step(parts));
    return joinedParts(parts);
  }

  /** The end of the text: a thought that is not closed is one all the same. */
  flush(): readonly TextPart[] {
    const { held, place } = this;
    this.held = "";
    const parts: TextPart[] = [];
    if (place === "thought") {
      this.thought(parts, held, false);
      return parts;
    }
    const text = this.isAfterThought ? held.trimStart() : held;
    // the beginning of what comes between messages
    const isCut = place === "after" && [this.form.next, this.form.content.open].some((mark) => beginsIn(text, mark));
    if (!isCut) addContent(parts, text);
    return parts;
  }

  /** Reads on; false if more text is needed. */
  private step(parts: TextPart[]): boolean {
    if (this.held === "") return false;
    switch (this.place) {
      case "begin":
        return this.begin(parts);
      case "thought":
        return this.think(parts);
      case "after":
        return this.goOn(parts);
      case "content":
        return this.contents(parts);
    }
  }

  private begin(parts: TextPart[]): boolean {
    const text = this.held.trimStart();
    if (text === "") return false;
    const thought = startOf(text, this.open);
    const content = startOf(text, this.form.content.open.trim());
    if (typeof thought === "number") return this.enter("thought", text.slice(thought));
    if (typeof content === "number") return this.enter("content", text.slice(content));
    if (thought === "open" || content === "open") return false;
    const other = this.otherHeader(text);
    if (other === "open") return false;
    if (other !== undefined) return this.enter("content", other.rest);
    return this.readContent(parts);
  }

  /** What follows the mark before another message, as one to the user; undefined if there is none. */
  private otherHeader(text: string): { readonly rest: string } | "open" | undefined {
    if (this.header === "" || !text.startsWith(this.header)) return undefined;
    const [name] = /^[\w-]*\s*/.exec(text.slice(this.header.length))!;
    const rest = text.slice(this.header.length + name.length);
    if (rest === "") return "open";
    const end = /(?:<[^<>]*>|[\ufdd0-\ufdef])$/.exec(this.open)?.[0] ?? "";
    if (rest.startsWith(end)) return { rest: rest.slice(end.length) };
    return end.startsWith(rest) ? "open" : { rest };
  }

  private think(parts: TextPart[]): boolean {
    const at = this.held.indexOf(this.close);
    if (at < 0) {
      const kept = beginningAtEnd(this.held, this.close);
      const text = this.held.slice(0, this.held.length - kept);
      this.held = this.held.slice(text.length);
      this.thought(parts, text, true);
      return false;
    }
    this.thought(parts, this.held.slice(0, at).trimEnd(), true);
    this.blanks = "";
    if (this.hasThought) this.between = "\n\n";
    this.hasThought = false;
    this.isAfterThought = true;
    return this.enter("after", this.held.slice(at + this.close.length));
  }

  /** Text of a thought: blanks at its beginning and at its end are none. */
  private thought(parts: TextPart[], text: string, isOpen: boolean): void {
    const all = this.hasThought ? this.blanks + withoutMarks(text) : withoutMarks(text).trimStart();
    const shown = isOpen ? all.trimEnd() : all;
    this.blanks = all.slice(shown.length);
    if (shown === "") return;
    const before = this.between;
    this.between = "";
    this.hasThought = true;
    parts.push({ part: "reasoning", text: before + shown });
  }

  private goOn(parts: TextPart[]): boolean {
    const text = this.held.trimStart();
    if (text === "") return false;
    const next = startOf(text, this.form.next);
    if (typeof next === "number") return this.enter("begin", text.slice(next));
    const content = startOf(text, this.form.content.open.trim());
    if (typeof content === "number") return this.enter("content", text.slice(content));
    // a prompt may end a thought that a model begins again
    const again = startOf(text, this.open);
    if (typeof again === "number") return this.enter("thought", text.slice(again));
    if ([next, content, again].includes("open")) return false;
    return this.readContent(parts);
  }

  private readContent(parts: TextPart[]): boolean {
    const text = this.isAfterThought ? this.held.trimStart() : this.held;
    return this.enter("content", text) && this.contents(parts);
  }

  /** Content, up to the next message where there are such. */
  private contents(parts: TextPart[]): boolean {
    const { next } = this.form;
    const at = next === "" ? -1 : this.held.indexOf(this.close);
    if (at < 0) {
      const kept = next === "" ? 0 : beginningAtEnd(this.held, this.close);
      addContent(parts, this.taken(this.held.length - kept));
      return false;
    }
    const end = literalEnd(this.held, at, this.close + next);
    if (end === "open") {
      addContent(parts, this.taken(at));
      return false;
    }
    if (end === undefined) {
      addContent(parts, this.taken(at + 1));
      return true;
    }
    addContent(parts, this.held.slice(0, at));
    return this.enter("begin", this.held.slice(end));
  }

  private enter(place: ReadingPhase, rest: string): true {
    this.place = place;
    this.held = rest;
    return true;
  }

  private taken(length: number): string {
    const text = this.held.slice(0, length);
    this.held = this.held.slice(length);
    return text;
  }
}

/** Where a mark ends that a text begins with; undefined for another text, and for an empty mark. */
const startOf = (text: string, mark: string): number | "open" | undefined =>
  mark === "" ? undefined : literalEnd(text, 0, mark);

const beginsIn = (text: string, mark: string): boolean =>
  mark !== "" && text !== "" && literalEnd(text, 0, mark) === "open";

function addContent(parts: TextPart[], text: string): void {
  if (text !== "") parts.push({ part: "content", text });
}

/** What two marks begin with, up to the last of its own marks, or a `=`. */
function sharedHeader(a: string, b: string): string {
  const shared = a.slice(0, sharedLength(a, b));
  return /^.*[>\]=\ufdd0-\ufdef]/s.exec(shared)?.[0] ?? "";
}
