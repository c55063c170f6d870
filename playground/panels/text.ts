/** Texts of two chains with the same prompt and seed, side by side: the program's, and one to compare with. */
import { h } from "../dom.js";
import { models } from "../model/source.js";
import type { Models, TextSoFar } from "../model/types.js";
import { openGuides } from "./guides.js";
import { openSides, type Side } from "./sides.js";
import { arrange, openFields, type TextFields } from "./textFields.js";
import { probabilityLegend } from "./tokens.js";
import { newWriting, type WritingOptions } from "./writing.js";

interface TextPanel {
  /** Writes again soon, if that costs nothing but this machine's time. */
  changed(): void;
  /** Writes again, at the user's wish. */
  write(): void;
  /** Shows a field for the prompt of each of the chain's guides. */
  showGuides(names: readonly string[]): void;
  prompt(): string;
  against(): string;
  /** The phrases that are not written, one a line. */
  banned(): string;
  /** Whether the program's text is that of an earlier one, because the present one has errors. */
  setOlder(isOlder: boolean): void;
  set(values: { readonly prompt?: string; readonly against?: string; readonly banned?: string }): void;
  /** The chosen place; undefined without a model. */
  place(): ChosenPlace | undefined;
}

/** A token of one of the texts: its index, and the text before it. */
export interface ChosenPlace {
  readonly side: Side;
  readonly at: number;
  readonly before: TextSoFar;
}

interface TextOptions extends WritingOptions {
  /** Called when the model is replaced or unloaded. */
  onModel(): void;
}

const NO_MODEL: TextPanel = {
  changed: () => undefined,
  write: () => undefined,
  showGuides: () => undefined,
  prompt: () => "",
  against: () => "",
  banned: () => "",
  setOlder: () => undefined,
  set: () => undefined,
  place: () => undefined,
};

export function openText(host: HTMLElement, courseHost: HTMLElement, options: TextOptions): TextPanel {
  const source = models;
  if (!source) {
    const say = (textContent: string): HTMLElement => h("p", { className: "hint", textContent });
    host.replaceChildren(
      say("This build of the page has no model module, so there is no text to show."),
      say("To build one: npm run build:wasm -- --llama, then npm run build:playground."),
    );
    return NO_MODEL;
  }
  return openTexts(source, host, courseHost, options);
}

function openTexts(source: Models, host: HTMLElement, courseHost: HTMLElement, options: TextOptions): TextPanel {
  const fields = openFields();
  const sides = openSides(fields.against, () => options.onPlace());
  const guides = openGuides(() => writing.changed());
  const writing = newWriting(source, fields, guides, sides, options);
  const legend = probabilityLegend(source.probabilities);
  const texts = sides.texts.map(({ element }) => element);
  arrange(host, fields, { guides: guides.element, texts, legend }, source.openFile !== undefined);
  courseHost.replaceChildren(...sides.texts.map(({ course }) => course));
  source.watch?.((part) => fields.showProgress(part));

  const { prompt, against, banned, phrases, go, stop, file } = fields;
  go.onclick = () => void writing.writeBoth();
  for (const field of [prompt, against] as readonly HTMLElement[])
    field.onkeydown = (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      void writing.writeBoth();
    };
  prompt.oninput = () => writing.changed();
  banned.oninput = () => writing.changed();
  against.onchange = () => writing.changed();
  stop.onclick = () => writing.stop();
  file.onchange = () => {
    const chosenFile = file.files?.[0];
    if (!chosenFile) return;
    writing.forget();
    void openFile(source, chosenFile, fields, () => writing.changed()).finally(() => options.onModel());
  };
  return {
    changed: () => writing.changed(),
    write: () => void writing.writeBoth(),
    prompt: () => prompt.value,
    against: () => against.value,
    banned: () => banned.value,
    setOlder: (isOlder) => sides.setOlder(isOlder),
    set(values) {
      if (values.prompt !== undefined) prompt.value = values.prompt;
      if (values.against !== undefined) against.value = values.against;
      if (values.banned !== undefined) banned.value = values.banned;
      if (values.banned) phrases.open = true;
    },
    place() {
      const { side, at } = sides.chosen();
      const tokens = sides.texts[side].tokens.slice(0, at);
      if (tokens.length < at) return undefined;
      return { side, at, before: { prompt: prompt.value, tokens, guides: side === 0 ? guides.prompts() : {} } };
    },
    showGuides: (names) => source.takesGuides && guides.show(names),
  };
}

/** Replaces the model by a file; `onLoaded` is called once it is there. */
function openFile(source: Models, file: File, { say }: TextFields, onLoaded: () => void): Promise<void> {
  say(`loading "${file.name}" …`);
  return source.openFile!(file).then(
    (message) => {
      say(message);
      onLoaded();
    },
    (error: unknown) => say(`${(error as Error).message}\nTexts are the demo model's again.`, true),
  );
}
