/** The panel that chooses the logits. */
import { InputError } from "ggsl/errors.js";
import { h } from "../dom.js";
import type { NextToken } from "../model/next.js";
import { models } from "../model/source.js";
import { notify } from "../notices.js";
import { logitsOf, MAX_SIZE, MIN_SIZE, SHAPES, type LogitSource, type Shape } from "../state/source.js";
import { readVocabulary } from "../state/tokenList.js";

export interface LogitsPanel {
  /** Throws `InputError` for an invalid list. */
  logits(): Float32Array;
  /** Token ids of the text so far. Throws `InputError`. */
  history(): number[];
  /** The texts of the tokens: of the field, or of the model. Throws `InputError`. */
  vocabulary(): readonly string[] | undefined;
  /** The field with the texts. */
  texts(): string;
  source(): LogitSource;
  set(source: LogitSource, texts: string): void;
  /** Texts of tokens by id if the logits are the model's, else empty. */
  textsOf(tokens: Int32Array): ReadonlyMap<number, string>;
  /** Discards the logits of the old model after another one is loaded. */
  forgetModel(): void;
}

const TITLES: Readonly<Record<Shape, string>> = {
  peaked: "peaked: one token far ahead",
  zipf: "Zipf: like words of a language",
  flat: "flat: hardly any difference",
};

/** The maximum number of tokens of history. */
const MAX_HISTORY = 100_000;

export function openLogits(host: HTMLElement, onChange: () => void): LogitsPanel {
  const kind = h(
    "select",
    { onchange: () => changed(), "aria-label": "Logits from" },
    ...SHAPES.map((shape) => h("option", { value: shape, textContent: TITLES[shape] })),
    h("option", { value: "logits", textContent: "a list of logits" }),
    h("option", { value: "probs", textContent: "a list of probabilities" }),
    ...(models ? [h("option", { value: "model", textContent: models.nextTitle })] : []),
  );
  kind.value = "zipf";
  const size = h("input", { type: "number", value: "500", step: "1", oninput: onChange });
  Object.assign(size, { min: String(MIN_SIZE), max: String(MAX_SIZE) });
  const sizeRow = h("label", {}, "tokens in the vocabulary ", size);
  const list = h("textarea", { rows: 4, spellcheck: false, placeholder: "0.4, 0.3, 0.2, 0.1", oninput: onChange });
  const listRow = h("label", { hidden: true }, "numbers, one for each token ", list);
  const prompt = h("input", { type: "text", value: "In the beginning", oninput: onChange });
  const promptRow = h("label", { hidden: true }, "prompt ", prompt);
  const past = h("input", { type: "text", placeholder: "none", oninput: onChange });
  const words = h("textarea", { rows: 3, spellcheck: false, placeholder: "a text on each line", oninput: onChange });
  const wordsRow = h(
    "details",
    {},
    h("summary", { textContent: "texts of the tokens" }),
    h("label", {}, "vocabulary ", words),
  );
  const fault = h("p", { className: "fault", role: "alert" });
  host.replaceChildren(
    h("label", {}, "from ", kind),
    sizeRow,
    listRow,
    promptRow,
    h("label", {}, "tokens so far ", past),
    wordsRow,
    fault,
  );

  const isList = (): boolean => kind.value === "logits" || kind.value === "probs";
  const isModel = (): boolean => kind.value === "model";
  const arrange = (): void => {
    sizeRow.hidden = isList() || isModel();
    promptRow.hidden = !isModel();
    listRow.hidden = !isList();
  };
  const changed = (): void => {
    arrange();
    onChange();
  };
  const source = (): LogitSource =>
    isModel()
      ? { kind: "model", prompt: prompt.value }
      : isList()
        ? { kind: "list", text: list.value, are: kind.value as "logits" | "probs" }
        : { kind: "shape", shape: kind.value as Shape, size: size.value === "" ? NaN : Number(size.value) };
  let said: { readonly prompt: string; readonly next: NextToken | Error | "asked" } | undefined;
  let asking: AbortController | undefined;
  const modelLogits = (text: string): Float32Array => {
    if (said?.prompt !== text) {
      asking?.abort();
      asking = new AbortController();
      const asked = { prompt: text, next: "asked" } as const;
      said = asked;
      models!
        .next(text, asking.signal)
        .catch((error: unknown) => error as Error)
        .then((next) => {
          if (said !== asked) return;
          said = { prompt: text, next };
          onChange();
        }, notify);
    }
    const { next } = said;
    if (next === "asked") throw new InputError("reading the model …", { code: "NOT_READY" });
    if (next instanceof Error) throw next;
    return next.logits;
  };
  const reporting = <T>(read: () => T): T => {
    try {
      const value = read();
      fault.textContent = "";
      return value;
    } catch (error) {
      fault.textContent = (error as Error).message;
      throw error;
    }
  };
  return {
    source,
    logits: () =>
      reporting(() => {
        const from = source();
        return from.kind === "model" ? modelLogits(from.prompt) : logitsOf(from);
      }),
    textsOf(tokens) {
      const next = isModel() ? said?.next : undefined;
      return typeof next === "object" && "textsOf" in next ? next.textsOf(tokens) : new Map();
    },
    forgetModel() {
      said = undefined;
      if (isModel()) onChange();
    },
    texts: () => words.value,
    vocabulary: () =>
      reporting(() => {
        const next = isModel() ? said?.next : undefined;
        return readVocabulary(words.value) ?? (typeof next === "object" && "texts" in next ? next.texts : undefined);
      }),
    history: () => reporting(() => readHistory(past.value)),
    set(given, texts) {
      if (given.kind === "model" && !models)
        throw new InputError("the link needs a model, which this build does not have", { code: "MODULE_UNAVAILABLE" });
      words.value = texts;
      wordsRow.open = texts !== "";
      kind.value = given.kind === "model" ? "model" : given.kind === "list" ? given.are : given.shape;
      if (given.kind === "model") prompt.value = given.prompt;
      else if (given.kind === "list") list.value = given.text;
      else size.value = String(given.size);
      arrange();
    },
  };
}

function readHistory(text: string): number[] {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== "");
  if (parts.length > MAX_HISTORY)
    throw new InputError(`at most ${MAX_HISTORY} tokens so far are allowed`, { code: "LIMIT_EXCEEDED" });
  const bad = parts.findIndex((part) => !/^\d{1,8}$/.test(part));
  if (bad >= 0)
    throw new InputError(
      `"${parts[bad]!.slice(0, 40)}" among the tokens so far is not a token id: expected a non-negative integer`,
      { code: "INVALID_ARGUMENT" },
    );
  return parts.map(Number);
}
