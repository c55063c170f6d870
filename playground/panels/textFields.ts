/** The controls of the panel of texts, and the lines that say how it goes. */
import { h } from "../dom.js";

export const MAX_TOKENS = 400;

export type TextFields = ReturnType<typeof openFields>;

/** The elements, which `arrange` puts on the page. */
export function openFields() {
  const prompt = h("input", { type: "text", value: "Now the king", "aria-label": "Prompt" });
  const count = h("input", { type: "number", value: "48", min: "1", max: String(MAX_TOKENS), "aria-label": "Tokens" });
  const against = h("textarea", { rows: 1, value: "top_k(40) |> temp(0.8) |> dist", spellcheck: false });
  against.setAttribute("aria-label", "Stages to compare with");
  const banned = h("textarea", { rows: 3, spellcheck: false });
  banned.setAttribute("aria-label", "Phrases that are not written, one a line");
  const phrases = h("details", {}, h("summary", { textContent: "phrases that are not written" }), banned);
  const go = h("button", { type: "button", className: "main", textContent: "Write" });
  const stop = h("button", { type: "button", textContent: "Stop", disabled: true });
  const file = h("input", { type: "file", accept: ".gguf", "aria-label": "Another model, a GGUF file" });
  const status = h("p", { className: "status", role: "status" });
  const progress = h("progress", { max: 1, value: 0, hidden: true, "aria-label": "Loading the model" });
  const partingLine = h("p", { className: "hint parting-line" });

  const say = (message: string, isFault = false): void => {
    status.textContent = message;
    status.classList.toggle("fault", isFault);
  };
  return {
    prompt,
    count,
    against,
    banned,
    /** What the field of phrases is in. */
    phrases,
    go,
    stop,
    file,
    status,
    progress,
    partingLine,
    say,
    fail(error: unknown): void {
      progress.hidden = true;
      say((error as Error).message, true);
    },
    /** Of a model that is being read, from 0 to 1. */
    showProgress(part: number): void {
      progress.hidden = part >= 1;
      progress.value = part;
      say(part < 1 ? `reading the model: ${Math.round(100 * part)} %` : "starting the model …");
    },
    /** Whether the texts are being written. */
    setRunning(isRunning: boolean): void {
      [go.disabled, stop.disabled] = [isRunning, !isRunning];
    },
  };
}

/** What is between the controls. */
interface Between {
  readonly guides: HTMLElement;
  readonly texts: readonly HTMLElement[];
  readonly legend: HTMLElement;
}

/** Puts the controls into the panel. @param takesFiles whether another model can be chosen */
export function arrange(
  host: HTMLElement,
  fields: TextFields,
  { guides, texts, legend }: Between,
  takesFiles: boolean,
): void {
  const { prompt, count, phrases, go, stop, file, progress, partingLine, status } = fields;
  const another = h("details", {}, h("summary", { textContent: "another model" }), h("label", {}, "GGUF file ", file));
  host.replaceChildren(
    h(
      "div",
      { className: "bar text-bar" },
      h("label", {}, "prompt ", prompt),
      h("label", {}, "tokens ", count),
      h("div", { className: "buttons" }, go, stop),
    ),
    guides,
    progress,
    h("div", { className: "sides" }, ...texts),
    h("div", { className: "bar under-text" }, legend, partingLine),
    h("div", { className: "bar under-text" }, status, phrases, ...(takesFiles ? [another] : [])),
  );
}
