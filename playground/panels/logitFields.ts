/** The controls of the panel that chooses the logits. */
import { InputError, invalid } from "ggsl/core/errors.js";
import { h } from "../dom.js";
import { models } from "../model/source.js";
import { MAX_SIZE, MIN_SIZE, SHAPES, type LogitSource, type Shape } from "../state/source.js";

const TITLES: Readonly<Record<Shape, string>> = {
  peaked: "peaked: one token far ahead",
  zipf: "Zipf: like words of a language",
  flat: "flat: hardly any difference",
};

/** The maximum number of tokens of history. */
const MAX_HISTORY = 100_000;

interface LogitFields {
  /** Whether the logits are the model's. */
  readonly isModel: () => boolean;
  /** @param prompt the text's beginning */
  source(prompt: () => string): LogitSource;
  /** The tokens so far. Throws `InputError`. */
  history(): number[];
  /** The texts of tokens, as they are written. */
  texts(): string;
  /** Throws `InputError` for what this build does not have. */
  set(source: LogitSource, texts: string): void;
  /** Shows a fault; none if it is empty. */
  complain(fault: string): void;
}

export function openLogitFields(host: HTMLElement, onChange: () => void): LogitFields {
  const kind = h(
    "select",
    {
      onchange: () => {
        arrange();
        onChange();
      },
      "aria-label": "Logits from",
    },
    ...(models ? [h("option", { value: "model", textContent: models.nextTitle })] : []),
    ...SHAPES.map((shape) => h("option", { value: shape, textContent: TITLES[shape] })),
    h("option", { value: "logits", textContent: "a list of logits" }),
    h("option", { value: "probs", textContent: "a list of probabilities" }),
  );
  kind.value = models ? "model" : "zipf";
  const size = h("input", { type: "number", value: "500", step: "1", oninput: onChange });
  Object.assign(size, { min: String(MIN_SIZE), max: String(MAX_SIZE) });
  const sizeRow = h("label", {}, "tokens in the vocabulary ", size);
  const list = h("textarea", { rows: 4, spellcheck: false, placeholder: "0.4, 0.3, 0.2, 0.1", oninput: onChange });
  const listRow = h("label", { hidden: true }, "numbers, one for each token ", list);
  const past = h("input", { type: "text", placeholder: "none", oninput: onChange });
  const pastRow = h("label", {}, "tokens so far ", past);
  const words = h("textarea", { rows: 3, spellcheck: false, placeholder: "a text on each line", oninput: onChange });
  const wordsRow = h(
    "details",
    {},
    h("summary", { textContent: "texts of the tokens" }),
    h("label", {}, "vocabulary ", words),
  );
  const fault = h("p", { className: "fault", role: "alert" });
  host.replaceChildren(h("label", {}, "from ", kind), sizeRow, listRow, pastRow, wordsRow, fault);

  const isList = (): boolean => kind.value === "logits" || kind.value === "probs";
  const isModel = (): boolean => kind.value === "model";
  function arrange(): void {
    sizeRow.hidden = isList() || isModel();
    pastRow.hidden = isModel();
    listRow.hidden = !isList();
  }
  arrange();
  return {
    isModel,
    source: (prompt) =>
      isModel()
        ? { kind: "model", prompt: prompt() }
        : isList()
          ? { kind: "list", text: list.value, are: kind.value as "logits" | "probs" }
          : { kind: "shape", shape: kind.value as Shape, size: size.value === "" ? NaN : Number(size.value) },
    history: () => readHistory(past.value),
    texts: () => words.value,
    set(given, texts) {
      if (given.kind === "model" && !models)
        throw new InputError("the link needs a model, which this build does not have", { code: "MODULE_UNAVAILABLE" });
      words.value = texts;
      wordsRow.open = texts !== "";
      kind.value = given.kind === "model" ? "model" : given.kind === "list" ? given.are : given.shape;
      if (given.kind === "list") list.value = given.text;
      else if (given.kind === "shape") size.value = String(given.size);
      arrange();
    },
    complain: (message) => (fault.textContent = message),
  };
}

function readHistory(text: string): number[] {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== "");
  if (parts.length > MAX_HISTORY)
    throw new InputError(`at most ${MAX_HISTORY} tokens so far are allowed`, { code: "LIMIT_EXCEEDED" });
  const bad = parts.findIndex((part) => !/^\d{1,8}$/.test(part));
  if (bad >= 0)
    throw invalid(
      `"${parts[bad]!.slice(0, 40)}" among the tokens so far is not a token id: expected a non-negative integer`,
    );
  return parts.map(Number);
}
