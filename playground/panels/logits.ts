/** The panel that chooses the logits. */
import { InputError, invalid } from "ggsl/core/errors.js";
import { h } from "../dom.js";
import type { PickPoint } from "../engine/messages.js";
import { models } from "../model/source.js";
import type { Seen } from "../model/types.js";
import { notify } from "../notices.js";
import { logitsOf, MAX_SIZE, MIN_SIZE, SHAPES, type LogitSource, type Shape } from "../state/source.js";
import { readVocabulary } from "../state/tokenList.js";
import type { ChosenPlace } from "./text.js";

interface LogitsPanel {
  /** Where the chain picks. Throws `InputError` for an invalid list, and what the model refuses. */
  place(): PickPoint;
  /** The texts of the tokens: of the field, or of the model. Throws `InputError`. */
  vocabulary(): readonly string[] | undefined;
  /** The field with the texts. */
  texts(): string;
  /** Whether the logits are those of a place in the text: `waiting` for the model, a shape takes their place. */
  isText(): boolean | "waiting";
  /** The place of the text whose logits `place` gives: the last one of which the model has told. */
  shown(): ChosenPlace | undefined;
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

/** Before the model is there: logits like those of a language. */
const standIn = (): PickPoint => ({
  logits: logitsOf({ kind: "shape", shape: "zipf", size: 500 }),
  history: [],
  picked: [],
});

/** The maximum number of tokens of history. */
const MAX_HISTORY = 100_000;

/** @param chosen the chosen place of the text, if there is one @param prompt the text's beginning */
export function openLogits(
  host: HTMLElement,
  chosen: () => ChosenPlace | undefined,
  prompt: () => string,
  onChange: () => void,
): LogitsPanel {
  const kind = h(
    "select",
    { onchange: () => changed(), "aria-label": "Logits from" },
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
  const arrange = (): void => {
    sizeRow.hidden = isList() || isModel();
    pastRow.hidden = isModel();
    listRow.hidden = !isList();
  };
  const changed = (): void => {
    arrange();
    onChange();
  };
  const source = (): LogitSource =>
    isModel()
      ? { kind: "model", prompt: prompt() }
      : isList()
        ? { kind: "list", text: list.value, are: kind.value as "logits" | "probs" }
        : { kind: "shape", shape: kind.value as Shape, size: size.value === "" ? NaN : Number(size.value) };
  /** What was last asked of the model, what it said of that or of an earlier place, and why it says nothing now. */
  let asked = "";
  let said: Seen | undefined;
  let refusal: Error | undefined;
  let shown: ChosenPlace | undefined;
  let asking: AbortController | undefined;
  const ask = (place: ChosenPlace): void => {
    const key = JSON.stringify(place);
    if (asked === key) return;
    asked = key;
    asking?.abort();
    asking = new AbortController();
    const answered = (keep: () => void): void => {
      if (asked !== key) return;
      keep();
      onChange();
    };
    models!
      .at(place.before, asking.signal)
      .then(
        (seen) => answered(() => ([said, shown, refusal] = [seen, place, undefined])),
        (error: unknown) => answered(() => (refusal = error as Error)),
      )
      .catch(notify);
  };
  const seenAt = (): Seen | undefined => {
    const place = chosen();
    if (place && models!.isReady()) ask(place);
    // without any place, logits that need no model are shown instead
    if (refusal && said) throw refusal;
    return said;
  };
  arrange();
  const reporting = <T>(read: () => T): T => {
    try {
      const value = read();
      fault.textContent = (isModel() && refusal?.message) || "";
      return value;
    } catch (error) {
      fault.textContent = (error as Error).message;
      throw error;
    }
  };
  return {
    source,
    shown: () => shown,
    isText: () => isModel() && (said === undefined ? "waiting" : true),
    place: () =>
      reporting(() => {
        const from = source();
        if (from.kind === "model") return seenAt()?.place ?? standIn();
        return { logits: logitsOf(from), history: readHistory(past.value), picked: [] };
      }),
    textsOf: (tokens) => (isModel() && said ? said.textsOf(tokens) : new Map()),
    forgetModel() {
      [said, refusal, asked] = [undefined, undefined, ""];
      if (isModel()) onChange();
    },
    texts: () => words.value,
    vocabulary: () => reporting(() => readVocabulary(words.value) ?? (isModel() && said ? said.texts : undefined)),
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
